import { SecurityProfile_ProfileType, SupplementalGroupsPolicy } from '../../cri/gen/api.ts';
import type {
  Int64Value,
  LinuxContainerSecurityContext,
  LinuxSandboxSecurityContext,
  NamespaceOption,
  SELinuxOption,
} from '../../cri/gen/api.ts';
import type { Container, Pod, SecurityContext } from '../../kube/pod.ts';
import type { NodeFacts } from '../../node/object/node-facts.ts';
import { configError } from './config-outcome.ts';
import type { ConfigError } from './config-outcome.ts';
import { podInMessage } from '../values/pod-paths.ts';
import { apparmorProfile, apparmorText, seccompProfile } from './security-profiles.ts';

/** The user that an image declares; both fields are absent when the image declares none. */
export interface ImageUser {
  readonly uid?: number;
  readonly username?: string;
}

const DEFAULT_MASKED_PATHS = [
  '/proc/asound',
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
];
const DEFAULT_READONLY_PATHS = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

const LARGEST_UID = 2 ** 31 - 1;

const int64 = (value: number | undefined): Int64Value | undefined =>
  value === undefined ? undefined : { value: BigInt(value) };

const seLinux = (options: SecurityContext['seLinuxOptions']): SELinuxOption | undefined =>
  options === undefined
    ? undefined
    : { user: options.user ?? '', role: options.role ?? '', type: options.type ?? '', level: options.level ?? '' };

const groupsPolicy = (pod: Pod): SupplementalGroupsPolicy =>
  pod.spec.securityContext?.supplementalGroupsPolicy === 'Strict'
    ? SupplementalGroupsPolicy.Strict
    : SupplementalGroupsPolicy.Merge;

const bigints = (...lists: readonly (readonly number[] | undefined)[]): bigint[] =>
  lists.flatMap((list) => list ?? []).map(BigInt);

/** Supplemental groups that mounted volumes require, beside the groups of the pod. */
export type VolumeGroups = readonly number[];

/**
 * The sandbox's own process only holds namespaces open and needs no rights. It is privileged only if a container is.
 */
export function sandboxSecurityContext(
  pod: Pod,
  namespaces: NamespaceOption,
  volumeGroups: VolumeGroups,
): LinuxSandboxSecurityContext {
  const { securityContext, containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  const isPrivileged = (container: Container): boolean => container.securityContext?.privileged === true;
  return {
    namespaceOptions: securityContext === undefined ? undefined : namespaces,
    selinuxOptions: seLinux(securityContext?.seLinuxOptions),
    runAsUser: int64(securityContext?.runAsUser),
    runAsGroup: int64(securityContext?.runAsGroup),
    readonlyRootfs: false,
    supplementalGroups: bigints(fsGroupOf(pod), volumeGroups, securityContext?.supplementalGroups),
    supplementalGroupsPolicy: groupsPolicy(pod),
    privileged:
      containers.some(isPrivileged) || initContainers.some(isPrivileged) || ephemeralContainers.some(isPrivileged),
    seccomp: { profileType: SecurityProfile_ProfileType.RuntimeDefault, localhostRef: '' },
    apparmor: undefined,
    seccompProfilePath: '',
  };
}

const fsGroupOf = (pod: Pod): readonly number[] => {
  const fsGroup = pod.spec.securityContext?.fsGroup;
  return fsGroup === undefined ? [] : [fsGroup];
};

export interface SecurityInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly imageUser: ImageUser | undefined;
  readonly node: Pick<NodeFacts, 'rootDir' | 'seccompDefault' | 'thermalThrottlePaths'>;
  readonly namespaces: NamespaceOption;
  readonly volumeGroups: VolumeGroups;
}

export type SecurityOutcome =
  { readonly ok: true; readonly securityContext: LinuxContainerSecurityContext } | ConfigError;

export function containerSecurityContext(input: SecurityInput): SecurityOutcome {
  const { pod, container, imageUser = {}, node, namespaces, volumeGroups } = input;
  const own: SecurityContext = container.securityContext ?? {};
  const ofPod = pod.spec.securityContext ?? {};
  const runAsUser = own.runAsUser ?? ofPod.runAsUser;

  const whyRoot = (own.runAsNonRoot ?? ofPod.runAsNonRoot) === true ? whyItMayBeRoot(runAsUser, imageUser) : undefined;
  if (whyRoot !== undefined) return configError(`${whyRoot} (pod: ${podInMessage(pod)}, container: ${container.name})`);
  const seccomp = seccompProfile(input, node);
  if (!seccomp.ok) return seccomp;
  const apparmor = apparmorProfile(input);
  if (!apparmor.ok) return apparmor;

  const username = runAsUser === undefined && imageUser.uid === undefined ? (imageUser.username ?? '') : '';
  const capabilities = own.capabilities;
  const isUnmasked = own.procMount === 'Unmasked';
  return {
    ok: true,
    securityContext: {
      capabilities:
        capabilities === undefined
          ? undefined
          : {
              addCapabilities: [...(capabilities.add ?? [])],
              dropCapabilities: [...(capabilities.drop ?? [])],
              addAmbientCapabilities: [],
            },
      privileged: own.privileged === true,
      namespaceOptions: namespaces,
      selinuxOptions: seLinux(own.seLinuxOptions ?? ofPod.seLinuxOptions),
      // An image that declares no user runs as root. The runtime receives that user explicitly and need not guess.
      runAsUser: username === '' ? int64(runAsUser ?? imageUser.uid ?? 0) : undefined,
      runAsGroup: int64(own.runAsGroup ?? ofPod.runAsGroup),
      runAsUsername: username,
      readonlyRootfs: own.readOnlyRootFilesystem === true,
      supplementalGroups: bigints(fsGroupOf(pod), ofPod.supplementalGroups, volumeGroups),
      supplementalGroupsPolicy: groupsPolicy(pod),
      noNewPrivs: own.allowPrivilegeEscalation === false,
      maskedPaths: isUnmasked ? [] : [...DEFAULT_MASKED_PATHS, ...node.thermalThrottlePaths],
      readonlyPaths: isUnmasked ? [] : DEFAULT_READONLY_PATHS,
      seccomp: seccomp.profile,
      apparmor: apparmor.profile,
      apparmorProfile: apparmorText(apparmor.profile),
      seccompProfilePath: '',
    },
  };
}

/** `runAsNonRoot` can only be enforced when the user is known by number. */
function whyItMayBeRoot(runAsUser: number | undefined, image: ImageUser): string | undefined {
  if (runAsUser !== undefined) return runAsUser === 0 ? "container's runAsUser breaks non-root policy" : undefined;
  if (image.uid === undefined && image.username) {
    return `container has runAsNonRoot and image has non-numeric user (${image.username}), cannot verify user is non-root`;
  }
  const uid = image.uid ?? 0;
  if (uid === 0) return 'container has runAsNonRoot and image will run as root';
  return uid < 0 || uid > LARGEST_UID ? `container has runAsNonRoot and image has an invalid user (${uid})` : undefined;
}
