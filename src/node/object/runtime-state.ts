import type { MonotonicMs } from '../../actor/clock.ts';

/** The container runtime's last known state, as the node's status needs it. Instants are monotonic milliseconds. */
export interface RuntimeState {
  /** `undefined` when the runtime has never answered. */
  readonly lastAnswerAt: MonotonicMs | undefined;
  readonly answers: boolean;
  readonly name: string;
  readonly version: string;
  readonly conditions: readonly RuntimeConditionFacts[];
  readonly handlers: readonly RuntimeHandlerSummary[];
  readonly supplementalGroupsPolicy: boolean | undefined;
}

export interface RuntimeConditionFacts {
  readonly type: string;
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}

export interface RuntimeHandlerSummary {
  readonly name: string;
  readonly recursiveReadOnlyMounts: boolean;
  readonly userNamespaces: boolean;
}

export const silentRuntime: RuntimeState = {
  lastAnswerAt: undefined,
  answers: false,
  name: '',
  version: '',
  conditions: [],
  handlers: [],
  supplementalGroupsPolicy: undefined,
};

/** A runtime that does not answer for this long counts as down. */
export const RUNTIME_SILENT_MS = 30_000;

/** Returns the problems that the runtime's state means for the node, one sentence each, in the kubelet's words. */
export function runtimeProblems(runtime: RuntimeState, now: MonotonicMs): readonly string[] {
  if (runtime.lastAnswerAt === undefined) return ['container runtime status check may not have completed yet'];
  const problems: string[] = [];
  if (!runtime.answers && now - runtime.lastAnswerAt >= RUNTIME_SILENT_MS) problems.push('container runtime is down');
  const broken = (type: string): string | undefined => {
    const condition = runtime.conditions.find((each) => each.type === type);
    if (condition?.status === true) return undefined;
    return condition === undefined
      ? `${type} condition is not known`
      : `${type}=false reason:${condition.reason} message:${condition.message}`;
  };
  const ready = broken('RuntimeReady');
  if (ready !== undefined) problems.push(`container runtime not ready: ${ready}`);
  const network = broken('NetworkReady');
  if (network !== undefined) problems.push(`container runtime network not ready: ${network}`);
  return problems;
}

/**
 * Returns PLEG's problem: as in the kubelet, it is unhealthy after three minutes without a relist. Ages are
 * milliseconds.
 */
export function plegProblem(healthy: boolean, lastRelistAgeMs: number | undefined): string | undefined {
  if (healthy) return undefined;
  const seen =
    lastRelistAgeMs === undefined ? 'has yet to be successful' : `was last seen active ${seconds(lastRelistAgeMs)} ago`;
  return `PLEG is not healthy: pleg ${seen}; threshold is 3m0s`;
}

const seconds = (ms: number): string => {
  const whole = Math.round(ms / 1000);
  return whole < 60 ? `${whole}s` : `${Math.floor(whole / 60)}m${whole % 60}s`;
};
