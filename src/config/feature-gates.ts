import { own } from '../kube/text/own.ts';
import type { GateSpec, GateStage } from './gate-spec.ts';
import { gatesOfOthers } from './gates-of-others.ts';

/** The feature gates a node agent of Kubernetes 1.36 knows, and how a set of overrides decides each of them. */

const alpha = (...needs: readonly string[]): GateSpec => ({ stage: 'Alpha', on: false, needs });
const beta = (...needs: readonly string[]): GateSpec => ({ stage: 'Beta', on: true, needs });
const betaOff = (...needs: readonly string[]): GateSpec => ({ stage: 'Beta', on: false, needs });
const locked: GateSpec = { stage: 'GA', on: true, locked: true };
const open: GateSpec = { stage: 'GA', on: true };

export const featureGates = {
  AllowDNSOnlyNodeCSR: { stage: 'Deprecated', on: false },
  ChangeContainerStatusOnKubeletRestart: { stage: 'Deprecated', on: false },
  ClusterTrustBundleProjection: betaOff(),
  ComponentFlagz: beta(),
  ComponentStatusz: beta(),
  ContainerCheckpoint: beta(),
  ContainerRestartRules: beta(),
  ContainerStopSignals: alpha(),
  ContextualLogging: beta(),
  CPUManagerPolicyAlphaOptions: alpha(),
  CPUManagerPolicyBetaOptions: beta(),
  CPUManagerPolicyOptions: locked,
  CRIListStreaming: alpha(),
  CSIVolumeHealth: alpha(),
  CustomCPUCFSQuotaPeriod: open,
  DisableCPUQuotaWithExclusiveCPUs: { stage: 'Deprecated', on: true },
  DisableNodeKubeProxyVersion: { stage: 'Deprecated', on: true, locked: true },
  DRAExtendedResource: beta('DynamicResourceAllocation'),
  DRAWorkloadResourceClaims: alpha(),
  DynamicResourceAllocation: locked,
  EnvFiles: beta(),
  EventedPLEG: alpha(),
  ExtendWebSocketsToKubelet: beta(),
  GitRepoVolumeDriver: { stage: 'Deprecated', on: false, locked: true },
  GracefulNodeShutdown: beta(),
  GracefulNodeShutdownBasedOnPodPriority: beta('GracefulNodeShutdown'),
  HostnameOverride: beta(),
  ImageMaximumGCAge: locked,
  ImageVolume: locked,
  ImageVolumeWithDigest: alpha('ImageVolume'),
  InPlacePodLevelResourcesVerticalScaling: beta(
    'InPlacePodVerticalScaling',
    'PodLevelResources',
    'NodeDeclaredFeatures',
  ),
  InPlacePodVerticalScaling: locked,
  InPlacePodVerticalScalingExclusiveCPUs: alpha('InPlacePodVerticalScaling'),
  InPlacePodVerticalScalingExclusiveMemory: alpha('InPlacePodVerticalScaling'),
  InPlacePodVerticalScalingInitContainers: beta(),
  KubeletCgroupDriverFromCRI: locked,
  KubeletCrashLoopBackOffMax: beta(),
  KubeletEnsureSecretPulledImages: beta(),
  KubeletFineGrainedAuthz: locked,
  KubeletInUserNamespace: alpha(),
  KubeletPodResourcesDynamicResources: locked,
  KubeletPodResourcesGet: locked,
  KubeletPodResourcesListUseActivePods: { stage: 'Deprecated', on: true },
  KubeletPSI: locked,
  KubeletRegistrationGetOnExistsOnly: { stage: 'Deprecated', on: false },
  KubeletSeparateDiskGC: beta(),
  KubeletServiceAccountTokenForCredentialProviders: beta(),
  LocalStorageCapacityIsolationFSQuotaMonitoring: betaOff(),
  LoggingAlphaOptions: alpha(),
  LoggingBetaOptions: beta(),
  MemoryQoS: alpha(),
  MutableCSINodeAllocatableCount: locked,
  NativeHistograms: alpha(),
  NodeDeclaredFeatures: beta(),
  NodeLogQuery: locked,
  NodeSwap: locked,
  PLEGOnDemandRelist: beta(),
  PodAndContainerStatsFromCRI: alpha(),
  PodCertificateRequest: betaOff(),
  PodLevelResourceManagers: alpha(),
  PodLevelResources: beta(),
  PodLifecycleSleepAction: locked,
  PodLogsQuerySplitStreams: alpha(),
  PodObservedGenerationTracking: locked,
  PodReadyToStartContainersCondition: beta(),
  PodsAPI: alpha(),
  PreventStaticPodAPIReferences: beta(),
  QOSReserved: alpha(),
  RecoverVolumeExpansionFailure: locked,
  RecursiveReadOnlyMounts: locked,
  ReduceDefaultCrashLoopBackOffDecay: alpha(),
  ReloadKubeletClientCAFile: beta(),
  ReloadKubeletServerCertificateFile: beta(),
  ResourceHealthStatus: beta('DynamicResourceAllocation'),
  ResourceHealthStatusMessage: beta(),
  RestartAllContainersOnContainerExits: beta('ContainerRestartRules', 'NodeDeclaredFeatures'),
  RotateKubeletServerCertificate: beta(),
  RuntimeClassInImageCriApi: alpha(),
  SELinuxChangePolicy: locked,
  SELinuxMount: betaOff(),
  SELinuxMountReadWriteOncePod: locked,
  SidecarContainers: locked,
  SupplementalGroupsPolicy: locked,
  SystemdWatchdog: locked,
  TaintTolerationComparisonOperators: alpha(),
  TopologyManagerPolicyAlphaOptions: alpha(),
  TopologyManagerPolicyBetaOptions: beta(),
  TopologyManagerPolicyOptions: locked,
  UserNamespacesHostNetworkSupport: alpha('UserNamespacesSupport'),
  UserNamespacesSupport: locked,
  WindowsCPUAndMemoryAffinity: alpha(),
  WindowsGracefulNodeShutdown: beta('GracefulNodeShutdown'),
} as const satisfies Readonly<Record<string, GateSpec>>;

