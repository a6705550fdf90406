import type { Pod, PodStatus } from '../../kube/pod.ts';

/** The reason why the node ended a pod for good: an eviction, a preemption or a shutdown. */
export interface PodEnding {
  /** Shown as the status' reason: `Evicted`, `Preempting`, `Terminated`. */
  readonly reason: string;
  readonly message: string;
  /** `yes` if controllers learn that the pod is not to blame (condition `DisruptionTarget`, KEP-3329). */
  readonly disruption: 'yes' | 'no';
  /** The message of that condition, when it differs from the status' message. */
  readonly disruptionMessage?: string;
}

/**
 * Returns the last status of a pod that its node has ended: failed, however its containers exited. A pod that had
 * succeeded before stays succeeded.
 */
export function evictedStatus(pod: Pod, status: PodStatus, ending: PodEnding): PodStatus {
  const { reason, message, disruption, disruptionMessage = message } = ending;
  const { generation } = pod.metadata;
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'DisruptionTarget');
  const before = pod.status?.phase;
  const condition = {
    type: 'DisruptionTarget',
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    status: 'True',
    reason: 'TerminationByKubelet',
    message: disruptionMessage,
  } as const;
  return {
    ...status,
    phase: before === 'Succeeded' ? 'Succeeded' : 'Failed',
    reason,
    message,
    conditions: disruption === 'yes' ? [condition, ...others] : (status.conditions ?? []),
  };
}
