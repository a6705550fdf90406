import { entryName } from '../../kube/validation/entry-name.ts';
import { entriesOf, keyed } from '../../kube/text/own.ts';
import { ImageSpec, Mount, MountPropagation } from '../../cri/gen/api.ts';
import type { Container, Pod, VolumeMount } from '../../kube/pod.ts';
import type { NodeFacts, RuntimeHandlerFacts } from '../../node/object/node-facts.ts';
import { configError } from './config-outcome.ts';
import type { ConfigError } from './config-outcome.ts';
import { expandVariables } from './expand-variables.ts';
import { idMappings } from './namespaces.ts';
import type { UserNamespaceIds } from './namespaces.ts';
import { containerDir, etcHostsPath, podDir } from '../values/pod-paths.ts';
import type { VolumeOnHost } from './volume-host-path.ts';

/** An image mounted as a volume (KEP-4639). */
export interface ImageVolume {
  readonly imageRef: string;
  readonly reference: string;
}

export interface MountsInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly podIps: readonly string[];
  readonly node: Pick<NodeFacts, 'rootDir' | 'seLinux'>;
  readonly handler: RuntimeHandlerFacts | undefined;
  readonly userIds: UserNamespaceIds | undefined;
  readonly env: ReadonlyMap<string, string>;
  readonly volume: (name: string) => VolumeOnHost | ImageVolume | undefined;
  /** The name of the file for this start's termination message: eight hexadecimal digits, new each time. */
  readonly terminationFile: string;
}

/**
 * A part of a volume to bind to `bindPath` before the container is created, so that no link leads out of the volume.
 */
export interface SubPathBind {
  readonly volume: string;
  /** The index of the container's mount. */
  readonly index: number;
  readonly volumeHostPath: string;
  readonly subPath: string;
  readonly bindPath: string;
}

export type MountsOutcome =
  { readonly ok: true; readonly mounts: Mount[]; readonly subPaths: readonly SubPathBind[] } | ConfigError;

/**
 * Returns the mounts: volumes in the container's order, then the managed hosts file, then the termination message file.
 */
export function containerMounts(input: MountsInput): MountsOutcome {
  const { pod, container, podIps, node, terminationFile } = input;
  const { uid } = pod.metadata;
  const mounts: Mount[] = [];
  const subPaths: SubPathBind[] = [];
  for (const [index, volumeMount] of (container.volumeMounts ?? []).entries()) {
    const made = volumeMountOf(input, volumeMount, index);
    if (!made.ok) return made;
    mounts.push(made.mount);
    if (made.subPath !== undefined) subPaths.push(made.subPath);
  }
  // A container that mounts its own hosts file keeps that file. Without an address the agent has nothing to write into
  // one.
  const hasOwnHosts = mounts.some(({ containerPath }) => containerPath === '/etc/hosts');
  if (!hasOwnHosts && (podIps.length > 0 || pod.spec.hostNetwork === true)) {
    mounts.push(ownMount(input, { containerPath: '/etc/hosts', hostPath: etcHostsPath(node.rootDir, uid) }));
  }
  if (container.terminationMessagePath) {
    const hostPath = `${containerDir(node.rootDir, uid, container.name)}/${terminationFile}`;
    mounts.push(ownMount(input, { containerPath: absolute(container.terminationMessagePath), hostPath }));
  }
  return { ok: true, mounts, subPaths };
}

const absolute = (path: string): string => (path.startsWith('/') ? path : `/${path}`);

/** The mount of a file that this agent has written for the container. */
const ownMount = (input: MountsInput, mount: Pick<Mount, 'containerPath' | 'hostPath'>): Mount =>
  hostMount(input, { ...mount, selinuxRelabel: input.node.seLinux === true });

const hostMount = ({ userIds }: MountsInput, mount: Partial<Mount>): Mount =>
  Mount.fromPartial({ ...mount, uidMappings: idMappings(userIds), gidMappings: idMappings(userIds) });

const PROPAGATION = {
  None: MountPropagation.PROPAGATION_PRIVATE,
  HostToContainer: MountPropagation.PROPAGATION_HOST_TO_CONTAINER,
  Bidirectional: MountPropagation.PROPAGATION_BIDIRECTIONAL,
} as const;

