import type { ContainerId, SandboxId } from '../../kube/ids.ts';

/** The actions of one sync of a pod, as data. Indices point into the list of the pod's spec that the member names. */
export interface PodActions {
  /** Stop every container and every sandbox first. The lists below apply after that. */
  readonly killPod: boolean;
  readonly createSandbox: boolean;
  /** Attempt of the sandbox to create, or of the present one. */
  readonly attempt: number;
  /** The sandbox that stays or is replaced; `undefined` when there is none. */
  readonly sandboxId: SandboxId | undefined;
  /** Into `spec.initContainers`, ascending. */
  readonly initContainersToStart: readonly number[];
  /** Into `spec.containers`, ascending. */
  readonly containersToStart: readonly number[];
  /** Into `spec.ephemeralContainers`, ascending. */
  readonly ephemeralContainersToStart: readonly number[];
  readonly containersToKill: readonly ContainerToKill[];
  /** Running containers whose resources are changed in place (KEP-1287). */
  readonly containersToResize: readonly ContainerId[];
  /** `true` if the resources of the pod as a whole change (KEP-5419). */
  readonly resizesPod?: boolean;
  /** `true` if an earlier resize ended half-way: the pod's cgroup may still differ from the allocated resources. */
  readonly finishesResize?: boolean;
  /**
   * Containers to stop and remove, in this order, with their logs kept: the pod restarts in the same sandbox
   * (KEP-5532).
   */
  readonly containersToReset: readonly ContainerToReset[];
}

export interface ContainerToKill {
  readonly id: ContainerId;
  readonly name: string;
  readonly reason: KillReason;
  /** Text of the `Killing` event. */
  readonly message: string;
}

/** A probe's reason brings in the probe's own grace period. */
export type KillReason = 'liveness-probe' | 'startup-probe' | 'unknown-state' | 'definition-changed' | 'resize';

export interface ContainerToReset {
  readonly id: ContainerId;
  readonly name: string;
  /** `false` for exited containers, which only need to be removed. */
  readonly stopFirst: boolean;
}

/** `true` if there is nothing to kill, create, start, resize or reset. */
export const isIdle = (actions: PodActions): boolean =>
  !actions.killPod &&
  !actions.createSandbox &&
  actions.initContainersToStart.length === 0 &&
  actions.containersToStart.length === 0 &&
  actions.ephemeralContainersToStart.length === 0 &&
  actions.containersToKill.length === 0 &&
  actions.containersToResize.length === 0 &&
  actions.resizesPod !== true &&
  actions.finishesResize !== true &&
  actions.containersToReset.length === 0;
