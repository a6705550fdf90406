import { later, type MonotonicMs } from '../../../src/actor/clock.ts';
import { isLifeChanged } from '../../../src/pod/sync/runtime-change.ts';
import type { RuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';
import type { Moment, RetryTime } from '../worker-state.ts';

/**
 * Least delay after an error of the runtime or the node. Up to half of it is added, so that pods do not retry all at
 * once.
 */
const ERROR_DELAY_MS = 10_000;
/**
 * The longest delay after an attempt that changed something, at least half of it. The kubelet's next relist sees the
 * change and syncs the pod.
 */
export const RELIST_MS = 1_000;

export const relistDelay = ({ monotonic, chance }: Pick<Moment, 'monotonic' | 'chance'>): MonotonicMs =>
  later(monotonic, (RELIST_MS * (1 + chance)) / 2);

export const errorDelay = ({ monotonic, chance }: Pick<Moment, 'monotonic' | 'chance'>): MonotonicMs =>
  later(monotonic, ERROR_DELAY_MS * (1 + chance / 2));

export const retryAfterError = (decidedOn: RuntimePodStatus | undefined, at: Moment): RetryTime => ({
  until: errorDelay(at),
  ...(decidedOn === undefined ? {} : { early: { notBefore: relistDelay(at), decidedOn } }),
});

/** Returns when the attempt is retried, as the runtime is now. */
export const retryAt = ({ until, early }: RetryTime, runtime: RuntimePodStatus): MonotonicMs =>
  early !== undefined && isLifeChanged(early.decidedOn, runtime) ? Math.min(until, early.notBefore) : until;
