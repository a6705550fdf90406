import type { CriCallOptions } from '../../../src/cri/client.ts';
import { isInDoubt, isNameReserved, type CriFault } from '../../../src/cri/fault.ts';
import type { ContainerId, SandboxId } from '../../../src/kube/ids.ts';
import type { Pod, ResourceRequirements } from '../../../src/kube/pod.ts';
import type { FailedPull } from '../../../src/pod/image/image-pull-decision.ts';
import type { ObservedPod } from '../../pleg/protocol.ts';
import type { ActResult, ContainerFailure } from '../protocol.ts';
import { keepActuated } from './actuated-resources.ts';
import { NO_RESIZING } from '../decide/resizing.ts';
import type { PodWorkerTools } from '../tools.ts';
import type { Resizing } from '../worker-state.ts';

/** One round of actions on a pod: collects what was touched and what failed, and decides whether to continue. */
export class Round {
  readonly pod: Pod;
  readonly tools: PodWorkerTools;
  readonly #sandboxes: SandboxId[] = [];
  readonly #containers: (readonly [ContainerId, SandboxId | undefined])[] = [];
  readonly #tried = new Set<string>();
  readonly #failures = new Map<string, ContainerFailure>();
  readonly failedPulls: Map<string, FailedPull>;
  /** By container name: the least restart count of its next instance. */
  leastRestarts: ReadonlyMap<string, number> = new Map();
  /** Monotonic instant of the runtime state behind the decisions. `undefined` when unknown. */
  lookedAt: number | undefined = undefined;
  /** By name, the paths of volumes whose path does not follow from the pod alone. */
  volumePaths: Readonly<Record<string, string>> = {};
  /** The latest status of what the round has created. */
  seen: ObservedPod | undefined = undefined;
  readonly cancelled: Promise<'cancelled'>;
  #cancel: () => void = () => {};
  #isCancelled = false;
  #podFailure: string | undefined;
  #resizeFailure: string | undefined;
  readonly #actuated = new Map<ContainerId, ResourceRequirements>();
  /** The containers' resources when the round began. */
  resizing: Pick<Resizing, 'original' | 'actuated'> = NO_RESIZING;
  #inDoubt = false;
  #heldUp = false;
  #madeSandbox = false;

  constructor(pod: Pod, tools: PodWorkerTools, failedPulls: ReadonlyMap<string, FailedPull>) {
    this.pod = pod;
    this.tools = tools;
    this.failedPulls = new Map(failedPulls);
    this.cancelled = new Promise((resolve) => (this.#cancel = () => resolve('cancelled')));
  }

  /** Options of a call that creates something. */
  forCreation(podUid: string): CriCallOptions {
    return { podUid, ...(this.lookedAt === undefined ? {} : { lookedAt: this.lookedAt }) };
  }

  /** The pod is being removed: nothing further begins. */
  cancel(): void {
    this.#isCancelled = true;
    this.#cancel();
  }

  /** `false` when the round may begin nothing more. */
  get goesOn(): boolean {
    return !this.#isCancelled && !this.#inDoubt && !this.#heldUp && this.#podFailure === undefined;
  }

  touchSandbox(id: SandboxId): void {
    this.#sandboxes.push(id);
  }

  touchContainer(id: ContainerId, sandbox: SandboxId | undefined): void {
    this.#containers.push([id, sandbox]);
  }

  /** Records that the round has reached this container. */
  tries(name: string): void {
    this.#tried.add(name);
  }

  containerFailed(name: string, failure: ContainerFailure): void {
    this.#failures.set(name, failure);
  }

  hasFailed(name: string): boolean {
    return this.#failures.has(name);
  }

  makesSandbox(): void {
    this.#madeSandbox = true;
  }

  podFailed(message: string): void {
    this.#podFailure = message;
  }

  /** Records why a resize failed. The rest of the round does not depend on it. */
  resizeFailed(message: string): void {
    this.#resizeFailure = message;
  }

  /**
   * Records the resources that a container has from now on. For a pod that was ever resized they are saved for a later
   * incarnation.
   */
  actuates(id: ContainerId, resources: ResourceRequirements): void {
    this.#actuated.set(id, resources);
    const { original, actuated } = this.resizing;
    if (original !== undefined) keepActuated(this.tools, this.pod, new Map([...actuated, ...this.#actuated]));
  }

  /** The result of a call is unknown: the runtime must be inspected. */
  doubts(): void {
    this.#inDoubt = true;
  }

  /**
   * Returns `true` if a call for a container was never handed to the runtime. The round then ends without a failure:
   * the container shows as waiting, and its back-off does not advance.
   */
  isHeldUp(name: string, { code, detail }: CriFault): boolean {
    if (code !== 'NOT_MADE') return false;
    this.#heldUp = true;
    this.#tried.delete(name);
    this.containerFailed(name, { reason: 'ContainerCreating', message: detail, until: undefined });
    return true;
  }

  /**
   * Handles a failed call. Returns `true` if its result is unknown: the round ends, and the runtime must be inspected.
   */
  leavesDoubt(fault: CriFault): boolean {
    if (isInDoubt(fault) || isNameReserved(fault)) this.#inDoubt = true;
    return this.#inDoubt;
  }

  result(): ActResult {
    return {
      touched: { sandboxes: this.#sandboxes, containers: this.#containers },
      tried: this.#tried,
      failures: this.#failures,
      failedPulls: this.failedPulls,
      podFailure: this.#podFailure,
      madeSandbox: this.#madeSandbox,
      inDoubt: this.#inDoubt,
      seen: this.seen,
      actuated: this.#actuated,
      resizeFailure: this.#resizeFailure,
    };
  }
}
