import type { Pod } from '../../kube/pod.ts';
import { podTotal } from '../../kube/pod-resources.ts';
import { canonicalQuantity, formatQuantity, quantityNano } from '../../kube/quantity.ts';
import { isCriticalPod } from '../../kube/manifest/static-pod.ts';
import type { PodFigures } from './figures.ts';
import type { FileSystems } from './file-systems.ts';
import { usedBytes } from './pod-usage.ts';

/** What a limit on local storage is counted as among evictions. */
export type StorageLimit = 'emptydirfs.limit' | 'ephemeralpodfs.limit' | 'ephemeralcontainerfs.limit';

/** A pod that has more on the node's disk than it may. */
export interface StorageOffence {
  readonly limit: StorageLimit;
  readonly message: string;
}

/** Whether the pod has a limit on what it puts on the node's disk. Only of such a pod figures are needed. */
export function hasStorageLimits({ spec }: Pod): boolean {
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  return (
    all.some(({ resources }) => resources?.limits?.['ephemeral-storage'] !== undefined) ||
    (spec.volumes ?? []).some((volume) => sizeLimitOf(volume['emptyDir']) !== undefined)
  );
}

/** The first limit that the pod is over: of its volumes, of the pod as a whole, of its containers. Critical pods may be. */
export function storageOffence(pod: Pod, figures: PodFigures, fileSystems: FileSystems): StorageOffence | undefined {
  if (isCriticalPod(pod)) return undefined;
  return volumeOffence(pod, figures) ?? podOffence(pod, figures) ?? containerOffence(pod, figures, fileSystems);
}

const NANO = 1_000_000_000n;

function volumeOffence({ spec }: Pod, figures: PodFigures): StorageOffence | undefined {
  for (const volume of spec.volumes ?? []) {
    const limit = sizeLimitOf(volume['emptyDir']);
    const used = figures.volume?.find(({ name }) => name === volume.name)?.usedBytes;
    if (limit === undefined || used === undefined || BigInt(used) * NANO <= quantityNano(limit)) continue;
    const message = `Usage of EmptyDir volume "${volume.name}" exceeds the limit "${canonicalQuantity(limit)}". `;
    return { limit: 'emptydirfs.limit', message };
  }
  return undefined;
}

/** Undefined: none, or one that means none. */
function sizeLimitOf(emptyDir: unknown): string | number | undefined {
  const { sizeLimit } = (emptyDir ?? {}) as { readonly sizeLimit?: string | number };
  return sizeLimit !== undefined && quantityNano(sizeLimit) > 0n ? sizeLimit : undefined;
}

function podOffence({ spec }: Pod, figures: PodFigures): StorageOffence | undefined {
  const limits = podTotal(spec, 'limits').get('ephemeral-storage');
  if (limits === undefined) return undefined;
  // An overhead of the runtime class counts for the pod where it has a limit at all.
  const limit = limits + (limits === 0n ? 0n : quantityNano(spec.overhead?.['ephemeral-storage']));
  if (usedBytes(figures['ephemeral-storage']) * NANO <= limit) return undefined;
  const text = formatQuantity({ nano: limit, format: formatOf(spec) });
  const message = `Pod ephemeral local storage usage exceeds the total limit of containers ${text}. `;
  return { limit: 'ephemeralpodfs.limit', message };
}

/** A sum is written as its first part was. */
function formatOf({ containers, initContainers = [] }: Pod['spec']): 'binary-si' | 'decimal-si' {
  const first = [...containers, ...initContainers]
    .map(({ resources }) => resources?.limits?.['ephemeral-storage'])
    .find((each) => each !== undefined);
  return /[EPTGMK]i$/.test(String(first)) ? 'binary-si' : 'decimal-si';
}

function containerOffence({ spec }: Pod, figures: PodFigures, fileSystems: FileSystems): StorageOffence | undefined {
  for (const { name, logs, rootfs } of figures.containers ?? []) {
    const limit = spec.containers.find((each) => each.name === name)?.resources?.limits?.['ephemeral-storage'];
    if (limit === undefined || quantityNano(limit) === 0n) continue;
    // On a file system of their own, writable layers do not take what others lack.
    const used = usedBytes(logs) + (fileSystems === 'single' ? usedBytes(rootfs) : 0n);
    if (used * NANO <= quantityNano(limit)) continue;
    const message = `Container ${name} exceeded its local ephemeral storage limit "${canonicalQuantity(limit)}". `;
    return { limit: 'ephemeralcontainerfs.limit', message };
  }
  return undefined;
}
