import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { ContainerId, SandboxId } from '../../src/kube/ids.ts';
import type { RuntimeContainer, RuntimeSandbox } from '../../src/pod/values/runtime-pod-status.ts';
import type { RuntimePodName } from './protocol.ts';

/** The part of a list entry that decides whether the sandbox must be inspected. */
export interface ListedSandbox extends RuntimePodName {
  readonly id: SandboxId;
  readonly state: RuntimeSandbox['state'];
}

export interface ListedContainer extends RuntimePodName {
  readonly id: ContainerId;
  readonly sandboxId: SandboxId;
  readonly state: RuntimeContainer['state'];
}

/** The changes that a relist found: entries that differ from the previous lists, and entries in doubt. */
export interface ListDelta {
  /** Monotonic instant before the lists were requested. */
  readonly at: MonotonicMs;
  readonly sandboxes: readonly ListedSandbox[];
  readonly containers: readonly ListedContainer[];
  /** IDs that neither list holds. */
  readonly absent: readonly string[];
}
