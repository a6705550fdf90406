import type { MonotonicMs } from '../../../src/actor/clock.ts';
import type { CriCallOptions } from '../../../src/cri/client.ts';
import type { PodSandboxConfig } from '../../../src/cri/gen/api.ts';
import type { SandboxId } from '../../../src/kube/ids.ts';
import type { UserNamespaceIds } from '../../../src/pod/cri-config/namespaces.ts';
import type { FailedPull } from '../../../src/pod/image/image-pull-decision.ts';
import type { RuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';

/** The sandbox that containers start in, and other facts about it. */
export interface SandboxPlace {
  readonly runtime: RuntimePodStatus;
  readonly sandboxId: SandboxId;
  readonly sandbox: PodSandboxConfig;
  readonly podIps: readonly string[];
  /** Present for a pod with its own user namespace. */
  readonly userIds: UserNamespaceIds | undefined;
  /** Monotonic instant of `runtime`. `undefined` when unknown. */
  readonly observedAt: MonotonicMs | undefined;
}

/** Where a container starts, and what the earlier steps of the attempt left for it. */
export interface StartPlace extends SandboxPlace {
  /** By name, the paths of volumes whose path does not follow from the pod alone. */
  readonly volumePaths: Readonly<Record<string, string>>;
  /** By `pullBackOffKey`. */
  readonly failedPulls: ReadonlyMap<string, FailedPull>;
}

/**
 * Options of a call that creates something. `observedAt`: monotonic instant of the runtime state that was decided from.
 */
export const creationOptions = (podUid: string, observedAt: MonotonicMs | undefined): CriCallOptions => ({
  podUid,
  ...(observedAt === undefined ? {} : { observedAt }),
});
