import { entryName } from '../kube/validation/entry-name.ts';
import { CSI_DEVICES, POD_DEVICES } from '../volumes/plan/device-place.ts';
import type { CsiFiles } from './csi-files.ts';
import { CSI_VOLUMES, stagingDirectory, type CsiVolume, type StagedVolume } from './csi-volume.ts';

/** Where on this node CSI volumes lie. All the kubelet's own places. */
export interface CsiPlace {
  readonly rootDir: string;
  readonly nodeName: string;
  readonly files: CsiFiles;
}

export const podVolumes = ({ rootDir }: CsiPlace, podUid: string): string =>
  `${rootDir}/pods/${entryName(podUid)}/${CSI_VOLUMES}`;

/** With a link for each device that a pod has of a driver: there from before the driver is asked until it has taken it away. */
export const podDevices = ({ rootDir }: CsiPlace, podUid: string): string =>
  `${rootDir}/pods/${entryName(podUid)}/${POD_DEVICES}/kubernetes.io~csi`;

/** What drivers have made of block devices. */
export const devicesTop = ({ rootDir }: CsiPlace): string => `${rootDir}/${CSI_DEVICES}`;

/** Where a driver publishes a device to the pods of this node, each under its UID. */
export const publishDirectory = (place: CsiPlace, specName: string): string =>
  `${devicesTop(place)}/publish/${entryName(specName)}`;

/** Where the driver makes a pod's volume available. */
export const publishedPath = (
  place: CsiPlace,
  podUid: string,
  { mode, specName }: Pick<CsiVolume, 'mode' | 'specName'>,
): string =>
  mode === 'Block'
    ? `${publishDirectory(place, specName)}/${entryName(podUid)}`
    : `${podVolumes(place, podUid)}/${entryName(specName)}/mount`;

/** Where a volume is staged for all pods, and the directory of the record of that. */
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
