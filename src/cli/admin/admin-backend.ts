import type { Provocation, ThreadFigures } from '../../actor/threads/thread-control.ts';
import type { TraceStep } from '../../actor/insight/trace-store.ts';
import type { AppliedPlan, Applied } from '../../faults/fault-registry.ts';
import type { Pod } from '../../kube/pod.ts';

/** The container runtime as the agent sees it. */
export interface RuntimeInfo {
  readonly name: string;
  readonly version: string;
  /** One readable word, such as `up` or `down`. */
  readonly state: string;
}

/** The recent messages about one pod, from all threads, in order of time. */
export interface PodTrace {
  readonly podUid: string;
  readonly steps: readonly TraceStep[];
}

/** The running agent's answers on its admin socket. The caller receives a rejection as a failure of the agent. */
export interface AdminBackend {
  /** Returns every pod of this node with its status, in any order. */
  pods(): Promise<readonly Pod[]>;
  threads(): Promise<readonly ThreadFigures[]>;
  /** Prometheus text. */
  metrics(): Promise<string>;
  runtime(): Promise<RuntimeInfo>;
  /** `undefined` when there is no such pod here. */
  trace(namespace: string, name: string): Promise<PodTrace | undefined>;
  /** Applies a fault plan, written in YAML or JSON. A plan with a problem is rejected whole. */
  applyFaults(plan: string): Promise<Applied>;
  listFaults(): Promise<readonly AppliedPlan[]>;
  /** Removes one plan, or all. Resolves with the number of removed plans. */
  clearFaults(id: number | undefined): Promise<number>;
  /**
   * Makes the actor throw. `pod-worker/namespace/name` is an address too. Resolves to `false` when there is no such
   * actor.
   */
  crashActor(address: string): Promise<boolean>;
  /** Makes the thread fail. Resolves to `false` when there is no such thread. */
  provokeThread(name: string, how: Provocation): Promise<boolean>;
}
