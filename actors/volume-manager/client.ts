import type { Caller } from '../../src/actor/actor.ts';
import { answerOr, askAgain } from '../../src/actor/messages/answer-or.ts';
import { podUid } from '../../src/kube/ids.ts';
import type { DriverVolume } from '../../src/stats/driver-volumes.ts';
import type { BindSubPathsOrder } from '../../src/volumes/disk/bind-sub-paths.ts';
import { readBeneath } from '../../src/volumes/disk/resolve-beneath.ts';
import type { PodVolumes } from '../../src/volumes/plan/volume-plan.ts';
import { VOLUME_MANAGER, type VolumeManagerQuestion, type VolumesAnswer } from './protocol.ts';

export interface ContainerStart {
  readonly podUid: string;
  readonly container: string;
}

/** A pod worker's access to its pod's volumes. Calls never reject while the caller lives. */
export interface VolumeCalls {
  /** Resolves when all volumes are mounted; that may take minutes. */
  mount(pod: PodVolumes): Promise<VolumesAnswer>;
  /** Keeps the content of the pod's volumes as it is given to a container that starts, until `releaseContent`. */
  holdContent(start: ContainerStart): Promise<VolumesAnswer>;
  /** The runtime has answered. A lost release costs disk space for ten minutes. */
  releaseContent(start: ContainerStart): void;
  /** Binds parts of mounted volumes for a container that is about to be created. */
  bind(parts: Pick<BindSubPathsOrder, 'podUid' | 'container' | 'binds'>): Promise<VolumesAnswer>;
  /**
   * Returns a small text file of a mounted volume. `undefined` when it cannot be read, or does not belong to the
   * volume.
   */
  readFile(file: { readonly volumeHostPath: string; readonly path: string }): string | undefined;
  /** Resolves when all volumes are gone. */
  unmount(uid: string): Promise<VolumesAnswer>;
  /** Reports the pod's volume needs, without waiting. */
  want(pod: PodVolumes): void;
}

/** The volume manager gives up earlier. */
const ANSWER_WITHIN_MS = 180_000;
const FIGURES_WITHIN_MS = 10_000;
/** How often a question is asked when an incarnation of the manager loses it: repeating it is harmless. */
const TRIES = 4;
/** Larger files are not accepted as files of environment variables. */
const MAX_TEXT_BYTES = 1024 * 1024;

/** A question lost with an incarnation of the manager is asked again: repeating it is harmless. */
export function volumeManagerClient(context: Caller): VolumeCalls {
  const manager = context.ref(VOLUME_MANAGER);
  const ask = (question: Exclude<VolumeManagerQuestion, { type: 'driver-volumes' }>): Promise<VolumesAnswer> =>
    askAgain(() => manager.ask(question, { deadlineMs: ANSWER_WITHIN_MS }), {
      tries: TRIES,
      lost: ({ message }) => ({ ok: false, message: `the volume manager: ${message}` }),
    });
  return {
    mount: (pod) => ask({ type: 'mount-volumes', pod }),
    holdContent: ({ podUid: uid, container }) => ask({ type: 'hold-content', podUid: podUid(uid), container }),
    releaseContent: ({ podUid: uid, container }) =>
      manager.tell({ type: 'content-released', podUid: podUid(uid), container }),
    bind: ({ podUid: uid, container, binds }) => ask({ type: 'bind-sub-paths', podUid: podUid(uid), container, binds }),
    readFile: ({ volumeHostPath, path }) => readBeneath(volumeHostPath, path, MAX_TEXT_BYTES),
    unmount: (uid) => ask({ type: 'unmount-volumes', podUid: podUid(uid) }),
    want: (pod) => manager.tell({ type: 'volumes-wanted', pod }),
  };
}

/**
 * Returns the volumes of pods that have a driver or a PersistentVolume. Empty when no answer came: the next walk asks
 * again.
 */
export const driverVolumesClient = (
  context: Pick<Caller, 'ref'>,
): ((podUids: readonly string[]) => Promise<readonly DriverVolume[]>) => {
  const manager = context.ref(VOLUME_MANAGER);
  return (podUids) =>
    answerOr(manager.ask({ type: 'driver-volumes', podUids }, { deadlineMs: FIGURES_WITHIN_MS }), () => []);
};
