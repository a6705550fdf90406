import type { Caller } from '../../src/actor/actor.ts';
import { answerOr, askAgain } from '../../src/actor/messages/answer-or.ts';
import { podUid } from '../../src/kube/ids.ts';
import type { DriverVolume } from '../../src/stats/driver-volumes.ts';
import type { BindSubPathsOrder } from '../../src/volumes/disk/bind-sub-paths.ts';
import { readBeneath } from '../../src/volumes/disk/resolve-beneath.ts';
import type { PodVolumes } from '../../src/volumes/plan/volume-plan.ts';
import { VOLUME_MANAGER, type VolumeManagerQuestion, type VolumesAnswer } from './protocol.ts';

/** What a pod worker needs of its pod's volumes. Never rejects while its caller lives. */
export interface VolumeCalls {
  /** Until all are there; that may take minutes. */
  mount(pod: PodVolumes): Promise<VolumesAnswer>;
  /** Parts of volumes that are there, for a container that is about to be made. */
  bind(parts: Pick<BindSubPathsOrder, 'podUid' | 'container' | 'binds'>): Promise<VolumesAnswer>;
  /** A small text file of a volume that is there; undefined when it cannot be read, or is none of the volume's. */
  readFile(file: { readonly volumeHostPath: string; readonly path: string }): string | undefined;
  /** Until all are gone. */
  unmount(uid: string): Promise<VolumesAnswer>;
  /** Says what the pod wants, and waits for nothing. */
  want(pod: PodVolumes): void;
}

/** The manager gives up before. */
const ANSWER_WITHIN_MS = 180_000;
const FIGURES_WITHIN_MS = 10_000;
/** How often a question that is lost with an incarnation of the manager is asked: asking twice does no harm. */
const TRIES = 4;
/** A file of environment variables that is larger is none. */
const MAX_TEXT_BYTES = 1024 * 1024;

/** A question that got lost with an incarnation of the manager is asked again: asking twice does no harm. */
export function volumesThroughManager(context: Caller): VolumeCalls {
  const manager = context.ref(VOLUME_MANAGER);
  const ask = (question: Exclude<VolumeManagerQuestion, { type: 'driver-volumes' }>): Promise<VolumesAnswer> =>
    askAgain(() => manager.ask(question, { deadlineMs: ANSWER_WITHIN_MS }), {
      tries: TRIES,
      lost: ({ message }) => ({ ok: false, message: `the volume manager: ${message}` }),
    });
  return {
    mount: (pod) => ask({ type: 'mount-volumes', pod }),
    bind: ({ podUid: uid, container, binds }) => ask({ type: 'bind-sub-paths', podUid: podUid(uid), container, binds }),
    readFile: ({ volumeHostPath, path }) => readBeneath(volumeHostPath, path, MAX_TEXT_BYTES),
    unmount: (uid) => ask({ type: 'unmount-volumes', podUid: podUid(uid) }),
    want: (pod) => manager.tell({ type: 'volumes-wanted', pod }),
  };
}

/** The volumes of pods behind which a driver or a PersistentVolume stands. Empty when no answer came: the next walk asks again. */
export const driverVolumesThroughManager = (
  context: Pick<Caller, 'ref'>,
): ((podUids: readonly string[]) => Promise<readonly DriverVolume[]>) => {
  const manager = context.ref(VOLUME_MANAGER);
  return (podUids) =>
    answerOr(manager.ask({ type: 'driver-volumes', podUids }, { deadlineMs: FIGURES_WITHIN_MS }), () => []);
};
