import { ContainerConfig, Device } from '../../cri/gen/api.ts';
import type { EphemeralContainer, Pod, QosClass, Volume } from '../../kube/pod.ts';
import type { NodeFacts, RuntimeHandlerFacts } from '../../node/object/node-facts.ts';
import { configError } from './config-outcome.ts';
import type { ConfigError } from './config-outcome.ts';
import type { ConfigSources } from './config-sources.ts';
import { containerAnnotations } from '../values/container-annotations.ts';
import { containerEnv } from './env.ts';
import { expandVariables } from './expand-variables.ts';
import { containerResources } from './linux-resources.ts';
import { containerMounts } from './mounts.ts';
import type { ImageVolume, SubPathBind } from './mounts.ts';
import { containerNamespaceOptions, namespaceOptions } from './namespaces.ts';
import type { UserNamespaceIds } from './namespaces.ts';
import { containerLogPath } from '../values/pod-log-path.ts';
import { CONTAINER_NAME_LABEL, podLabels } from '../values/pod-labels.ts';
import { qosClass } from '../values/qos.ts';
import { containerSecurityContext } from './security-context.ts';
import type { ImageUser, VolumeGroups } from './security-context.ts';
import { volumeOnHost } from './volume-host-path.ts';
import type { VolumeOnHost } from './volume-host-path.ts';
import { stopSignalOf } from './stop-signal.ts';

export interface ContainerConfigInput {
  readonly pod: Pod;
  readonly container: EphemeralContainer;
  /** How often the container was started before. This number is also the name of its log file. */
  readonly restartCount: number;
  /** The runtime's reference for the image. */
  readonly imageRef: string;
  /** `undefined` when the runtime does not know the user; the container is then taken to run as root. */
  readonly imageUser: ImageUser | undefined;
  /** The addresses of the sandbox. For a host network pod: the addresses of the host. */
  readonly podIps: readonly string[];
  /** The addresses of the node, the primary family first. Empty when they are not known. */
  readonly hostIps: readonly string[];
  readonly node: NodeFacts;
  readonly sources: ConfigSources;
  /** The name of the file for this start's termination message: eight hexadecimal digits, new each time. */
  readonly terminationFile: string;
  /** Features of the pod's runtime handler, for mounts that depend on them. */
  readonly handler?: RuntimeHandlerFacts | undefined;
  readonly userIds?: UserNamespaceIds | undefined;
  readonly volumeGroups?: VolumeGroups;
  /** By name: volumes whose place on the host cannot be derived from the pod alone. */
  readonly mountedVolumes?: ReadonlyMap<string, VolumeOnHost | ImageVolume>;
  /** By the volume's name: block devices of the host that are volumes of the pod. */
  readonly blockVolumes?: ReadonlyMap<string, BlockVolume> | undefined;
  /** The container whose processes a debug container joins. */
  readonly targetContainerId?: string | undefined;
  readonly cpusetCpus?: string;
  readonly cpusetMems?: string;
}

/** A volume that containers receive as a device, without a filesystem. */
export interface BlockVolume {
  readonly devicePath: string;
  readonly readOnly: boolean;
}

export type ContainerConfigOutcome =
  { readonly ok: true; readonly config: ContainerConfig; readonly subPaths: readonly SubPathBind[] } | ConfigError;

const encoder = new TextEncoder();

/** Returns the runtime's container configuration, or the reason why the container cannot be configured now. */
export function containerConfig(input: ContainerConfigInput): ContainerConfigOutcome {
  const { pod, container, restartCount, node, userIds } = input;
  const { qos, volumes } = factsOf(pod);
  const findVolume = (name: string): VolumeOnHost | ImageVolume | undefined => {
    const mounted = input.mountedVolumes?.get(name);
    if (mounted !== undefined) return mounted;
    const volume = volumes.get(name);
    return volume === undefined ? undefined : volumeOnHost(pod, volume, node.rootDir);
  };

  const devices = blockDevices(input);
  if (!devices.ok) return devices;
  const env = containerEnv({ ...input, volumePath: (name) => pathToRead(pod, name, findVolume(name)) });
  if (!env.ok) return env;
  const { variables } = env;
  const mounts = containerMounts({
    ...input,
    userIds,
    handler: input.handler,
    env: variables,
    volume: findVolume,
  });
  if (!mounts.ok) return mounts;
  const security = containerSecurityContext({
    ...input,
    namespaces: containerNamespaceOptions(namespaceOptions(pod, userIds), input.targetContainerId),
    volumeGroups: input.volumeGroups ?? [],
  });
  if (!security.ok) return security;

  const expanded = (words: readonly string[] | undefined): string[] =>
    (words ?? []).map((word) => expandVariables(word, (name) => variables.get(name)));
  const config = ContainerConfig.fromPartial({
    metadata: { name: container.name, attempt: restartCount },
    image: { image: input.imageRef, userSpecifiedImage: container.image ?? '' },
    command: expanded(container.command),
    args: expanded(container.args),
    workingDir: container.workingDir ?? '',
    envs: Array.from(variables, ([key, value]) => ({ key, value: encoder.encode(value) })),
    mounts: mounts.mounts,
    devices: devices.devices,
    labels: { ...podLabels(pod), [CONTAINER_NAME_LABEL]: container.name },
    annotations: containerAnnotations(pod, container, restartCount),
    logPath: containerLogPath(container.name, restartCount),
    stdin: container.stdin === true,
    stdinOnce: container.stdinOnce === true,
    tty: container.tty === true,
    ...(node.containerStopSignals === true ? { stopSignal: stopSignalOf(container) } : {}),
    linux: { resources: containerResources({ ...input, qos }), securityContext: security.securityContext },
  });
  return { ok: true, config, subPaths: mounts.subPaths };
}

type DevicesOutcome = { readonly ok: true; readonly devices: Device[] } | ConfigError;

function blockDevices({ container, blockVolumes }: ContainerConfigInput): DevicesOutcome {
  const devices: Device[] = [];
  for (const { name, devicePath } of container.volumeDevices ?? []) {
    const volume = blockVolumes?.get(name);
    if (volume === undefined)
      return configError(`cannot find volume "${name}" to pass into container "${container.name}"`);
    const permissions = volume.readOnly ? 'r' : 'mrw';
    devices.push(Device.fromPartial({ hostPath: volume.devicePath, containerPath: devicePath, permissions }));
  }
  return { ok: true, devices };
}

/**
 * Environment files are read only from volumes that some container of the pod mounts. Other volumes are never set up.
 */
function pathToRead(pod: Pod, name: string, volume: VolumeOnHost | ImageVolume | undefined): string | undefined {
  if (volume === undefined || 'imageRef' in volume) return undefined;
  const { containers, initContainers = [] } = pod.spec;
  const isMounted = [...containers, ...initContainers].some(({ volumeMounts = [] }) =>
    volumeMounts.some((mount) => mount.name === name),
  );
  return isMounted ? volume.hostPath : undefined;
}

interface PodFacts {
  readonly qos: QosClass;
  readonly volumes: ReadonlyMap<string, Volume>;
}

/**
 * Facts that all containers of a pod share, kept so that a start need not compute them again. A pod object never
 * changes.
 */
const factsByPod = new WeakMap<Pod, PodFacts>();

function factsOf(pod: Pod): PodFacts {
  let facts = factsByPod.get(pod);
  if (facts === undefined) {
    facts = { qos: qosClass(pod), volumes: new Map((pod.spec.volumes ?? []).map((volume) => [volume.name, volume])) };
    factsByPod.set(pod, facts);
  }
  return facts;
}
