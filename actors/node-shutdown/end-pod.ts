import type { ActorContext } from '../../src/actor/actor.ts';
import { podUid } from '../../src/kube/ids.ts';
import type { PodEnding } from '../../src/pod/status/evicted-status.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import type { NodeShutdownProtocol } from './protocol.ts';
import { answerOr } from '../../src/actor/messages/answer-or.ts';

const ENDING: PodEnding = {
  reason: 'Terminated',
  message: 'Pod was terminated in response to imminent node shutdown.',
  disruption: 'yes',
};
/** Time for a pod beyond its grace period. The time of its group ends the wait anyway. */
const BEYOND_GRACE_MS = 60_000;
const TRIES = 10;
const AGAIN_AFTER_MS = 1_000;

/**
 * Has the pod manager end a pod, and repeats the request if the manager has restarted meanwhile. Resolves in any case,
 * after 10 attempts at the latest.
 */
export function podManagerEndPod(
  context: Pick<ActorContext<NodeShutdownProtocol>, 'ref' | 'clock'>,
): (uid: string, graceSeconds: number) => Promise<void> {
  const pods = context.ref(POD_MANAGER);
  return async (uid, gracePeriodSeconds) => {
    const question = { type: 'evict-pod', podUid: podUid(uid), gracePeriodSeconds, ending: ENDING } as const;
    const deadlineMs = gracePeriodSeconds * 1000 + BEYOND_GRACE_MS;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const ended = pods.ask(question, { deadlineMs }).then(() => true);
      if (await answerOr(ended, () => false)) return;
      await new Promise<void>((resolve) => void context.clock.after(AGAIN_AFTER_MS, resolve));
    }
  };
}