type VolumeMountOutcome =
  { readonly ok: true; readonly mount: Mount; readonly subPath: SubPathBind | undefined } | ConfigError;

function volumeMountOf(input: MountsInput, volumeMount: VolumeMount, index: number): VolumeMountOutcome {
  const { pod, container, node } = input;
  const volume = input.volume(volumeMount.name);
  if (volume === undefined) {
    return configError(
      `cannot find volume ${JSON.stringify(volumeMount.name)} to mount into container "${container.name}"`,
    );
  }
  const recursive = recursiveReadOnly(volumeMount, input.handler);
  if (!recursive.ok) return recursive;
  const part = subPathOf(volumeMount, input.env);
  if (!part.ok) return part;
  const containerPath = absolute(volumeMount.mountPath);

  if ('imageRef' in volume) {
    const image = ImageSpec.fromPartial({
      image: volume.imageRef,
      userSpecifiedImage: volume.reference,
      annotations: keyed(entriesOf(pod.metadata.annotations)),
    });
    // An image is always mounted read-only, whatever the mount asks for.
    const mount = hostMount(input, { containerPath, readonly: true, image, imageSubPath: part.subPath });
    return { ok: true, mount, subPath: undefined };
  }

  const subPath: SubPathBind | undefined =
    part.subPath === ''
      ? undefined
      : {
          volume: volumeMount.name,
          index,
          volumeHostPath: volume.hostPath,
          subPath: part.subPath,
          bindPath: `${podDir(node.rootDir, pod.metadata.uid)}/volume-subpaths/${entryName(volumeMount.name)}/${entryName(container.name)}/${index}`,
        };
  const mount = hostMount(input, {
    containerPath,
    hostPath: subPath?.bindPath ?? volume.hostPath,
    readonly: volumeMount.readOnly === true || volume.readOnly,
    propagation: PROPAGATION[volumeMount.mountPropagation ?? 'None'],
    recursiveReadOnly: recursive.value,
    // A directory of the host that is not the node's own keeps its label.
    selinuxRelabel: node.seLinux === true && volume.relabels === true,
  });
  return { ok: true, mount, subPath };
}

type Recursive = { readonly ok: true; readonly value: boolean } | ConfigError;

/**
 * `true` if the mounts below the volume are read-only as well (KEP-3857). This needs runtime support and no
 * propagation.
 */
function recursiveReadOnly(mount: VolumeMount, handler: RuntimeHandlerFacts | undefined): Recursive {
  const mode = mount.recursiveReadOnly ?? 'Disabled';
  if (mode === 'Disabled') return { ok: true, value: false };
  const refuse = (why: string): ConfigError =>
    configError(
      `failed to resolve recursive read-only mode: volume "${mount.name}" requested recursive read-only mode, but ${why}`,
    );
  if (mount.readOnly !== true) return refuse('it is not read-only');
  if ((mount.mountPropagation ?? 'None') !== 'None')
    return refuse(`it is not compatible with propagation "${mount.mountPropagation}"`);
  const isSupported = handler?.recursiveReadOnlyMounts === true;
  if (mode === 'Enabled' && !isSupported) return refuse('it is not supported by the runtime');
  return { ok: true, value: isSupported };
}

type SubPath = { readonly ok: true; readonly subPath: string } | ConfigError;

/** Returns the part of the volume that is mounted; empty for the whole volume. */
function subPathOf(mount: VolumeMount, env: ReadonlyMap<string, string>): SubPath {
  let subPath = mount.subPath ?? '';
  if (mount.subPathExpr) {
    const missing = new Set<string>();
    subPath = expandVariables(mount.subPathExpr, (name) => {
      const value = env.get(name);
      // An empty variable would mount more than intended, just as a missing one would.
      if (!value) missing.add(name);
      return value;
    });
    if (missing.size > 0) return configError(`missing value for ${[...missing].sort().join(', ')}`);
  }
  if (subPath.startsWith('/')) return configError(`error SubPath \`${subPath}\` must not be an absolute path`);
  if (subPath.split('/').includes('..'))
    return configError(`unable to provision SubPath \`${subPath}\`: must not contain '..'`);
  return { ok: true, subPath };
}
