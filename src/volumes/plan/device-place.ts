import { entryName } from '../../kube/validation/entry-name.ts';

/** Whose devices they are, `/` written as `~`: the kubelet's names, so that either finds what the other left. */
export type DevicePlugin = 'kubernetes.io~csi' | 'kubernetes.io~local-volume';

/** A block device of this host that is a volume of a pod. */
export interface DeviceVolume {
  readonly plugin: DevicePlugin;
  /** Of the PersistentVolume: the name under which it lies in the pod's directory. */
  readonly specName: string;
  /** Of the device, absolute. */
  readonly path: string;
}

/** Below the pod's directory: a link for each of its devices. */
export const POD_DEVICES = 'volumeDevices';

/** Below the agent's root: where the devices of the CSI drivers are staged, published and held open. */
export const CSI_DEVICES = 'plugins/kubernetes.io/csi/volumeDevices';

/** Below the agent's root: the directory in which a device is bound once for each pod that has it. */
export function deviceMap(plugin: string, specName: string): readonly string[] {
  const top = plugin === 'kubernetes.io~csi' ? CSI_DEVICES.split('/') : ['plugins', plugin, POD_DEVICES];
  return plugin === 'kubernetes.io~csi' ? [...top, entryName(specName), 'dev'] : [...top, entryName(specName)];
}

/** What a container is given: the link in the pod's directory. */
export const podDevice = (
  { rootDir, podUid }: { readonly rootDir: string; readonly podUid: string },
  { plugin, specName }: Pick<DeviceVolume, 'plugin' | 'specName'>,
): string => `${rootDir}/pods/${entryName(podUid)}/${POD_DEVICES}/${plugin}/${entryName(specName)}`;