export type FeatureGate = keyof typeof featureGates;

/** Two names that stand for every gate of a stage. An override of a single gate wins over them. */
export const stageWideGates: Readonly<Record<string, GateStage>> = { AllAlpha: 'Alpha', AllBeta: 'Beta' };

const table: Readonly<Record<string, GateSpec>> = featureGates;

/** Returns the spec of a gate of any component. `undefined` for a name that no component of this version knows. */
export const gateSpec = (name: string): GateSpec | undefined => own(table, name) ?? gatesOfOthers.get(name);

/** Every gate that means something to a node, and the names that stand for many. */
export const knownGateNames: readonly string[] = [...Object.keys(featureGates), ...Object.keys(stageWideGates)];

/** Returns `true` if a gate is on. */
export type GateLookup = (gate: FeatureGate) => boolean;

/** Returns the gates after a set of overrides. Unknown names are skipped here; validation reports them. */
export function decideGates(overrides: Readonly<Record<string, boolean>>): GateLookup {
  return (gate) => {
    const spec: GateSpec = featureGates[gate];
    if (spec.locked === true) return spec.on;
    const stageWide =
      spec.stage === 'Alpha' ? overrides['AllAlpha'] : spec.stage === 'Beta' ? overrides['AllBeta'] : undefined;
    return overrides[gate] ?? stageWide ?? spec.on;
  };
}

/** As `decideGates`, for a loaded configuration. */
export const gatesOf = ({
  featureGates: overrides,
}: {
  readonly featureGates: Readonly<Record<string, boolean>>;
}): GateLookup => decideGates(overrides);
