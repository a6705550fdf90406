import { quantityValue } from '../kube/quantity.ts';
import type { PersistentVolume, PersistentVolumeClaim } from './persistent-volume.ts';

/** A volume that has been made larger where it is kept, and whose file system on this node has not. */
export interface VolumeGrowth {
  readonly claim: PersistentVolumeClaim;
  /** As the PersistentVolume says. */
  readonly capacity: string;
  readonly bytes: bigint;
}

/** Whether the node has to grow the file system (kubelet: the PV's capacity is above that in the claim's status). */
export function growthOf(volume: PersistentVolume, claim: PersistentVolumeClaim): VolumeGrowth | undefined {
  const capacity = volume.spec?.capacity?.['storage'];
  const known = claim.status?.capacity?.['storage'];
  if (capacity === undefined || known === undefined) return undefined;
  const bytes = quantityValue(capacity);
  return bytes > quantityValue(known) ? { claim, capacity, bytes } : undefined;
}

/** Conditions of a claim that end when the node has done its part. */
const OVER: ReadonlySet<string> = new Set(['FileSystemResizePending', 'Resizing', 'NodeResizeError']);

/** What is to be said of the claim then, as a merge patch of its status. */
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
