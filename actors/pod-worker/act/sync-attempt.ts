import type { MonotonicMs } from '../../../src/actor/clock.ts';
import type { ContainerId } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import type { PodActions } from '../../../src/pod/sync/pod-actions.ts';
import type { RuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';
import type { ObservedPod } from '../../pleg/protocol.ts';
import type { PodWorkerTools } from '../tools.ts';
import type { PodMemory, Resizing } from '../worker-state.ts';
import { ActuatedRecord } from './actuated-resources.ts';
import { CANCELLED, type Step } from '../decide/step-result.ts';

/** The actions decided for a pod, and what they were decided from. */
export interface DecidedActions {
  readonly pod: Pod;
  readonly runtime: RuntimePodStatus;
  readonly actions: PodActions;
  readonly memory: Pick<PodMemory, 'failedPulls' | 'failures'>;
  /** The container whose postStart hook runs again, before anything else is started. */
  readonly unfinishedHook: ContainerId | undefined;
  /** By container name: the least restart count of its next instance. */
  readonly restarts: ReadonlyMap<string, number>;
  /** Monotonic instant of `runtime`. `undefined` when unknown. */
  readonly observedAt: MonotonicMs | undefined;
  /** The containers' resources before the attempt. */
  readonly resizing: Pick<Resizing, 'original' | 'actuated'>;
}

/**
 * One attempt to sync a pod: its decided actions, the tools for them, and whether the pod is being removed meanwhile.
 */
export class SyncAttempt {
  readonly decided: DecidedActions;
  readonly tools: PodWorkerTools;
  /** Reports the pod's status so far, while the attempt continues. */
  readonly progress: (observed: ObservedPod) => void;
  readonly actuated: ActuatedRecord;
  /** Resolves when the pod is being removed. */
  readonly cancelled: Promise<'cancelled'>;
  readonly #cancelled = Promise.withResolvers<'cancelled'>();
  #isCancelled = false;

  constructor(decided: DecidedActions, tools: PodWorkerTools, progress: (observed: ObservedPod) => void) {
    this.decided = decided;
    this.tools = tools;
    this.progress = progress;
    this.actuated = new ActuatedRecord(decided, tools);
    this.cancelled = this.#cancelled.promise;
  }

  get pod(): Pod {
    return this.decided.pod;
  }

  /** The pod is being removed: nothing further begins. */
  cancel(): void {
    this.#isCancelled = true;
    this.#cancelled.resolve('cancelled');
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Returns the step, unless the pod is being removed and nothing may follow. A failed step stays as it is. */
  unlessCancelled<T>(step: Step<T>): Step<T> {
    return step.ok && this.#isCancelled ? CANCELLED : step;
  }
}
