import type { ContainerId, SandboxId } from '../../kube/ids.ts';

/** What one sync of a pod is to do, as data. Indices point into the list of the pod's spec that the member names. */
export interface PodActions {
  /** Stop every container and every sandbox first. The lists below hold for what comes after. */
  readonly killPod: boolean;
  readonly createSandbox: boolean;
  /** Attempt of the sandbox to create, or of the present one. */
  readonly attempt: number;
  /** The sandbox that stays, or the one that is replaced; `undefined` when there is none to speak of. */
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
  /** The pod is given other resources as a whole (KEP-5419). */
  readonly resizesPod?: boolean;
  /** Containers to stop and remove, logs kept, so that the pod starts anew in the same sandbox (KEP-5532). In this order. */
  readonly containersToReset: readonly ContainerToReset[];
}

export interface ContainerToKill {
  readonly id: ContainerId;
  readonly name: string;
  readonly reason: KillReason;
  /** Text of the `Killing` event. */
  readonly message: string;
}

/** A probe's reason brings the probe's own grace period into play. */
export type KillReason = 'liveness-probe' | 'startup-probe' | 'unknown-state' | 'definition-changed' | 'resize';

export interface ContainerToReset {
  readonly id: ContainerId;
  readonly name: string;
  /** Exited ones only need to be removed. */
  readonly stopFirst: boolean;
}

/** Nothing to kill, create, start, resize or reset. */
export const isIdle = (actions: PodActions): boolean =>
  !actions.killPod &&
  !actions.createSandbox &&
  actions.initContainersToStart.length === 0 &&
  actions.containersToStart.length === 0 &&
  actions.ephemeralContainersToStart.length === 0 &&
  actions.containersToKill.length === 0 &&
  actions.containersToResize.length === 0 &&
  actions.resizesPod !== true &&
  actions.containersToReset.length === 0;
