import type { ResourceList } from '../../kube/pod.ts';

/** The features of a runtime handler (CRI `RuntimeHandlerFeatures`). */
export interface RuntimeHandlerFacts {
  readonly recursiveReadOnlyMounts: boolean;
  readonly userNamespaces: boolean;
}

/** Feature gate `MemoryQoS`, on hosts with cgroup v2 (KEP-2570). */
export interface MemoryQosFacts {
  /** The share of the range between request and limit at which a container is throttled; `undefined` for never. */
  readonly throttlingFactor: number | undefined;
  /** `memoryReservationPolicy: TieredReservation`: the kernel protects the requested memory. */
  readonly reserves: boolean;
}

export interface SwapFacts {
  /** Says whether the kernel counts swap per cgroup. */
  readonly controller: 'available' | 'absent';
  readonly behavior: 'NoSwap' | 'LimitedSwap';
  readonly capacityBytes: bigint;
}

/**
 * The facts of a node that sandbox and container configurations need. They are read once and replaced as a whole on a
 * change: values computed per pod are kept while this object is the same.
 */
export interface NodeFacts {
  readonly nodeName: string;
  /** `--node-ip`: the chosen addresses or the preferred family. Empty when neither is given. */
  readonly nodeIps: readonly string[];
  readonly rootDir: string;
  readonly podLogsDir: string;
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  /** The content of the host's resolver file; `undefined` when the configuration disables it. */
  readonly resolvConf: string | undefined;
  /** The host's resolver file, which may change while the agent runs. Absent when it does not. */
  readonly resolvConfPath?: string;
  readonly cgroupDriver: 'cgroupfs' | 'systemd';
  /** The cgroup below which all pods live, in cgroupfs form. */
  readonly cgroupRoot: string;
  readonly cgroupsPerQos: boolean;
  /** `true` if this agent manages the cgroups of pods and QoS classes. When absent, it does not. */
  readonly managesCgroups?: boolean;
  readonly cgroupVersion: 1 | 2;
  readonly cpuCfsQuota: boolean;
  readonly cpuCfsQuotaPeriodMicroseconds: bigint;
  /** `podPidsLimit`: the maximum number of processes of a pod. When absent, the node's limit applies. */
  readonly podPidsLimit?: bigint;
  /**
   * `true` if the kernel kills a single process of a container that is out of memory, not the whole container (cgroup
   * v2).
   */
  readonly singleProcessOOMKill: boolean;
  readonly memoryCapacityBytes: bigint;
  readonly allocatable: ResourceList;
  readonly swap: SwapFacts;
  /** Absent when the feature is off. */
  readonly memoryQos?: MemoryQosFacts;
  /** The sizes the kernel offers, in bytes. */
  readonly hugePageSizes: readonly bigint[];
  readonly seccompDefault: boolean;
  /** `true` if the kernel enforces or reports by SELinux labels. Absent when the kernel has no SELinux. */
  readonly seLinux?: boolean;
  /** Feature gate `ContainerStopSignals`: a container may name the signal that stops it. */
  readonly containerStopSignals?: boolean;
  /** The `thermal_throttle` directories that exist on this host; containers must not see them. */
  readonly thermalThrottlePaths: readonly string[];
}
