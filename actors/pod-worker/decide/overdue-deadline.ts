import type { Pod, PodStatus } from '../../../src/kube/pod.ts';
import { activeDeadline } from '../../../src/pod/status/api-status.ts';
import type { Effect, Moment } from '../worker-state.ts';

/** Longer than most pulls take. */
const OVERDUE_AFTER_MS = 30_000;

/**
 * A pod that is past its active deadline does not wait for ever for what it has begun: a pull, a hook, a sandbox that never
 * comes (a kubelet does). For a while it does: then what was begun comes to its end, and is stopped.
 */
export function notForEver(pod: Pod, status: PodStatus | undefined, { now, monotonic }: Moment): readonly Effect[] {
  const deadline = activeDeadline(pod, status ?? {});
  if (deadline === undefined) return [];
  const overdueAt = monotonic + deadline - now + OVERDUE_AFTER_MS;
  return [monotonic >= overdueAt ? { type: 'cancel-acting' } : { type: 'sync-at', at: overdueAt }];
}
