import { gatesOfOthers } from '../gates-of-others.ts';
import type { FeatureGate } from '../feature-gates.ts';
import type { ConfigPath } from './config-fields.ts';
import type { ConfigTree, ConfigValue } from './config-value.ts';
import { entryPath, isTree, memberPath } from './config-value.ts';

/**
 * The fields that this agent acts on today. All others are read and checked. The log names them once when they are set:
 * a setting without effect must not look effective.
 */
export const actedOn: ReadonlySet<string> = new Set<ConfigPath>([
  'staticPodPath',
  'podLogsDir',
  'syncFrequency',
  'fileCheckFrequency',
  'staticPodURL',
  'staticPodURLHeader',
  'httpCheckFrequency',
  'containerRuntimeEndpoint',
  'imageServiceEndpoint',
  'runtimeRequestTimeout',
  'volumeStatsAggPeriod',
  'crashLoopBackOff',
  'allowedUnsafeSysctls',
  'serializeImagePulls',
  'maxParallelImagePulls',
  'registryPullQPS',
  'registryBurst',
  'imagePullCredentialsVerificationPolicy',
  'preloadedImagesVerificationAllowlist',
  'clusterDNS',
  'clusterDomain',
  'resolvConf',
  'maxPods',
  'cgroupDriver',
  'cgroupRoot',
  'cgroupsPerQOS',
  'enforceNodeAllocatable',
  'podPidsLimit',
  'memorySwap',
  'failSwapOn',
  'makeIPTablesUtilChains',
  'failCgroupV1',
  'oomScoreAdj',
  'maxOpenFiles',
  'qosReserved',
  'singleProcessOOMKill',
  'cpuCFSQuota',
  'cpuCFSQuotaPeriod',
  'seccompDefault',
  'rotateCertificates',
  'contentType',
  'kubeAPIQPS',
  'configMapAndSecretChangeDetectionStrategy',
  'kubeAPIBurst',
  'eventRecordQPS',
  'eventBurst',
  'nodeStatusUpdateFrequency',
  'nodeStatusReportFrequency',
  'nodeLeaseDurationSeconds',
  'nodeStatusMaxImages',
  'imageGCHighThresholdPercent',
  'imageGCLowThresholdPercent',
  'imageMinimumGCAge',
  'imageMaximumGCAge',
  'containerLogMaxSize',
  'containerLogMaxFiles',
  'containerLogMaxWorkers',
  'containerLogMonitorInterval',
  'enableControllerAttachDetach',
  'systemReserved',
  'kubeReserved',
  'reservedSystemCPUs',
  'podsPerCore',
  'providerID',
  'registerNode',
  'registerWithTaints',
  'shutdownGracePeriod',
  'shutdownGracePeriodCriticalPods',
  'shutdownGracePeriodByPodPriority',
  'localStorageCapacityIsolation',
  'evictionHard',
  'evictionSoft',
  'evictionSoftGracePeriod',
  'evictionMaxPodGracePeriod',
  'evictionMinimumReclaim',
  'evictionPressureTransitionPeriod',
  'mergeDefaultEvictionSettings',
  'kernelMemcgNotification',
  'protectKernelDefaults',
  'systemReservedCgroup',
  'kubeReservedCgroup',
  'memoryThrottlingFactor',
  'memoryReservationPolicy',
  // The node's own server exists only in a cluster.
  'enableServer',
  'address',
  'port',
  'readOnlyPort',
  'tlsCertFile',
  'tlsPrivateKeyFile',
  'tlsCipherSuites',
  'tlsMinVersion',
  'authentication',
  'authorization',
  'healthzPort',
  'healthzBindAddress',
  'streamingConnectionIdleTimeout',
  'serverTLSBootstrap',
  'enableSystemLogHandler',
  'enableSystemLogQuery',
  'enableProfilingHandler',
  'enableDebugFlagsHandler',
  'enableDebuggingHandlers',
  'logging.verbosity',
  'logging.format',
]);

/** The feature gates that this agent reads, this folder included. */
export const gatesActedOn: ReadonlySet<string> = new Set<FeatureGate>([
  'ContainerStopSignals',
  'KubeletEnsureSecretPulledImages',
  'KubeletFineGrainedAuthz',
  'ContainerCheckpoint',
  'ComponentStatusz',
  'ComponentFlagz',
  'RotateKubeletServerCertificate',
  'KubeletCrashLoopBackOffMax',
  'CustomCPUCFSQuotaPeriod',
  'KubeletSeparateDiskGC',
  'MemoryQoS',
  'QOSReserved',
]);

/**
 * Returns the paths of settings that the agent does not act on, in the order they were set. `set` holds only user
 * settings.
 */
export function findNotActedOn(set: ConfigTree): readonly string[] {
  return Object.entries(set).flatMap(([name, value]) => notActedOnIn(name, value));
}

function notActedOnIn(path: string, value: ConfigValue): readonly string[] {
  if (actedOn.has(path) || value === null) return [];
  if (path === 'featureGates' && isTree(value)) {
    const ignored = Object.keys(value).filter((gate) => !gatesActedOn.has(gate) && !gatesOfOthers.has(gate));
    return ignored.map((gate) => entryPath(path, gate));
  }
  const isPartly = [...actedOn].some((known) => known.startsWith(`${path}.`));
  if (!isPartly || !isTree(value)) return [path];
  return Object.entries(value).flatMap(([name, member]) => notActedOnIn(memberPath(path, name), member));
}
