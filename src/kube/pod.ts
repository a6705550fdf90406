import type { Keyed } from './text/own.ts';
/**
 * The Pod object as the API writes it (core/v1), as far as a node agent reads it. Field names, meaning and defaults are
 * Kubernetes' own; the fields are optional exactly where the API allows them to be absent.
 */

/** A resource amount as users write it: `500m`, `1Gi`, `2`. See `quantity.ts`. */
export type Quantity = string | number;
export type ResourceList = Readonly<Record<string, Quantity>>;

export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation?: number;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Keyed<string>;
  readonly annotations?: Keyed<string>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly unknown[];
}

export interface Pod {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

export interface PodSpec {
  readonly nodeName?: string;
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly ephemeralContainers?: readonly EphemeralContainer[];
  readonly restartPolicy?: RestartPolicy;
  readonly terminationGracePeriodSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  readonly dnsPolicy?: 'ClusterFirst' | 'ClusterFirstWithHostNet' | 'Default' | 'None';
  readonly dnsConfig?: PodDNSConfig;
  readonly hostname?: string;
  readonly hostnameOverride?: string;
  readonly subdomain?: string;
  readonly setHostnameAsFQDN?: boolean;
  readonly hostAliases?: readonly HostAlias[];
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly hostUsers?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly securityContext?: PodSecurityContext;
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
  readonly nodeSelector?: Keyed<string>;
  readonly affinity?: unknown;
  readonly tolerations?: readonly Toleration[];
  readonly priority?: number;
  readonly priorityClassName?: string;
  readonly runtimeClassName?: string;
  readonly overhead?: ResourceList;
  readonly resources?: ResourceRequirements;
  readonly enableServiceLinks?: boolean;
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly volumes?: readonly Volume[];
  readonly os?: { readonly name: string };
  readonly schedulerName?: string;
  readonly resourceClaims?: readonly unknown[];
  /** The old name of `serviceAccountName`; the API keeps both equal. */
  readonly serviceAccount?: string;
  readonly preemptionPolicy?: string;
}

/** A volume source is whichever member beside `name` is set. Its type is declared where it is used. */
export interface Volume {
  readonly name: string;
  readonly [source: string]: unknown;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly ports?: readonly ContainerPort[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly resources?: ResourceRequirements;
  readonly resizePolicy?: readonly { readonly resourceName: string; readonly restartPolicy: string }[];
  /** On an init container, `Always` makes it a sidecar (KEP-753). */
  readonly restartPolicy?: RestartPolicy;
  readonly restartPolicyRules?: readonly ContainerRestartRule[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly volumeDevices?: readonly { readonly name: string; readonly devicePath: string }[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly lifecycle?: Lifecycle;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: 'File' | 'FallbackToLogsOnError';
  readonly securityContext?: SecurityContext;
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  readonly tty?: boolean;
}

export interface EphemeralContainer extends Container {
  readonly targetContainerName?: string;
}

export interface ContainerRestartRule {
  readonly action: 'Restart' | 'RestartAllContainers';
  readonly exitCodes?: { readonly operator: 'In' | 'NotIn'; readonly values?: readonly number[] };
}

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: EnvVarSource;
}

interface KeySelector {
  readonly name?: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface EnvVarSource {
  readonly fieldRef?: { readonly apiVersion?: string; readonly fieldPath: string };
  readonly resourceFieldRef?: {
    readonly containerName?: string;
    readonly resource: string;
    readonly divisor?: Quantity;
  };
  readonly configMapKeyRef?: KeySelector;
  readonly secretKeyRef?: KeySelector;
  readonly fileKeyRef?: Omit<KeySelector, 'name'> & { readonly volumeName: string; readonly path: string };
}

export interface EnvFromSource {
  readonly prefix?: string;
  readonly configMapRef?: { readonly name?: string; readonly optional?: boolean };
  readonly secretRef?: { readonly name?: string; readonly optional?: boolean };
}

export interface ResourceRequirements {
  readonly limits?: ResourceList;
  readonly requests?: ResourceList;
  readonly claims?: readonly unknown[];
}

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: 'Disabled' | 'IfPossible' | 'Enabled';
  readonly subPath?: string;
  readonly subPathExpr?: string;
  readonly mountPropagation?: 'None' | 'HostToContainer' | 'Bidirectional';
}

export interface ExecAction {
  readonly command?: readonly string[];
}
export interface HTTPGetAction {
  readonly path?: string;
  readonly port: number | string;
  readonly host?: string;
  readonly scheme?: string;
  readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
}

export interface LifecycleHandler {
  readonly exec?: ExecAction;
  readonly httpGet?: HTTPGetAction;
  readonly tcpSocket?: { readonly port: number | string; readonly host?: string };
  readonly sleep?: { readonly seconds: number };
}

export interface Lifecycle {
  readonly postStart?: LifecycleHandler;
  readonly preStop?: LifecycleHandler;
  readonly stopSignal?: string;
}

export interface Probe extends Omit<LifecycleHandler, 'sleep'> {
  readonly grpc?: { readonly port: number; readonly service?: string };
  readonly initialDelaySeconds?: number;
  readonly timeoutSeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
  readonly terminationGracePeriodSeconds?: number;
}

interface SELinuxOptions {
  readonly user?: string;
  readonly role?: string;
  readonly type?: string;
  readonly level?: string;
}
/** Seccomp and AppArmor profiles have the same shape. */
export interface SecurityProfileSpec {
  readonly type: 'RuntimeDefault' | 'Unconfined' | 'Localhost';
  readonly localhostProfile?: string;
}

interface SharedSecurityContext {
  readonly seLinuxOptions?: SELinuxOptions;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly seccompProfile?: SecurityProfileSpec;
  readonly appArmorProfile?: SecurityProfileSpec;
}

export interface PodSecurityContext extends SharedSecurityContext {
  readonly fsGroup?: number;
  readonly fsGroupChangePolicy?: string;
  readonly supplementalGroups?: readonly number[];
  readonly supplementalGroupsPolicy?: 'Merge' | 'Strict';
  readonly sysctls?: readonly { readonly name: string; readonly value: string }[];
}

export interface SecurityContext extends SharedSecurityContext {
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  readonly privileged?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly procMount?: 'Default' | 'Unmasked';
}

export interface PodDNSConfig {
  readonly nameservers?: readonly string[];
  readonly searches?: readonly string[];
  readonly options?: readonly { readonly name?: string; readonly value?: string }[];
}

export interface HostAlias {
  readonly ip: string;
  readonly hostnames?: readonly string[];
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

// ---- status -------------------------------------------------------------------------------------------------------

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

export interface PodStatus {
  readonly phase?: PodPhase;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly conditions?: readonly PodCondition[];
  readonly hostIP?: string;
  readonly hostIPs?: readonly { readonly ip: string }[];
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly startTime?: string;
  readonly qosClass?: QosClass;
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  /** The allocated and the actual resources of the pod as a whole (KEP-5419). */
  readonly allocatedResources?: ResourceList;
  readonly resources?: ResourceRequirements;
}

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
  readonly lastProbeTime?: string | null;
  readonly observedGeneration?: number;
}

export interface ContainerStatus {
  readonly name: string;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
  readonly ready: boolean;
  readonly started?: boolean;
  readonly restartCount: number;
  readonly image: string;
  readonly imageID: string;
  /** `<runtime>://<id>`. */
  readonly containerID?: string;
  readonly allocatedResources?: ResourceList;
  readonly resources?: ResourceRequirements;
  readonly user?: unknown;
  readonly volumeMounts?: readonly unknown[];
}

/** At most one member is set; none means waiting. */
export interface ContainerState {
  readonly waiting?: ContainerStateWaiting;
  readonly running?: ContainerStateRunning;
  readonly terminated?: ContainerStateTerminated;
}
export interface ContainerStateWaiting {
  readonly reason?: string;
  readonly message?: string;
}
export interface ContainerStateRunning {
  readonly startedAt?: string;
}
export interface ContainerStateTerminated {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly containerID?: string;
}

/** `<namespace>/<name>`, the way a pod is named in logs and on the command line. */
export const podKey = (pod: Pod): string => `${pod.metadata.namespace}/${pod.metadata.name}`;
/** `<name>_<namespace>`: the name that two pods never hold at once on a node. */
export const podFullName = (pod: Pod): string => `${pod.metadata.name}_${pod.metadata.namespace}`;
