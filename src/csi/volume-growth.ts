import { quantityValue } from '../kube/quantity.ts';
import type { PersistentVolume, PersistentVolumeClaim } from './persistent-volume.ts';

/** A volume that was expanded in its storage, and whose file system on this node still has to follow. */
export interface VolumeGrowth {
  readonly claim: PersistentVolumeClaim;
  /** The size in the PersistentVolume. */
  readonly capacity: string;
  readonly bytes: bigint;
}

/**
 * Returns the growth if the node must expand the file system (kubelet: the PV's capacity exceeds that in the claim's
 * status); `undefined` otherwise.
 */
export function growthOf(volume: PersistentVolume, claim: PersistentVolumeClaim): VolumeGrowth | undefined {
  const capacity = volume.spec?.capacity?.['storage'];
  const known = claim.status?.capacity?.['storage'];
  if (capacity === undefined || known === undefined) return undefined;
  const bytes = quantityValue(capacity);
  return bytes > quantityValue(known) ? { claim, capacity, bytes } : undefined;
}

/** Conditions of a claim that end when the node's part is done. */
const OVER: ReadonlySet<string> = new Set(['FileSystemResizePending', 'Resizing', 'NodeResizeError']);

/** Returns the merge patch of the claim's status after the expansion. */
export function grownStatus({ claim, capacity }: VolumeGrowth): object {
  const { conditions = [], allocatedResourceStatuses } = claim.status ?? {};
  return {
    status: {
      capacity: { storage: capacity },
      conditions: conditions.filter(({ type }) => !OVER.has(type)),
      ...(allocatedResourceStatuses === undefined ? {} : { allocatedResourceStatuses: { storage: null } }),
    },
  };
}
