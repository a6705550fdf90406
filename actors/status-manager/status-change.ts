import type { PodUid } from '../../src/kube/ids.ts';
import type { PodStatus } from '../../src/kube/pod.ts';
import type { StatusManagerProtocol } from './protocol.ts';

/** The latest status of every pod on this node. */
export type StatusManagerState = ReadonlyMap<PodUid, PodStatus>;

/** The log fields of a status change. */
export interface StatusChange {
  readonly pod: string;
  readonly phase: PodStatus['phase'];
  readonly ready: boolean;
}

/** Returns what a status change logs: another phase, or another readiness. `undefined` for all other changes. */
export function statusChange(
  before: PodStatus | undefined,
  command: Pick<Extract<StatusManagerProtocol['command'], { type: 'pod-status-changed' }>, 'pod' | 'status'>,
): StatusChange | undefined {
  const { status, pod } = command;
  const ready = isReady(status);
  if (before?.phase === status.phase && before !== undefined && isReady(before) === ready) return undefined;
  return { pod, phase: status.phase, ready };
}

export const isReady = (status: PodStatus): boolean =>
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
