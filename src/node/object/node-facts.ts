import type { ResourceList } from '../../kube/pod.ts';

/** What a runtime handler can do (CRI `RuntimeHandlerFeatures`). */
export interface RuntimeHandlerFacts {
  readonly recursiveReadOnlyMounts: boolean;
  readonly userNamespaces: boolean;
}

/** Feature gate `MemoryQoS`, where the host has cgroup v2 (KEP-2570). */
export interface MemoryQosFacts {
  /** The share of what lies between request and limit at which a container is slowed down; undefined: never. */
  readonly throttlingFactor: number | undefined;
  /** `memoryReservationPolicy: TieredReservation`: the kernel keeps what was asked for. */
  readonly reserves: boolean;
}

export interface SwapFacts {
  /** Whether the kernel counts swap per cgroup. */
  readonly controller: 'available' | 'absent';
  readonly behavior: 'NoSwap' | 'LimitedSwap';
  readonly capacityBytes: bigint;
}

/**
 * What the configurations of sandboxes and containers need to know of the node. Read once, replaced as a whole when
 * something changes: what is computed per pod is kept for as long as this object is the same.
 */
export interface NodeFacts {
  readonly nodeName: string;
  /** The primary address first. */
  readonly hostIPs: readonly string[];
  readonly rootDir: string;
  readonly podLogsDir: string;
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  /** The content of the host's resolver file; `undefined` when the configuration says not to use one. */
  readonly resolvConf: string | undefined;
  readonly cgroupDriver: 'cgroupfs' | 'systemd';
  /** The cgroup below which all pods live, in cgroupfs form. */
  readonly cgroupRoot: string;
  readonly cgroupsPerQos: boolean;
  /** Whether this agent makes the cgroups of pods and of their classes; absent: it does not. */
  readonly managesCgroups?: boolean;
  readonly cgroupVersion: 1 | 2;
  readonly cpuCfsQuota: boolean;
  readonly cpuCfsQuotaPeriodMicroseconds: bigint;
  /** `podPidsLimit`: how many processes a pod may have; absent: as many as the node. */
  readonly podPidsLimit?: bigint;
  /** Whether the kernel kills one process of a container out of memory, and not the whole container (cgroup v2). */
  readonly singleProcessOOMKill: boolean;
  readonly memoryCapacityBytes: bigint;
  readonly allocatable: ResourceList;
  readonly swap: SwapFacts;
  /** Absent: the feature is off. */
  readonly memoryQos?: MemoryQosFacts;
  /** The sizes the kernel offers, in bytes. */
  readonly hugePageSizes: readonly bigint[];
  readonly seccompDefault: boolean;
  /** Whether the kernel enforces or reports by SELinux labels; absent: it has none. */
  readonly seLinux?: boolean;
  /** Feature gate `ContainerStopSignals`: a container may name the signal that stops it. */
  readonly containerStopSignals?: boolean;
  /** The `thermal_throttle` directories that exist on this host; containers must not see them. */
  readonly thermalThrottlePaths: readonly string[];
}
