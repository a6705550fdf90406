import type { Provocation, ThreadFigures } from '../../actor/threads/thread-control.ts';
import type { TraceStep } from '../../actor/insight/trace-store.ts';
import type { AppliedPlan, Applied } from '../../faults/fault-board.ts';
import type { Pod } from '../../kube/pod.ts';

/** The container runtime as the agent knows it. */
export interface RuntimeInfo {
  readonly name: string;
  readonly version: string;
  /** In one word for people, such as `up` or `down`. */
  readonly state: string;
}

/** What has been said about one pod lately, by all threads, in order of time. */
export interface PodTrace {
  readonly podUid: string;
  readonly steps: readonly TraceStep[];
}

/** What the running agent answers on its admin socket. A rejection is told to the caller as a failure of the agent. */
export interface AdminBackend {
  /** Every pod that this node has, with its status; in any order. */
  pods(): Promise<readonly Pod[]>;
  threads(): Promise<readonly ThreadFigures[]>;
  /** Prometheus text. */
  metrics(): Promise<string>;
  runtime(): Promise<RuntimeInfo>;
  /** Undefined: there is no such pod here. */
  trace(namespace: string, name: string): Promise<PodTrace | undefined>;
  /** Applies a fault plan, written in YAML or JSON; nothing of it when anything is wrong with it. */
  applyFaults(plan: string): Promise<Applied>;
  listFaults(): Promise<readonly AppliedPlan[]>;
  /** Takes back one plan, or all. Resolves with how many there were. */
  clearFaults(id: number | undefined): Promise<number>;
  /** Makes the actor throw; `pod-worker/namespace/name` is an address too. False if there is none with that address. */
  crashActor(address: string): Promise<boolean>;
  /** Makes the thread fail. False if there is none of that name. */
  provokeThread(name: string, how: Provocation): Promise<boolean>;
}
