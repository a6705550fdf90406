import type { NodeCondition } from '../../kube/node.ts';
import { own } from '../../kube/text/own.ts';
import type { ResourceList } from '../../kube/pod.ts';

/** The present state of a condition. The transition time follows from a comparison with the previous condition. */
export interface Verdict {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** The resources that the node is short of, as the eviction manager reports them. */
export interface Pressures {
  readonly memory: boolean;
  readonly disk: boolean;
  readonly pid: boolean;
}

/** Returns the pressure conditions, in the kubelet's order and words. */
export function pressureVerdicts({ memory, disk, pid }: Pressures): readonly Verdict[] {
  return [
    memory
      ? {
          type: 'MemoryPressure',
          status: 'True',
          reason: 'KubeletHasInsufficientMemory',
          message: 'kubelet has insufficient memory available',
        }
      : {
          type: 'MemoryPressure',
          status: 'False',
          reason: 'KubeletHasSufficientMemory',
          message: 'kubelet has sufficient memory available',
        },
    disk
      ? { type: 'DiskPressure', status: 'True', reason: 'KubeletHasDiskPressure', message: 'kubelet has disk pressure' }
      : {
          type: 'DiskPressure',
          status: 'False',
          reason: 'KubeletHasNoDiskPressure',
          message: 'kubelet has no disk pressure',
        },
    pid
      ? {
          type: 'PIDPressure',
          status: 'True',
          reason: 'KubeletHasInsufficientPID',
          message: 'kubelet has insufficient PID available',
        }
      : {
          type: 'PIDPressure',
          status: 'False',
          reason: 'KubeletHasSufficientPID',
          message: 'kubelet has sufficient PID available',
        },
  ];
}

export interface ReadyInput {
  /** Everything that keeps the node from running pods, one sentence each. */
  readonly problems: readonly string[];
  readonly capacity: ResourceList;
  readonly localStorageCapacityIsolation: boolean;
  /** Deviations that do not keep pods from running. */
  readonly warnings: readonly string[];
}

/** Returns Ready, or all problems in one message. */
export function readyVerdict({ problems, capacity, localStorageCapacityIsolation, warnings }: ReadyInput): Verdict {
  const required = ['cpu', 'memory', 'pods', ...(localStorageCapacityIsolation ? ['ephemeral-storage'] : [])];
  const missing = required.filter((resource) => own(capacity, resource) === undefined);
  const all = [
    ...new Set([
      ...problems,
      ...(missing.length > 0 ? [`missing node capacity for resources: ${missing.join(', ')}`] : []),
    ]),
  ];
  if (all.length > 0) {
    const message = all.length === 1 ? (all[0] ?? '') : `[${all.join(', ')}]`;
    return { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message };
  }
  const ready = 'kubelet is posting ready status';
  const message = warnings.length === 0 ? ready : `${ready}. WARNING: ${warnings.join(', ')}`;
  return { type: 'Ready', status: 'True', reason: 'KubeletReady', message };
}

/**
 * Returns the conditions with the node's own updated. The transition time changes only with the status; conditions of
 * other writers keep their content and place.
 */
export function withVerdicts(
  before: readonly NodeCondition[],
  verdicts: readonly Verdict[],
  now: string,
): readonly NodeCondition[] {
  const own = new Map(verdicts.map((verdict) => [verdict.type, verdict]));
  const updated = (verdict: Verdict, existing: NodeCondition | undefined): NodeCondition => ({
    ...verdict,
    lastHeartbeatTime: now,
    lastTransitionTime: existing?.status === verdict.status ? (existing.lastTransitionTime ?? now) : now,
  });
  const kept = before.map((condition) => {
    const verdict = own.get(condition.type);
    own.delete(condition.type);
    return verdict === undefined ? condition : updated(verdict, condition);
  });
  return [...kept, ...[...own.values()].map((verdict) => updated(verdict, undefined))];
}

/** Returns the event reasons of the conditions whose status has changed, in the order of the verdicts. */
export function transitionReasons(
  before: readonly NodeCondition[],
  verdicts: readonly Verdict[],
): readonly { readonly reason: string; readonly condition: string }[] {
  return verdicts
    .filter(({ type, status }) => before.find((condition) => condition.type === type)?.status !== status)
    .map(({ type, status }) => ({ reason: own(TRANSITIONS, `${type} ${status}`) ?? '', condition: type }))
    .filter(({ reason }) => reason !== '');
}

const TRANSITIONS: Readonly<Record<string, string>> = {
  'Ready True': 'NodeReady',
  'Ready False': 'NodeNotReady',
  'MemoryPressure True': 'NodeHasInsufficientMemory',
  'MemoryPressure False': 'NodeHasSufficientMemory',
  'DiskPressure True': 'NodeHasDiskPressure',
  'DiskPressure False': 'NodeHasNoDiskPressure',
  'PIDPressure True': 'NodeHasInsufficientPID',
  'PIDPressure False': 'NodeHasSufficientPID',
};
