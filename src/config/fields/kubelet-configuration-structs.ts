/**
 * The objects nested in a KubeletConfiguration, every field filled in. Named as in Kubernetes; durations are milliseconds.
 */

export interface KubeletAuthentication {
  /** Client certificates. */
  readonly x509: KubeletX509Authentication;
  /** Bearer tokens, checked by the API server. */
  readonly webhook: KubeletWebhookAuthentication;
  /** Requests without credentials. */
  readonly anonymous: KubeletAnonymousAuthentication;
}

export interface KubeletX509Authentication {
  /** Certificate authorities that may sign client certificates. */
  readonly clientCAFile: string;
}

export interface KubeletWebhookAuthentication {
  /** Check bearer tokens with a TokenReview. */
  readonly enabled: boolean;
  /** How long an answer about a token is cached. */
  readonly cacheTTL: number;
}

export interface KubeletAnonymousAuthentication {
  /** Accept requests without credentials, as system:anonymous. */
  readonly enabled: boolean;
}

export interface KubeletAuthorization {
  /** How requests are authorized. */
  readonly mode: string;
  /** SubjectAccessReview answers. */
  readonly webhook: KubeletWebhookAuthorization;
}

export interface KubeletWebhookAuthorization {
  /** How long an allowed answer is cached. */
  readonly cacheAuthorizedTTL: number;
  /** How long a denied answer is cached. */
  readonly cacheUnauthorizedTTL: number;
}

export interface MemorySwapConfiguration {
  /** Swap for containers; empty acts as NoSwap. */
  readonly swapBehavior: string;
}

export interface CrashLoopBackOffConfig {
  /** Longest wait between restarts of a container. */
  readonly maxContainerRestartPeriod: number | null;
}

export interface UserNamespaces {
  /** User and group IDs of a pod. */
  readonly idsPerPod: number;
}

export interface MemoryReservation {
  /** NUMA node the memory belongs to. */
  readonly numaNode: number;
  /** Amounts of memory and huge pages. */
  readonly limits: Readonly<Record<string, string>>;
}

export interface ShutdownGracePeriodByPodPriority {
  /** Lowest pod priority this period is for. */
  readonly priority: number;
  /** Seconds such pods get at node shutdown. */
  readonly shutdownGracePeriodSeconds: number;
}

export interface LoggingConfiguration {
  /** How log lines are written. */
  readonly format: string;
  /** Longest time a log line is buffered. */
  readonly flushFrequency: number;
  /** Log verbosity; 0 is least. */
  readonly verbosity: number;
  /** Verbosity by source file. */
  readonly vmodule: readonly VModuleItem[];
  /** Settings of one log format. */
  readonly options: FormatOptions;
}

export interface VModuleItem {
  /** File name without its ending, wildcards allowed. */
  readonly filePattern: string;
  /** Verbosity of those files. */
  readonly verbosity: number;
}

export interface FormatOptions {
  /** The text format. */
  readonly text: OutputRoutingOptions;
  /** The JSON format. */
  readonly json: OutputRoutingOptions;
}

export interface OutputRoutingOptions {
  /** Errors to stderr, the rest to stdout. */
  readonly splitStream: boolean;
  /** Bytes of info lines that are buffered. */
  readonly infoBufferSize: string;
}

export interface TracingConfiguration {
  /** OTLP gRPC collector; unset is localhost:4317. */
  readonly endpoint: string | null;
  /** Sampled spans per million. */
  readonly samplingRatePerMillion: number | null;
}

export interface Taint {
  /** Taint key. */
  readonly key: string;
  /** Taint value. */
  readonly value: string;
  /** What happens to pods that do not tolerate it. */
  readonly effect: string;
  /** Set by the control plane only. */
  readonly timeAdded: string | null;
}
