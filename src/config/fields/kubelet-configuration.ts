import type {
  CrashLoopBackOffConfig,
  KubeletAuthentication,
  KubeletAuthorization,
  LoggingConfiguration,
  MemoryReservation,
  MemorySwapConfiguration,
  ShutdownGracePeriodByPodPriority,
  Taint,
  TracingConfiguration,
  UserNamespaces,
} from './kubelet-configuration-structs.ts';

/**
 * KubeletConfiguration (kubelet.config.k8s.io/v1beta1) with every field filled in. Names are those of Kubernetes. Durations
 * are milliseconds, whatever the name says. `null` stands for a pointer that is nil and has no default.
 */
export interface KubeletConfiguration {
  /** Serve the node API. */
  readonly enableServer: boolean;
  /** Folder (or file) of static pod manifests. */
  readonly staticPodPath: string;
  /** Folder of the pod logs. */
  readonly podLogsDir: string;
  /** Longest time between two syncs of a pod. */
  readonly syncFrequency: number;
  /** How often static pod files are read again. */
  readonly fileCheckFrequency: number;
  /** How often the static pod URL is read again. */
  readonly httpCheckFrequency: number;
  /** URL of static pod manifests. */
  readonly staticPodURL: string;
  /** Headers sent to the static pod URL. */
  readonly staticPodURLHeader: Readonly<Record<string, readonly string[]>>;
  /** IP address the node API listens on. */
  readonly address: string;
  /** Port of the node API. */
  readonly port: number;
  /** Port of the open read-only API; 0 is off. */
  readonly readOnlyPort: number;
  /** Serving certificate. */
  readonly tlsCertFile: string;
  /** Key of the serving certificate. */
  readonly tlsPrivateKeyFile: string;
  /** Allowed cipher suites; none is the default set. */
  readonly tlsCipherSuites: readonly string[];
  /** Allowed key exchange curves, by TLS number. */
  readonly tlsCurvePreferences: readonly number[];
  /** Lowest TLS version. */
  readonly tlsMinVersion: string;
  /** Renew the client certificate before it expires. */
  readonly rotateCertificates: boolean;
  /** Ask the API server for the serving certificate. */
  readonly serverTLSBootstrap: boolean;
  /** Who a request comes from. */
  readonly authentication: KubeletAuthentication;
  /** What a request may do. */
  readonly authorization: KubeletAuthorization;
  /** Events sent a second. */
  readonly eventRecordQPS: number;
  /** Events sent at once. */
  readonly eventBurst: number;
  /** Serve logs, exec, attach and port-forward. */
  readonly enableDebuggingHandlers: boolean;
  /** Profile lock contention. */
  readonly enableContentionProfiling: boolean;
  /** Port of the health check; 0 is off. */
  readonly healthzPort: number;
  /** IP address of the health check. */
  readonly healthzBindAddress: string;
  /** Idle time after which exec and attach end. */
  readonly streamingConnectionIdleTimeout: number;
  /** Encoding of API server requests. */
  readonly contentType: string;
  /** API server requests a second. */
  readonly kubeAPIQPS: number;
  /** API server requests at once. */
  readonly kubeAPIBurst: number;
  /** How changes of config maps and secrets are seen. */
  readonly configMapAndSecretChangeDetectionStrategy: string;
  /** Show metrics hidden since this version. */
  readonly showHiddenMetricsForVersion: string;
  /** The log of the agent. */
  readonly logging: LoggingConfiguration;
  /** Serve /logs. */
  readonly enableSystemLogHandler: boolean;
  /** Serve queries of the system log. */
  readonly enableSystemLogQuery: boolean | null;
  /** Serve /debug/pprof. */
  readonly enableProfilingHandler: boolean;
  /** Serve /debug/flags. */
  readonly enableDebugFlagsHandler: boolean;
  /** OpenTelemetry traces. */
  readonly tracing: TracingConfiguration | null;
  /** OOM score adjustment of the agent. */
  readonly oomScoreAdj: number;
  /** How often the node status is computed. */
  readonly nodeStatusUpdateFrequency: number;
  /** How often an unchanged node status is sent. */
  readonly nodeStatusReportFrequency: number;
  /** Seconds the node lease lasts. */
  readonly nodeLeaseDurationSeconds: number;
  /** How often volume usage is measured; negative is never. */
  readonly volumeStatsAggPeriod: number;
  /** Cgroup of the agent. */
  readonly kubeletCgroups: string;
  /** Cgroup of other processes; needs cgroupRoot. */
  readonly systemCgroups: string;
  /** Cgroup above those of the pods. */
  readonly cgroupRoot: string;
  /** A cgroup for each QoS class and pod. */
  readonly cgroupsPerQOS: boolean;
  /** Who manages cgroups. */
  readonly cgroupDriver: string;
  /** Exclusive CPUs. */
  readonly cpuManagerPolicy: string;
  /** Details of the CPU manager policy. */
  readonly cpuManagerPolicyOptions: Readonly<Record<string, string>>;
  /** How often CPU sets are reconciled. */
  readonly cpuManagerReconcilePeriod: number;
  /** Memory pinned to NUMA nodes. */
  readonly memoryManagerPolicy: string;
  /** Alignment of resources to NUMA nodes. */
  readonly topologyManagerPolicy: string;
  /** What is aligned as one. */
  readonly topologyManagerScope: string;
  /** Details of the topology manager policy. */
  readonly topologyManagerPolicyOptions: Readonly<Record<string, string>>;
  /** Share of requests kept from lower QoS classes. */
  readonly qosReserved: Readonly<Record<string, string>>;
  /** OOM kills one process; unset is true on cgroup v1 only. */
  readonly singleProcessOOMKill: boolean | null;
  /** Pod addresses of a standalone node. */
  readonly podCIDR: string;
  /** Open files of the agent. */
  readonly maxOpenFiles: number;
  /** Images listed in the node status; -1 is all. */
  readonly nodeStatusMaxImages: number;
  /** The control plane attaches volumes. */
  readonly enableControllerAttachDetach: boolean;
  /** Fail when kernel settings differ, rather than set them. */
  readonly protectKernelDefaults: boolean;
  /** Keep the iptables chains other software looks for. */
  readonly makeIPTablesUtilChains: boolean;
  /** No longer used. */
  readonly iptablesMasqueradeBit: number;
  /** No longer used. */
  readonly iptablesDropBit: number;
  /** Features switched on or off. */
  readonly featureGates: Readonly<Record<string, boolean>>;
  /** Refuse to start on a host with swap. */
  readonly failSwapOn: boolean;
  /** Swap for containers. */
  readonly memorySwap: MemorySwapConfiguration;
  /** Resources kept for the system. */
  readonly systemReserved: Readonly<Record<string, string>>;
  /** Resources kept for Kubernetes. */
  readonly kubeReserved: Readonly<Record<string, string>>;
  /** CPUs kept for the system, as 0-3,8. */
  readonly reservedSystemCPUs: string;
  /** Cgroup held to systemReserved. */
  readonly systemReservedCgroup: string;
  /** Cgroup held to kubeReserved. */
  readonly kubeReservedCgroup: string;
  /** Which reservations cgroups enforce. */
  readonly enforceNodeAllocatable: readonly string[];
  /** Memory reserved by NUMA node. */
  readonly reservedMemory: readonly MemoryReservation[];
  /** Folder of exec volume plugins. */
  readonly volumePluginDir: string;
  /** The machine as the cloud names it. */
  readonly providerID: string;
  /** Let the kernel tell of memory thresholds. */
  readonly kernelMemcgNotification: boolean;
  /** Time pods get at node shutdown. */
  readonly shutdownGracePeriod: number;
  /** Part of it kept for critical pods. */
  readonly shutdownGracePeriodCriticalPods: number;
  /** Time at node shutdown by pod priority. */
  readonly shutdownGracePeriodByPodPriority: readonly ShutdownGracePeriodByPodPriority[];
  /** Taints of the node when it registers. */
  readonly registerWithTaints: readonly Taint[];
  /** Register with the API server. */
  readonly registerNode: boolean;
  /** Account for ephemeral storage. */
  readonly localStorageCapacityIsolation: boolean;
  /** Refuse to start on cgroup v1. */
  readonly failCgroupV1: boolean;
  /** Image pulls started a second; 0 is no limit. */
  readonly registryPullQPS: number;
  /** Image pulls started at once. */
  readonly registryBurst: number;
  /** When a pod must prove its right to an image on disk. */
  readonly imagePullCredentialsVerificationPolicy: string;
  /** Images anyone may use, with NeverVerifyAllowlistedImages. */
  readonly preloadedImagesVerificationAllowlist: readonly string[];
  /** DNS domain of the cluster. */
  readonly clusterDomain: string;
  /** IP addresses of the cluster DNS. */
  readonly clusterDNS: readonly string[];
  /** Age below which an unused image is kept. */
  readonly imageMinimumGCAge: number;
  /** Age above which an unused image goes; 0 is never. */
  readonly imageMaximumGCAge: number;
  /** Disk usage that starts image removal. */
  readonly imageGCHighThresholdPercent: number;
  /** Disk usage that image removal aims at. */
  readonly imageGCLowThresholdPercent: number;
  /** Deadline of runtime calls, but long ones. */
  readonly runtimeRequestTimeout: number;
  /** How a pod reaches itself through its service. */
  readonly hairpinMode: string;
  /** Pods this node may run. */
  readonly maxPods: number;
  /** Pods a core may run, below maxPods; 0 is no limit. */
  readonly podsPerCore: number;
  /** Processes a pod may have; negative is no limit. */
  readonly podPidsLimit: number;
  /** Resolver settings for pods; empty is none. */
  readonly resolvConf: string;
  /** No longer supported. */
  readonly runOnce: boolean;
  /** Enforce CPU limits. */
  readonly cpuCFSQuota: boolean;
  /** Period of the CPU quota. */
  readonly cpuCFSQuotaPeriod: number;
  /** Pull one image at a time. */
  readonly serializeImagePulls: boolean;
  /** Image pulls that may run together. */
  readonly maxParallelImagePulls: number | null;
  /** Thresholds that evict at once. */
  readonly evictionHard: Readonly<Record<string, string>>;
  /** Thresholds that evict after a grace period. */
  readonly evictionSoft: Readonly<Record<string, string>>;
  /** How long a soft threshold must be crossed. */
  readonly evictionSoftGracePeriod: Readonly<Record<string, string>>;
  /** How long a pressure condition outlasts the pressure. */
  readonly evictionPressureTransitionPeriod: number;
  /** Longest grace period, in seconds, at soft eviction. */
  readonly evictionMaxPodGracePeriod: number;
  /** Least amount an eviction must free. */
  readonly evictionMinimumReclaim: Readonly<Record<string, string>>;
  /** Keep default thresholds that evictionHard does not name. */
  readonly mergeDefaultEvictionSettings: boolean;
  /** Size at which a container log is rotated. */
  readonly containerLogMaxSize: string;
  /** Log files kept for a container. */
  readonly containerLogMaxFiles: number;
  /** Logs rotated at the same time. */
  readonly containerLogMaxWorkers: number;
  /** How often log sizes are looked at. */
  readonly containerLogMonitorInterval: number;
  /** Unsafe sysctls pods may set; a trailing * is a wildcard. */
  readonly allowedUnsafeSysctls: readonly string[];
  /** Waits between restarts of a failing container. */
  readonly crashLoopBackOff: CrashLoopBackOffConfig;
  /** RuntimeDefault for containers without a seccomp profile. */
  readonly seccompDefault: boolean;
  /** Share of the memory limit where throttling starts. */
  readonly memoryThrottlingFactor: number;
  /** Memory protection by QoS class. */
  readonly memoryReservationPolicy: string;
  /** Socket of the container runtime. */
  readonly containerRuntimeEndpoint: string;
  /** Socket of the image service; empty is that of the runtime. */
  readonly imageServiceEndpoint: string;
  /** User namespaces of pods. */
  readonly userNamespaces: UserNamespaces | null;
}
