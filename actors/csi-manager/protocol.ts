import { addressOf } from '../../src/actor/messages/message.ts';
import type { PodOfVolume } from '../../src/csi/csi-volume.ts';
import type { DriverFigures } from '../../src/stats/pod-disk.ts';
import type { ForeignOutcome, TakenAway } from '../../src/volumes/plan/foreign-volumes.ts';
import type { ForeignPlan } from '../../src/volumes/plan/volume-plan.ts';

/** What the CSI manager can be told; all of it by itself. */
export type CsiManagerCommand =
  | { readonly type: 'look-due' }
  /** Sockets in the folder of plugins: by path, a text that is another when the plugin behind it may be. */
  | { readonly type: 'looked'; readonly sockets: ReadonlyMap<string, string> }
  | {
      readonly type: 'plugin-judged';
      readonly socket: string;
      readonly version: string;
      readonly driver: DriverHere | undefined;
    };

export interface DriverHere {
  readonly name: string;
  readonly endpoint: string;
}

export type CsiManagerQuestion =
  /** Answered when the volume is there, or why it cannot be yet. Can be asked again at will. */
  | { readonly type: 'make-volume'; readonly pod: PodOfVolume; readonly plan: ForeignPlan }
  /** Answered when nothing that drivers have made for the pod is left. */
  | { readonly type: 'take-volumes-away'; readonly podUid: string }
  /** Answered in their order; undefined where the driver does not say in time how its volume is. */
  | { readonly type: 'measure-volumes'; readonly volumes: readonly VolumeOfPod[] };

export interface VolumeOfPod {
  readonly podUid: string;
  /** The name of its directory. */
  readonly specName: string;
}

export interface CsiManagerProtocol {
  readonly command: CsiManagerCommand;
  readonly question: CsiManagerQuestion;
  readonly answers: {
    readonly 'make-volume': ForeignOutcome;
    readonly 'take-volumes-away': TakenAway;
    readonly 'measure-volumes': readonly (DriverFigures | undefined)[];
  };
}

export const CSI_MANAGER = addressOf<CsiManagerProtocol>('csi-manager');
