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

/** What the effects of a pod worker stand on. */
export interface PodWorkerTools {
  readonly cri: CriClient;
  readonly files: PodFiles;
  /**
   * Resolves in a turn of the event loop in which no other pod of the thread does what may block it for long. Absent: nobody
   * minds.
   */
  readonly ownTurn?: () => Promise<void>;
  readonly cgroups: Cgroups;
  /** Says how many thousandths of a CPU the pod adds to the weight of burstable pods, now that it has a cgroup or has none. */
  readonly weighs: (burstableMilliCpu: bigint) => void;
  readonly node: NodeFacts;
  readonly clock: Clock;
  /** `runtimeRequestTimeout`. */
  readonly requestTimeoutMs: number;
  /** Folder of the links that log collectors of old read; undefined: none are made. */
  readonly legacyLogsDir: string | undefined;
  /** How a hook asks a server; over the network where nothing is given. */
  readonly httpGet?: typeof httpGet;
  readonly volumes: VolumeCalls;
  /** What pods refer to in the API; undefined in an agent without one. */
  readonly objects?: PodObjects | undefined;
  /** Absent: whatever is on the node may be used by all, and the node has no logins of its own. */
  readonly images?: NodeImages | undefined;
  /** Asks PLEG to look at these things now. */
  readonly observe: (touched: Touched) => Promise<CriOutcome<ObservedPod>>;
  readonly event: (event: PodEvent) => void;
  /** Undefined: nobody counts. */
  readonly metrics?: PodWorkerMetrics | undefined;
  /** By container, the preStop hooks this worker has begun: a second stop, with a shorter grace, waits for the same run. */
  readonly preStops: Map<ContainerId, Promise<void>>;
  /** By container, the stop that was asked of the runtime last. */
  readonly stops: Map<ContainerId, StopUnderWay>;
}

/** Instants are monotonic. */
export interface StopUnderWay {
  /** When the grace period is over. */
  readonly deadline: number;
  /** Undefined: it is under way. */
  endedAt: number | undefined;
  /** Why it could not be done. */
  readonly failed: Promise<string | undefined>;
}

/** One round of actions on a pod: gathers what was touched and what failed, and knows whether to go on. */
export class Round {
  readonly pod: Pod;
  readonly tools: PodWorkerTools;
  readonly #sandboxes: SandboxId[] = [];
  readonly #containers: (readonly [ContainerId, SandboxId | undefined])[] = [];
  readonly #tried = new Set<string>();
  readonly #failures = new Map<string, ContainerFailure>();
  readonly failedPulls: Map<string, FailedPull>;
  /** By container name: the least restart count that its next instance may have. */
  leastRestarts: ReadonlyMap<string, number> = new Map();
  /** Monotonic instant: what is decided is decided on what the runtime held then. Undefined: nobody knows. */
  lookedAt: number | undefined = undefined;
  /** By name: where those volumes are whose place does not follow from the pod alone. */
  volumePaths: Readonly<Record<string, string>> = {};
  /** The latest look at what the round has made. */
  seen: ObservedPod | undefined = undefined;
  readonly cancelled: Promise<'cancelled'>;
  #cancel: () => void = () => {};
  #isCancelled = false;
  #podFailure: string | undefined;
  #resizeFailure: string | undefined;
  readonly #actuated = new Map<ContainerId, ResourceRequirements>();
  /** What containers had when the round began. */
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

  /** Of a call that makes something. */
  forCreation(podUid: string): CriCallOptions {
    return { podUid, ...(this.lookedAt === undefined ? {} : { lookedAt: this.lookedAt }) };
  }

  /** The pod is going away: nothing further is begun. */
  cancel(): void {
    this.#isCancelled = true;
    this.#cancel();
  }

  /** False: nothing more may be begun in this round. */
  get goesOn(): boolean {
    return !this.#isCancelled && !this.#inDoubt && !this.#heldUp && this.#podFailure === undefined;
  }

  touchSandbox(id: SandboxId): void {
    this.#sandboxes.push(id);
  }

  touchContainer(id: ContainerId, sandbox: SandboxId | undefined): void {
    this.#containers.push([id, sandbox]);
  }

  /** The round comes to this container. */
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

  /** What else the round has to do does not depend on that. */
  resizeFailed(message: string): void {
    this.#resizeFailure = message;
  }

  /** A container has these resources from now on. Of a pod that was ever resized that is kept, for who takes over. */
  actuates(id: ContainerId, resources: ResourceRequirements): void {
    this.#actuated.set(id, resources);
    const { original, actuated } = this.resizing;
    if (original !== undefined) keepActuated(this.tools, this.pod, new Map([...actuated, ...this.#actuated]));
  }

  /** It is not known what comes of a call: the runtime must be looked at. */
  doubts(): void {
    this.#inDoubt = true;
  }

  /**
   * Whether a call for a container was never handed to the runtime. Then the round is over, which has not failed: the
   * container is shown as waiting still, and its turn of the back-off is not used up.
   */
  isHeldUp(name: string, { code, detail }: CriFault): boolean {
    if (code !== 'NOT_MADE') return false;
    this.#heldUp = true;
    this.#tried.delete(name);
    this.containerFailed(name, { reason: 'ContainerCreating', message: detail, until: undefined });
    return true;
  }

  /** A call failed. True: it is not known what came of it, and the round is over; the runtime must be looked at. */
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
