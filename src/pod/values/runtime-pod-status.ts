import type { WallMs } from '../../actor/clock.ts';
import type { ContainerId, PodUid, SandboxId } from '../../kube/ids.ts';

/**
 * The runtime's state of one pod, as PLEG reports it. Plain data that crosses threads. Instants are milliseconds since
 * the epoch, 0 when the runtime gave none. Fractions keep the runtime's order below a millisecond.
 */
export interface RuntimePodStatus {
  readonly uid: PodUid;
  readonly name: string;
  readonly namespace: string;
  /** Newest first: by attempt, then by creation. */
  readonly sandboxes: readonly RuntimeSandbox[];
  /** Newest first. Every container of the pod that the runtime still lists, dead ones included. */
  readonly containers: readonly RuntimeContainer[];
  /** The pod's IPs; kept from an earlier observation while no sandbox is ready. */
  readonly ips: readonly string[];
}

export interface RuntimeSandbox {
  readonly id: SandboxId;
  readonly attempt: number;
  readonly state: 'ready' | 'not-ready';
  readonly createdAt: WallMs;
  /** `undefined` when the runtime gave no network status; empty when the status has no address. */
  readonly ip: string | undefined;
  readonly additionalIps: readonly string[];
  readonly hostNetwork: boolean;
}

export interface RuntimeContainer {
  readonly id: ContainerId;
  readonly name: string;
  readonly sandboxId: SandboxId | undefined;
  readonly attempt: number;
  readonly state: 'created' | 'running' | 'exited' | 'unknown';
  readonly createdAt: WallMs;
  readonly startedAt: WallMs;
  readonly finishedAt: WallMs;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  readonly image: string;
  /** The runtime's reference for the container's image (`image_ref`). */
  readonly imageRef: string;
  /** Absolute path of the log file, empty when the runtime reports none. Never act on an empty or relative one. */
  readonly logPath: string;
  /** `io.kubernetes.container.hash`: identifies the definition that the container was created from. */
  readonly hash: string;
  /** `io.kubernetes.container.restartCount`. */
  readonly restartCount: number;
  /** The container's annotations, by which a pod unknown to this agent can still be stopped properly. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** Returns the status of a pod of which the runtime holds nothing. */
export const emptyRuntimePodStatus = (pod: Pick<RuntimePodStatus, 'uid' | 'name' | 'namespace'>): RuntimePodStatus => ({
  uid: pod.uid,
  name: pod.name,
  namespace: pod.namespace,
  sandboxes: [],
  containers: [],
  ips: [],
});
