import type { PodCondition, PodStatus } from '../../kube/pod.ts';
import { isTerminalPhase } from './api-status.ts';
import { notLowering } from './earlier-status.ts';
import { isOwnCondition, isSharedCondition } from './conditions.ts';

/**
 * Returns the status that the API should have: this agent's own fields, and all other fields as the API has them. `api`
 * is the API's present status. Fields that users have seen are not taken back: a terminal phase stays with its reason,
 * and so do start time, QoS class, restart counts and last states.
 */
export function mergedWithApi(api: PodStatus, made: PodStatus): PodStatus {
  const own = notLowering(made, api);
  const generation = Math.max(api.observedGeneration ?? 0, own.observedGeneration ?? 0);
  const startTime = api.startTime ?? own.startTime;
  const qosClass = api.qosClass ?? own.qosClass;
  const { reason: _reason, message: _message, ...rest } = own;
  return {
    ...(isTerminalPhase(api.phase) ? { ...rest, ...outcomeOf(api) } : own),
    ...(generation === 0 ? {} : { observedGeneration: generation }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(qosClass === undefined ? {} : { qosClass }),
    conditions: mergedConditions(api.conditions ?? [], own.conditions ?? []),
  };
}

const outcomeOf = ({ phase, reason, message }: PodStatus): PodStatus => ({
  ...(phase === undefined ? {} : { phase }),
  ...(reason === undefined ? {} : { reason }),
  ...(message === undefined ? {} : { message }),
});

function mergedConditions(api: readonly PodCondition[], own: readonly PodCondition[]): readonly PodCondition[] {
  // The scheduler's condition on a pod that this agent has rejected stays.
  const foreign = api.filter(({ type }) => !isOwnCondition(type) || type === 'PodScheduled');
  const kept = own
    .filter(({ type }) => isOwnCondition(type) || isSharedCondition(type))
    .map((condition) => {
      const before = api.find(({ type }) => type === condition.type);
      // The API's transition time holds, even when this agent no longer remembers it.
      return before?.status === condition.status && before.lastTransitionTime !== undefined
        ? { ...condition, lastTransitionTime: before.lastTransitionTime }
        : condition;
    });
  const types = new Set(kept.map(({ type }) => type));
  return [...foreign.filter(({ type }) => !types.has(type)), ...kept];
}
