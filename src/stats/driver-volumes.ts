import { own } from '../kube/text/own.ts';
import type { ClaimRef, DriverFigures, MeasuredDriverVolume, PodDisk } from './pod-disk.ts';

/** A volume of a pod that a PersistentVolume or a driver of storage stands behind. */
export interface DriverVolume {
  readonly podUid: string;
  /** As the pod calls it. */
  readonly name: string;
  readonly plugin: string;
  /** The name of its directory below the pod's. */
  readonly specName: string;
  readonly claim?: ClaimRef;
}

export const CSI_PLUGIN = 'kubernetes.io~csi';
export const LOCAL_PLUGIN = 'kubernetes.io~local-volume';

/**
 * What was walked of a pod, with its volumes of drivers: as these measure them, and those of disks of this host by their file
 * systems. One that nobody can measure is left out, as the kubelet does it.
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
