import { addressOf } from '../../src/actor/messages/message.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { DriverVolume } from '../../src/stats/driver-volumes.ts';
import type { BindSubPathsOrder } from '../../src/volumes/disk/bind-sub-paths.ts';
import type { VolumeOutcome } from '../../src/volumes/disk/set-up-volume.ts';
import type { PodVolumes } from '../../src/volumes/plan/volume-plan.ts';

/** What the volume manager can be told. */
export type VolumeManagerCommand =
  /** What a pod that is there already wants: said again when it changes, and to a manager that has lost it. */
  | { readonly type: 'volumes-wanted'; readonly pod: PodVolumes }
  /** Objects that may have changed, by `objectKey`; or nobody knows which. */
  | { readonly type: 'objects-changed'; readonly keys: readonly string[] | 'any' }
  | VolumeManagerReport;

/** The manager's own reports that something it started has ended, or is due. */
export type VolumeManagerReport =
  | {
      readonly type: 'volume-set-up';
      readonly podUid: PodUid;
      readonly name: string;
      readonly outcome: VolumeOutcome;
      /** What was written; undefined where that is not known. */
      readonly version?: string;
    }
  | { readonly type: 'pod-torn-down'; readonly podUid: PodUid; readonly outcome: VolumeOutcome }
  | { readonly type: 'pod-due'; readonly podUid: PodUid }
  | { readonly type: 'wait-over'; readonly podUid: PodUid; readonly wait: number };

export type VolumeManagerQuestion =
  /** Answered when every volume of the pod is there, or when that has taken too long. */
  | { readonly type: 'mount-volumes'; readonly pod: PodVolumes }
  /** Parts of volumes that are there are to be bound for a container that is about to be made. */
  | ({ readonly type: 'bind-sub-paths'; readonly podUid: PodUid } & Pick<BindSubPathsOrder, 'container' | 'binds'>)
  /** The pod's containers are gone: nothing of its volumes is to be left. Answered when that is so, or could not be done. */
  | { readonly type: 'unmount-volumes'; readonly podUid: PodUid }
  /** Those volumes of these pods that drivers and PersistentVolumes stand behind, as far as they are there. */
  | { readonly type: 'driver-volumes'; readonly podUids: readonly string[] };

export interface VolumeManagerProtocol {
  readonly command: VolumeManagerCommand;
  readonly question: VolumeManagerQuestion;
  readonly answers: {
    readonly 'mount-volumes': VolumesAnswer;
    readonly 'bind-sub-paths': VolumesAnswer;
    readonly 'unmount-volumes': VolumesAnswer;
    readonly 'driver-volumes': readonly DriverVolume[];
  };
}

/** `paths`: where those volumes are whose place does not follow from the pod alone, by name. */
export type VolumesAnswer =
  | { readonly ok: true; readonly paths?: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly message: string };

/** What the manager tells the worker of a pod: what went wrong with one of its volumes, for the pod's events. */
export interface VolumeFailed {
  readonly type: 'volume-failed';
  readonly reason: 'FailedMount' | 'FailedMapVolume' | 'FileSystemResizeFailed';
  readonly message: string;
}

/** The same of what went well and is worth an event. */
export interface VolumeNoted {
  readonly type: 'volume-noted';
  readonly reason: 'SuccessfulMountVolume' | 'FileSystemResizeSuccessful';
  readonly message: string;
}

export const VOLUME_MANAGER = addressOf<VolumeManagerProtocol>('volume-manager');
