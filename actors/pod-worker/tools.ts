import type { Clock, MonotonicMs } from '../../src/actor/clock.ts';
import type { Cgroups } from '../../src/cgroups/cgroups.ts';
import type { CriClient } from '../../src/cri/client.ts';
import type { CriOutcome } from '../../src/cri/fault.ts';
import type { PodFiles } from '../../src/host/pod-files.ts';
import type { ContainerId } from '../../src/kube/ids.ts';
import type { NodeFacts } from '../../src/node/object/node-facts.ts';
import type { httpGet } from '../../src/probing/http-get.ts';
import type { NodeImages } from '../image-manager/client.ts';
import type { PodObjects } from '../object-cache/client.ts';
import type { ObservedPod } from '../pleg/protocol.ts';
import type { VolumeCalls } from '../volume-manager/client.ts';
import type { PodWorkerMetrics } from './metrics.ts';
import type { Touched } from './protocol.ts';
import type { PodEvent } from './worker-state.ts';

/** The container runtime. */
export interface RuntimeTools {
  readonly cri: CriClient;
  /** `runtimeRequestTimeout`. */
  readonly requestTimeoutMs: number;
}

/** Files and cgroups of pods on the host. */
export interface HostTools {
  readonly files: PodFiles;
  readonly cgroups: Cgroups;
  /**
   * Resolves in an event-loop turn in which no other pod of the thread blocks for long. Absent when turns do not
   * matter.
   */
  readonly ownTurn?: () => Promise<void>;
  /** Folder of the links that old log collectors read. `undefined` when none are made. */
  readonly legacyLogsDir: string | undefined;
}

/** The inputs of a new worker. */
export interface NodeTools {
  readonly node: NodeFacts;
  readonly clock: Clock;
  readonly runtime: RuntimeTools;
  readonly host: HostTools;
  readonly volumes: VolumeCalls;
  /** When absent, every pod may use every image on the node, and the node has no logins. */
  readonly images?: NodeImages | undefined;
  /** API objects that pods refer to; `undefined` in an agent without an API server. */
  readonly objects?: PodObjects | undefined;
  /** The HTTP client for hooks; the network's when absent. */
  readonly httpGet?: typeof httpGet;
}

/** Reports of effects that are under way. */
export interface ReportTools {
  readonly event: (event: PodEvent) => void;
  /** `undefined` when nothing is counted. */
  readonly metrics?: PodWorkerMetrics | undefined;
  /** Reports the pod's weight in thousandths of a CPU among burstable pods, when its cgroup is created or removed. */
  readonly podWeight: (burstableMilliCpu: bigint) => void;
}

/** Stops of this worker that a later stop of the same container must know. */
export interface StopRecords {
  /**
   * The preStop hooks this worker has begun, by container. A second stop with a shorter grace period waits for the same
   * hook.
   */
  readonly preStopHooks: Map<ContainerId, PreStopRun>;
  /** The stop last requested from the runtime, by container. */
  readonly containers: Map<ContainerId, PendingStop>;
}

export interface PreStopRun {
  readonly ended: Promise<'failed' | 'done'>;
  /** A hook fails once: when its time is up, or by itself, and not again when its command dies with the container. */
  isFailureReported: boolean;
}

/** Instants are monotonic. */
export interface PendingStop {
  /** End of the grace period. */
  readonly deadline: MonotonicMs;
  /** `undefined` while the stop is under way. */
  endedAt: MonotonicMs | undefined;
  /** Resolves with the reason of a failure. */
  readonly failed: Promise<string | undefined>;
}

/** The interfaces that a pod worker's effects use. */
export interface PodWorkerTools extends NodeTools {
  /** Asks PLEG to inspect these things now. */
  readonly observe: (touched: Touched) => Promise<CriOutcome<ObservedPod>>;
  readonly reports: ReportTools;
  /** The addresses of this node, as of now. */
  readonly hostIps: () => readonly string[];
  /** The addresses that a pod on the host's network has, as of now. */
  readonly hostNetworkIps: () => readonly string[];
  readonly stops: StopRecords;
}
