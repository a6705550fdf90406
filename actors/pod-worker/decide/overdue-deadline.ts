import type { Pod, PodStatus } from '../../../src/kube/pod.ts';
import { activeDeadline } from '../../../src/pod/status/api-status.ts';
import type { Effect, Moment } from '../worker-state.ts';

/** Longer than most pulls take. */
const OVERDUE_AFTER_MS = 30_000;

/**
 * A pod past its active deadline does not wait for ever for a pull, a hook or a sandbox (the kubelet does). It waits
 * for a while, so that what has begun can end and be stopped.
 */
export function deadlineWhileActing(
  pod: Pod,
  status: PodStatus | undefined,
  { now, monotonic }: Moment,
): readonly Effect[] {
  const deadline = activeDeadline(pod, status ?? {});
  if (deadline === undefined) return [];
  const overdueAt = monotonic + deadline - now + OVERDUE_AFTER_MS;
  return [monotonic >= overdueAt ? { type: 'cancel-acting' } : { type: 'sync-at', at: overdueAt }];
}
