import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { ContainerId, SandboxId } from '../../src/kube/ids.ts';
import type { RuntimeContainer, RuntimeSandbox } from '../../src/pod/values/runtime-pod-status.ts';
import type { RuntimePodName } from './protocol.ts';

/** A list entry, as far as it tells whether a closer look is needed. */
export interface ListedSandbox extends RuntimePodName {
  readonly id: SandboxId;
  readonly state: RuntimeSandbox['state'];
}

export interface ListedContainer extends RuntimePodName {
  readonly id: ContainerId;
  readonly sandboxId: SandboxId;
  readonly state: RuntimeContainer['state'];
}

/** What a relist tells of the things that have to be compared: those it says something new of, and those in doubt. */
export interface ListDelta {
  /** Monotonic instant before the lists were asked for. */
  readonly at: MonotonicMs;
  readonly sandboxes: readonly ListedSandbox[];
  readonly containers: readonly ListedContainer[];
  /** IDs that neither list holds. */
  readonly absent: readonly string[];
}
