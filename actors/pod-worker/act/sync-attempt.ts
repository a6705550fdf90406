import type { httpGet } from '../../../src/probing/http-get.ts';
import type { Clock } from '../../../src/actor/clock.ts';
import type { Cgroups } from '../../../src/cgroups/cgroups.ts';
import type { CriCallOptions, CriClient } from '../../../src/cri/client.ts';
import { isInDoubt, isNameReserved, type CriFault, type CriOutcome } from '../../../src/cri/fault.ts';
import type { ContainerId, SandboxId } from '../../../src/kube/ids.ts';
import type { Pod, ResourceRequirements } from '../../../src/kube/pod.ts';
import type { NodeFacts } from '../../../src/node/object/node-facts.ts';
import type { PodFiles } from '../../../src/host/pod-files.ts';
import type { FailedPull } from '../../../src/pod/image/image-pull-decision.ts';
import type { ObservedPod } from '../../pleg/protocol.ts';
import type { NodeImages } from '../../image-manager/client.ts';
import type { PodObjects } from '../../object-cache/client.ts';
import type { VolumeCalls } from '../../volume-manager/client.ts';
import type { PodWorkerMetrics } from '../metrics.ts';
import type { ActResult, ContainerFailure, Touched } from '../protocol.ts';
import { keepActuated } from './actuated-resources.ts';
import { NO_RESIZING } from '../decide/resizing.ts';
import type { PodEvent, Resizing } from '../worker-state.ts';

/** The interfaces that a pod worker's effects use. */
export interface PodWorkerTools {
  readonly cri: CriClient;
  readonly files: PodFiles;
  /**
   * Resolves in an event-loop turn in which no other pod of the thread blocks for long. Absent when turns do not
   * matter.
   */
  readonly ownTurn?: () => Promise<void>;
  readonly cgroups: Cgroups;
  /** Reports the pod's weight in thousandths of a CPU among burstable pods, when its cgroup is created or removed. */
  readonly weighs: (burstableMilliCpu: bigint) => void;
  readonly node: NodeFacts;
  readonly clock: Clock;
  /** `runtimeRequestTimeout`. */
  readonly requestTimeoutMs: number;
  /** Folder of the links that old log collectors read. `undefined` when none are made. */
  readonly legacyLogsDir: string | undefined;
  /** The HTTP client for hooks; the network's when absent. */
  readonly httpGet?: typeof httpGet;
  readonly volumes: VolumeCalls;
  /** API objects that pods refer to; `undefined` in an agent without an API server. */
  readonly objects?: PodObjects | undefined;
  /** When absent, every pod may use every image on the node, and the node has no logins. */
  readonly images?: NodeImages | undefined;
  /** Asks PLEG to inspect these things now. */
  readonly observe: (touched: Touched) => Promise<CriOutcome<ObservedPod>>;
  readonly event: (event: PodEvent) => void;
  /** `undefined` when nothing is counted. */
  readonly metrics?: PodWorkerMetrics | undefined;
  /**
   * The preStop hooks this worker has begun, by container. A second stop with a shorter grace period waits for the same
   * hook.
   */
  readonly preStops: Map<ContainerId, Promise<void>>;
  /** The stop last requested from the runtime, by container. */
  readonly stops: Map<ContainerId, StopUnderWay>;
}

/** Instants are monotonic. */
export interface StopUnderWay {
  /** End of the grace period. */
  readonly deadline: number;
  /** `undefined` while the stop is under way. */
  endedAt: number | undefined;
  /** Resolves with the reason of a failure. */
  readonly failed: Promise<string | undefined>;
}

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
