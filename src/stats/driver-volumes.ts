import { own } from '../kube/text/own.ts';
import type { ClaimRef, DriverFigures, MeasuredDriverVolume, PodDisk } from './pod-disk.ts';

/** A volume of a pod with a PersistentVolume or a storage driver behind it. */
export interface DriverVolume {
  readonly podUid: string;
  /** The volume's name in the pod spec. */
  readonly name: string;
  readonly plugin: string;
  /** The name of its directory below the pod's. */
  readonly specName: string;
  readonly claim?: ClaimRef;
}

export const CSI_PLUGIN = 'kubernetes.io~csi';
export const LOCAL_PLUGIN = 'kubernetes.io~local-volume';

/**
 * Adds a pod's driver volumes to the result of its walk. Drivers measure their own; disks of this host are measured
 * by their file systems. A volume that cannot be measured is left out, as on the kubelet.
 */
export function withDriverVolumes(
  disk: PodDisk,
  volumes: readonly (DriverVolume & { readonly measured?: DriverFigures | undefined })[],
): PodDisk {
  const driverVolumes = volumes.flatMap(
    ({ podUid, name, plugin, specName, claim, measured }): MeasuredDriverVolume[] => {
      if (podUid !== disk.uid) return [];
      const onHost = plugin === LOCAL_PLUGIN ? own(disk.localVolumes, specName) : undefined;
      const found = measured ?? (onHost === undefined ? undefined : { figures: onHost });
      return found === undefined ? [] : [{ name, ...(claim === undefined ? {} : { claim }), ...found }];
    },
  );
  return driverVolumes.length === 0 ? disk : { ...disk, driverVolumes };
}
