import { entryName } from '../../kube/validation/entry-name.ts';

/**
 * The owner of devices, `/` written as `~`. The names are the kubelet's, so that either agent finds what the other
 * left.
 */
export type DevicePlugin = 'kubernetes.io~csi' | 'kubernetes.io~local-volume';

/** A block device of this host that is a volume of a pod. */
export interface DeviceVolume {
  readonly plugin: DevicePlugin;
  /** The PersistentVolume's name, which is also the name of the link in the pod's directory. */
  readonly specName: string;
  /** The absolute path of the device. */
  readonly path: string;
}

/** Below the pod's directory: a link for each of its devices. */
export const POD_DEVICES = 'volumeDevices';

/** Below the agent's root: where devices of CSI drivers are staged, published and held open. */
export const CSI_DEVICES = 'plugins/kubernetes.io/csi/volumeDevices';

/** Returns, below the agent's root, the directory where a device is bound once for each pod that uses it. */
export function deviceMap(plugin: string, specName: string): readonly string[] {
  const top = plugin === 'kubernetes.io~csi' ? CSI_DEVICES.split('/') : ['plugins', plugin, POD_DEVICES];
  return plugin === 'kubernetes.io~csi' ? [...top, entryName(specName), 'dev'] : [...top, entryName(specName)];
}

/** Returns the path that a container receives: the link in the pod's directory. */
export const podDevice = (
  { rootDir, podUid }: { readonly rootDir: string; readonly podUid: string },
  { plugin, specName }: Pick<DeviceVolume, 'plugin' | 'specName'>,
): string => `${rootDir}/pods/${entryName(podUid)}/${POD_DEVICES}/${plugin}/${entryName(specName)}`;
