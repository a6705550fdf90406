import { entryName } from '../kube/validation/entry-name.ts';
import { CSI_DEVICES, POD_DEVICES } from '../volumes/plan/device-place.ts';
import type { CsiFiles } from './csi-files.ts';
import { CSI_VOLUMES, stagingDirectory, type CsiVolume, type StagedVolume } from './csi-volume.ts';

/** The places of CSI volumes on this node. All are the kubelet's. */
export interface CsiPlace {
  readonly rootDir: string;
  readonly nodeName: string;
  readonly files: CsiFiles;
}

export const podVolumes = ({ rootDir }: CsiPlace, podUid: string): string =>
  `${rootDir}/pods/${entryName(podUid)}/${CSI_VOLUMES}`;

/**
 * Holds a link for each of a pod's devices from drivers. A link exists from before the driver's first call until the
 * driver has removed the device.
 */
export const podDevices = ({ rootDir }: CsiPlace, podUid: string): string =>
  `${rootDir}/pods/${entryName(podUid)}/${POD_DEVICES}/kubernetes.io~csi`;

/** The directory of all block devices from drivers. */
export const devicesTop = ({ rootDir }: CsiPlace): string => `${rootDir}/${CSI_DEVICES}`;

/** The directory where a driver publishes a device, with one entry per pod UID. */
export const publishDirectory = (place: CsiPlace, specName: string): string =>
  `${devicesTop(place)}/publish/${entryName(specName)}`;

/** The path where the driver publishes a pod's volume. */
export const publishedPath = (
  place: CsiPlace,
  podUid: string,
  { mode, specName }: Pick<CsiVolume, 'mode' | 'specName'>,
): string =>
  mode === 'Block'
    ? `${publishDirectory(place, specName)}/${entryName(podUid)}`
    : `${podVolumes(place, podUid)}/${entryName(specName)}/mount`;

/** Returns where a volume is staged for all pods, and the directory of its record. */
export function stagingPlace(
  place: CsiPlace,
  { device, ...volume }: StagedVolume,
): { readonly path: string; readonly record: string } {
  if (device !== undefined) {
    const name = entryName(device);
    return { path: `${devicesTop(place)}/staging/${name}`, record: `${devicesTop(place)}/${name}/data` };
  }
  const directory = `${place.rootDir}/${stagingDirectory(volume)}`;
  return { path: `${directory}/globalmount`, record: directory };
}
