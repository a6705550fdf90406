import { addressOf } from '../../src/actor/messages/message.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { DriverVolume } from '../../src/stats/driver-volumes.ts';
import type { BindSubPathsOrder } from '../../src/volumes/disk/bind-sub-paths.ts';
import type { VolumeOutcome } from '../../src/volumes/disk/set-up-volume.ts';
import type { PodVolumes } from '../../src/volumes/plan/volume-plan.ts';

/** Commands from other actors. */
export type VolumeManagerCommand =
  /**
   * The volumes of a pod that is already present: sent again when they change, and to a manager that has lost its
   * state.
   */
  | { readonly type: 'volumes-wanted'; readonly pod: PodVolumes }
  /** Objects that may have changed, by `objectKey`; `any` when it is unknown which. */
  | { readonly type: 'objects-changed'; readonly keys: readonly string[] | 'any' }
  /** The runtime has answered the start of a container for which content was held. */
  | { readonly type: 'content-released'; readonly podUid: PodUid; readonly container: string };

/** The manager's own reports: operations that have ended. */
export type VolumeManagerReport =
  | {
      readonly type: 'volume-set-up';
      readonly podUid: PodUid;
      readonly name: string;
      readonly outcome: VolumeOutcome;
      /** The version that was written; `undefined` when unknown. */
      readonly version?: string;
      /** Present when this version was there already, and nothing was written. */
      readonly unwritten?: true;
    }
  | { readonly type: 'pod-torn-down'; readonly podUid: PodUid; readonly outcome: VolumeOutcome };

/** The manager's own timers. */
export type VolumeManagerTimer =
  /** Time for the pod's next operation. */
  | { readonly type: 'operation-due'; readonly podUid: PodUid }
  /** The pod has waited too long for its volumes. */
  | { readonly type: 'mount-timed-out'; readonly podUid: PodUid; readonly wait: number };

export type VolumeManagerQuestion =
  /** Answered when every volume of the pod is mounted, or the wait has failed. */
  | { readonly type: 'mount-volumes'; readonly pod: PodVolumes }
  /**
   * A container is about to start with mounted volumes. From the answer on, no refresh removes a version of the content
   * of the pod's volumes, until `content-released` or for ten minutes.
   */
  | { readonly type: 'hold-content'; readonly podUid: PodUid; readonly container: string }
  /** Binds parts of mounted volumes for a container that is about to be created. */
  | ({ readonly type: 'bind-sub-paths'; readonly podUid: PodUid } & Pick<BindSubPathsOrder, 'container' | 'binds'>)
  /**
   * The pod's containers are gone: all its volumes are to be removed. Answered when they are gone, or the removal has
   * failed.
   */
  | { readonly type: 'unmount-volumes'; readonly podUid: PodUid }
  /** Asks for the present volumes of these pods that have a driver or a PersistentVolume. */
  | { readonly type: 'driver-volumes'; readonly podUids: readonly string[] };

export interface VolumeManagerProtocol {
  readonly command: VolumeManagerCommand | VolumeManagerReport | VolumeManagerTimer;
  readonly question: VolumeManagerQuestion;
  readonly answers: {
    readonly 'mount-volumes': VolumesAnswer;
    readonly 'hold-content': VolumesAnswer;
    readonly 'bind-sub-paths': VolumesAnswer;
    readonly 'unmount-volumes': VolumesAnswer;
    readonly 'driver-volumes': readonly DriverVolume[];
  };
}

/** `paths`: by name, the paths of volumes whose path does not follow from the pod alone. */
export type VolumesAnswer =
  | { readonly ok: true; readonly paths?: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly message: string };

/** Sent to a pod's worker for the pod's events: one of its volumes has failed. */
export interface VolumeFailed {
  readonly type: 'volume-failed';
  readonly reason: 'FailedMount' | 'FailedMapVolume' | 'FileSystemResizeFailed';
  readonly message: string;
}

/** Sent to a pod's worker for the pod's events: a step on a volume has succeeded. */
export interface VolumeSucceeded {
  readonly type: 'volume-succeeded';
  readonly reason: 'SuccessfulMountVolume' | 'FileSystemResizeSuccessful';
  readonly message: string;
}

export const VOLUME_MANAGER = addressOf<VolumeManagerProtocol>('volume-manager');
