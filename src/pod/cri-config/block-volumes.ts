import { own } from '../../kube/text/own.ts';
import type { Pod } from '../../kube/pod.ts';
import type { BlockVolume } from './container-config.ts';

/**
 * Returns the block devices of the pod's volumes that some container asks for as a device, once those devices exist.
 */
export function blockVolumes(
  { spec }: Pod,
  paths: Readonly<Record<string, string>>,
): ReadonlyMap<string, BlockVolume> | undefined {
  const containers = [...(spec.initContainers ?? []), ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  const names = new Set(containers.flatMap(({ volumeDevices = [] }) => volumeDevices.map(({ name }) => name)));
  if (names.size === 0) return undefined;
  const volumes = new Map<string, BlockVolume>();
  for (const volume of spec.volumes ?? []) {
    const devicePath = own(paths, volume.name);
    if (devicePath === undefined || !names.has(volume.name)) continue;
    // The pod's claim decides whether containers may write to the device.
    const { persistentVolumeClaim: claim } = volume as { persistentVolumeClaim?: { readonly readOnly?: boolean } };
    volumes.set(volume.name, { devicePath, readOnly: claim?.readOnly === true });
  }
  return volumes;
}
