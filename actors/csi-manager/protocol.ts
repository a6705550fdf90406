import { addressOf } from '../../src/actor/messages/message.ts';
import type { PodOfVolume } from '../../src/csi/csi-volume.ts';
import type { DriverFigures } from '../../src/stats/pod-disk.ts';
import type { DriverVolumeOutcome, DriverVolumeRemoval } from '../../src/volumes/plan/driver-volume-calls.ts';
import type { DriverVolumePlan } from '../../src/volumes/plan/volume-plan.ts';

/** Own reports. Other actors send only questions. */
export type CsiManagerReport =
  /** Sockets in the plugin folder, by path. The text of a socket changes whenever another plugin may be behind it. */
  | { readonly type: 'sockets-listed'; readonly sockets: ReadonlyMap<string, string> }
  | {
      readonly type: 'plugin-checked';
      readonly socket: string;
      readonly version: string;
      readonly driver: DriverEndpoint | undefined;
    };

/** Own timers. */
export type CsiManagerTimer = { readonly type: 'scan-due' };

export interface DriverEndpoint {
  readonly name: string;
  readonly endpoint: string;
}

export type CsiManagerQuestion =
  /** Answered when the volume is ready, or with the reason why it cannot be ready yet. Safe to repeat. */
  | { readonly type: 'set-up-volume'; readonly pod: PodOfVolume; readonly plan: DriverVolumePlan }
  /** The answer comes when nothing that drivers made for the pod is left. */
  | { readonly type: 'tear-down-volumes'; readonly podUid: string }
  /** Figures in the order of `volumes`; `undefined` for a volume whose driver did not answer in time. */
  | { readonly type: 'measure-volumes'; readonly volumes: readonly VolumeOfPod[] };

export interface VolumeOfPod {
  readonly podUid: string;
  /** The name of the volume's directory. */
  readonly specName: string;
}

export interface CsiManagerProtocol {
  readonly command: CsiManagerReport | CsiManagerTimer;
  readonly question: CsiManagerQuestion;
  readonly answers: {
    readonly 'set-up-volume': DriverVolumeOutcome;
    readonly 'tear-down-volumes': DriverVolumeRemoval;
    readonly 'measure-volumes': readonly (DriverFigures | undefined)[];
  };
}

export const CSI_MANAGER = addressOf<CsiManagerProtocol>('csi-manager');
