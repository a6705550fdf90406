import type { PodStatus } from '../../src/kube/pod.ts';
import type { StatusManagerCommand } from './protocol.ts';

/** What there is to say about a pod's status, for the log. */
export interface StatusNews {
  readonly pod: string;
  readonly phase: PodStatus['phase'];
  readonly ready: boolean;
}

/** The news in a status change: another phase, or another readiness. The rest is detail. */
export function newsIn(
  before: PodStatus | undefined,
  command: Pick<Extract<StatusManagerCommand, { type: 'pod-status-changed' }>, 'pod' | 'status'>,
): StatusNews | undefined {
  const { status, pod } = command;
  const ready = isReady(status);
  if (before?.phase === status.phase && before !== undefined && isReady(before) === ready) return undefined;
  return { pod, phase: status.phase, ready };
}

export const isReady = (status: PodStatus): boolean =>
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
