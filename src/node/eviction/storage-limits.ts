import type { Pod } from '../../kube/pod.ts';
import { podTotal } from '../../kube/pod-resources.ts';
import { canonicalQuantity, formatQuantity, quantityNano } from '../../kube/quantity.ts';
import { isCriticalPod } from '../../kube/manifest/static-pod.ts';
import type { PodFigures } from './figures.ts';
import type { FileSystems } from './file-systems.ts';
import { usedBytes } from './pod-usage.ts';

/** The label of a local storage limit among evictions. */
export type StorageLimit = 'emptydirfs.limit' | 'ephemeralpodfs.limit' | 'ephemeralcontainerfs.limit';

/** A pod that exceeds one of its limits on local storage. */
export interface StorageViolation {
  readonly limit: StorageLimit;
  readonly message: string;
}

/** `true` if the pod has a limit on local storage. Figures are needed for such pods only. */
export function hasStorageLimits({ spec }: Pod): boolean {
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  return (
    all.some(({ resources }) => resources?.limits?.['ephemeral-storage'] !== undefined) ||
    (spec.volumes ?? []).some((volume) => sizeLimitOf(volume['emptyDir']) !== undefined)
  );
}

/**
 * Returns the first exceeded limit: of the volumes, of the pod as a whole, of the containers. Critical pods are exempt.
 */
export function storageViolation(
  pod: Pod,
  figures: PodFigures,
  fileSystems: FileSystems,
): StorageViolation | undefined {
  if (isCriticalPod(pod)) return undefined;
  return volumeViolation(pod, figures) ?? podViolation(pod, figures) ?? containerViolation(pod, figures, fileSystems);
}

const NANO = 1_000_000_000n;

function volumeViolation({ spec }: Pod, figures: PodFigures): StorageViolation | undefined {
  for (const volume of spec.volumes ?? []) {
    const limit = sizeLimitOf(volume['emptyDir']);
    const used = figures.volume?.find(({ name }) => name === volume.name)?.usedBytes;
    if (limit === undefined || used === undefined || BigInt(used) * NANO <= quantityNano(limit)) continue;
    const message = `Usage of EmptyDir volume "${volume.name}" exceeds the limit "${canonicalQuantity(limit)}". `;
    return { limit: 'emptydirfs.limit', message };
  }
  return undefined;
}

/** `undefined` when there is no limit, or when the value means no limit. */
function sizeLimitOf(emptyDir: unknown): string | number | undefined {
  // The shape of volumes has been checked.
  const { sizeLimit } = (emptyDir ?? {}) as { readonly sizeLimit?: string | number };
  return sizeLimit !== undefined && quantityNano(sizeLimit) > 0n ? sizeLimit : undefined;
}

function podViolation({ spec }: Pod, figures: PodFigures): StorageViolation | undefined {
  const limits = podTotal(spec, 'limits').get('ephemeral-storage');
  if (limits === undefined) return undefined;
  // The overhead of the runtime class is added only if the pod has a limit.
  const limit = limits + (limits === 0n ? 0n : quantityNano(spec.overhead?.['ephemeral-storage']));
  if (usedBytes(figures['ephemeral-storage']) * NANO <= limit) return undefined;
  const text = formatQuantity({ nano: limit, format: formatOf(spec) });
  const message = `Pod ephemeral local storage usage exceeds the total limit of containers ${text}. `;
  return { limit: 'ephemeralpodfs.limit', message };
}

/** A sum is written in the suffix family of its first part. */
function formatOf({ containers, initContainers = [] }: Pod['spec']): 'binary-si' | 'decimal-si' {
  const first = [...containers, ...initContainers]
    .map(({ resources }) => resources?.limits?.['ephemeral-storage'])
    .find((each) => each !== undefined);
  return /[EPTGMK]i$/.test(String(first)) ? 'binary-si' : 'decimal-si';
}

function containerViolation(
  { spec }: Pod,
  figures: PodFigures,
  fileSystems: FileSystems,
): StorageViolation | undefined {
  for (const { name, logs, rootfs } of figures.containers ?? []) {
    const limit = spec.containers.find((each) => each.name === name)?.resources?.limits?.['ephemeral-storage'];
    if (limit === undefined || quantityNano(limit) === 0n) continue;
    // Writable layers on a file system of their own do not take space that others lack.
    const used = usedBytes(logs) + (fileSystems === 'single' ? usedBytes(rootfs) : 0n);
    if (used * NANO <= quantityNano(limit)) continue;
    const message = `Container ${name} exceeded its local ephemeral storage limit "${canonicalQuantity(limit)}". `;
    return { limit: 'ephemeralcontainerfs.limit', message };
  }
  return undefined;
}
