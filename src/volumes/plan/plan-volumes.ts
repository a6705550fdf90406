import { own } from '../../kube/text/own.ts';
import type { Container, Pod, Quantity, Volume } from '../../kube/pod.ts';
import { quantityValue } from '../../kube/quantity.ts';
import type { NodeFacts } from '../../node/object/node-facts.ts';
import { planFiles } from './plan-files.ts';
import { memoryVolumeBytes } from './memory-volume-size.ts';
import type { PodVolumes, VolumePlan } from './volume-plan.ts';

/**
 * Returns what must be set up on the host before a pod's containers can start; `undefined` when nothing must. As in the
 * kubelet, only volumes that a container mounts are set up. Host paths without a type, and images, need nothing here.
 */
export function planVolumes(pod: Pod, node: NodeFacts): PodVolumes | undefined {
  const { spec, metadata } = pod;
  if (spec.volumes === undefined || spec.volumes.length === 0) return undefined;
  const used = usedNames(pod);
  const volumes = spec.volumes.flatMap((volume) =>
    used.has(volume.name) ? (planVolume(volume, pod, node) ?? []) : [],
  );
  if (volumes.length === 0) return undefined;
  const { fsGroup, fsGroupChangePolicy } = spec.securityContext ?? {};
  return {
    podUid: metadata.uid,
    namespace: metadata.namespace,
    podName: metadata.name,
    volumes,
    ...(fsGroup === undefined ? {} : { fsGroup }),
    fsGroupChangePolicy: fsGroupChangePolicy === 'OnRootMismatch' ? 'OnRootMismatch' : 'Always',
  };
}

export const containersOf = ({ spec }: Pod): readonly Container[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
  ...(spec.ephemeralContainers ?? []),
];

/** Returns the names of the volumes that some container mounts. */
export function usedNames(pod: Pod): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { volumeMounts = [], volumeDevices = [] } of containersOf(pod)) {
    for (const { name } of volumeMounts) names.add(name);
    for (const { name } of volumeDevices) names.add(name);
  }
  return names;
}

/** The shapes that `decodeShape` has checked. */
interface Sources {
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: Quantity };
  readonly hostPath?: { readonly path: string; readonly type?: string };
  readonly image?: unknown;
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean };
  readonly ephemeral?: unknown;
  readonly csi?: {
    readonly driver: string;
    readonly fsType?: string;
    readonly readOnly?: boolean;
    readonly volumeAttributes?: Readonly<Record<string, string>>;
    readonly nodePublishSecretRef?: { readonly name?: string };
  };
}

/** Plans a volume that a storage driver sets up. */
function planDriverVolume(volume: Volume, pod: Pod): VolumePlan | undefined {
  const { name } = volume;
  // The shape of volumes has been checked; the type of `Volume` leaves sources open.
  const { persistentVolumeClaim: claim, ephemeral, csi } = volume as Sources;
  const serviceAccount = pod.spec.serviceAccountName ?? 'default';
  if (csi !== undefined) {
    const { driver, fsType = '', readOnly = false, volumeAttributes = {}, nodePublishSecretRef } = csi;
    const secret = nodePublishSecretRef?.name ?? '';
    const plan = { type: 'csi', name, driver, fsType, readOnly, attributes: volumeAttributes, serviceAccount } as const;
    return secret === '' ? plan : { ...plan, publishSecret: secret };
  }
  if (claim === undefined && ephemeral === undefined) return undefined;
  const isDevice = containersOf(pod).some(({ volumeDevices = [] }) => volumeDevices.some((each) => each.name === name));
  return {
    type: 'claim',
    name,
    claim: claim?.claimName ?? `${pod.metadata.name}-${name}`,
    ephemeral: claim === undefined,
    readOnly: claim?.readOnly ?? false,
    asDevice: isDevice,
    serviceAccount,
  };
}

function planVolume(volume: Volume, pod: Pod, node: NodeFacts): VolumePlan | undefined {
  const { name } = volume;
  // The shape of volumes has been checked; the type of `Volume` leaves sources open.
  const { emptyDir, hostPath, image } = volume as Sources;
  if (image !== undefined) return undefined;
  if (hostPath !== undefined) {
    const { path, type = '' } = hostPath;
    // There is nothing to check. A path that leads upwards is still refused.
    if (type === '' && !path.split('/').includes('..')) return undefined;
    return { type: 'host-path', name, path, check: type };
  }
  if (emptyDir !== undefined) return planEmptyDir(name, emptyDir, { pod, node });
  const foreign = planDriverVolume(volume, pod);
  if (foreign !== undefined) return foreign;
  const files = planFiles(volume, pod, node);
  if (files !== undefined) return files;
  const kind = Object.keys(volume).find((member) => member !== 'name' && own(volume, member) !== undefined);
  if (kind === undefined) return { type: 'empty-dir', name, medium: 'disk' };
  return { type: 'refused', name, message: `${kind}: volumes of this kind are not supported yet` };
}

function planEmptyDir(
  name: string,
  { medium = '', sizeLimit }: NonNullable<Sources['emptyDir']>,
  { pod, node }: { readonly pod: Pod; readonly node: NodeFacts },
): VolumePlan {
  if (medium === '') return { type: 'empty-dir', name, medium: 'disk' };
  if (medium === 'Memory') {
    const sizeBytes = memoryVolumeBytes(pod, node, sizeLimit);
    return { type: 'empty-dir', name, medium: 'memory', ...(sizeBytes === undefined ? {} : { sizeBytes }) };
  }
  if (medium !== 'HugePages' && !medium.startsWith('HugePages-')) {
    return { type: 'refused', name, message: `unknown storage medium ${JSON.stringify(medium)}` };
  }
  const size = pageSize(pod, medium);
  return size.ok
    ? { type: 'empty-dir', name, medium: 'huge-pages', pageSize: size.text }
    : { type: 'refused', name, message: size.message };
}

const PREFIX = 'hugepages-';

/** Returns the page size that the medium names, or else the only one that the containers request. */
function pageSize(pod: Pod, medium: string): { ok: true; text: string } | { ok: false; message: string } {
  const sizes = new Set<string>();
  for (const { resources = {} } of containersOf(pod)) {
    for (const name of [...Object.keys(resources.requests ?? {}), ...Object.keys(resources.limits ?? {})]) {
      if (name.startsWith(PREFIX)) sizes.add(name.slice(PREFIX.length));
    }
  }
  if (medium !== 'HugePages') {
    const wanted = medium.slice('HugePages-'.length);
    if ([...sizes].some((size) => quantityValue(size) === quantityValue(wanted)))
      return { ok: true, text: mounted(wanted) };
    return { ok: false, message: `medium ${medium}: no container asks for huge pages of this size` };
  }
  const [first, ...others] = sizes;
  if (first === undefined) return { ok: false, message: `medium ${medium}: no container asks for huge pages` };
  if (others.length > 0) {
    return { ok: false, message: `medium ${medium}: the containers ask for huge pages of several sizes` };
  }
  return { ok: true, text: mounted(first) };
}

/** Formats a size for `hugetlbfs`: `2M` for `2Mi`. */
const mounted = (size: string): string => size.replace(/i$/, '');
