import { statSync } from 'node:fs';
import { deviceMap, POD_DEVICES, podDevice, type DeviceVolume } from '../plan/device-place.ts';
import { OpenDirectory } from './open-directory.ts';
import { isEntryName } from '../../kube/validation/entry-name.ts';
import { readable, type VolumeOutcome, type VolumeTools } from './set-up-volume.ts';

/** Order to map a block device for a pod, mapped already or not. */
export interface MapDeviceOrder {
  readonly type: 'map-device';
  readonly rootDir: string;
  readonly podUid: string;
  readonly volume: DeviceVolume;
}

/** Order to unmap all of a pod's devices, once its containers are gone. */
export interface UnmapDevicesOrder {
  readonly type: 'unmap-devices';
  readonly rootDir: string;
  readonly podUid: string;
}

const DIRECTORY_MODE = 0o750;

/**
 * Maps a block volume as the kubelet does: binds the device below the plugin's directory, holds it open there, and
 * links to it from the pod. Returns the link's path. Never rejects. May be repeated, also after an interruption at any
 * point.
 */
export async function mapDevice(order: MapDeviceOrder, { mounter }: VolumeTools): Promise<VolumeOutcome> {
  const { rootDir, podUid, volume } = order;
  try {
    if (!isEntryName(podUid)) throw new Error(`${JSON.stringify(podUid)} cannot be the name of a file`);
    const device = statSync(volume.path, { throwIfNoEntry: false });
    if (device === undefined) return { ok: false, message: `device path ${volume.path} does not exist` };
    if (!device.isBlockDevice()) return { ok: false, message: `${volume.path} is not a block device` };
    const map = deviceMap(volume.plugin, volume.specName);
    const bound = `${rootDir}/${map.join('/')}/${podUid}`;
    ensure(rootDir, map, (directory) => {
      if (directory.statOf(podUid) === undefined) directory.writeNewFile(podUid, new Uint8Array(), { mode: 0o640 });
    });
    const there = statSync(bound);
    if (!there.isBlockDevice()) await mounter.bind(volume.path, bound);
    else if (there.rdev !== device.rdev) {
      return { ok: false, message: `another device is mapped at ${bound}; it is unmapped when the pod is removed` };
    }
    ensure(rootDir, ['pods', podUid, POD_DEVICES, volume.plugin], (directory) => {
      const link = directory.readLink(volume.specName);
      if (link === volume.path) return;
      if (link !== undefined) directory.unlink(volume.specName);
      directory.link(volume.specName, volume.path);
    });
    const path = podDevice(order, volume);
    try {
      await mounter.hold(bound);
      return { ok: true, path };
    } catch {
      const warning = 'this host has no loop devices: block volumes are not held open for their containers';
      return { ok: true, path, warning };
    }
  } catch (error) {
    return { ok: false, message: readable(error) };
  }
}

/**
 * Reverts `mapDevice` for all devices of the pod that are found on disk, no matter which process mapped them. A
 * driver's link stays: it shows that the driver must still be called.
 */
export async function unmapDevices(
  { rootDir, podUid }: UnmapDevicesOrder,
  { mounter }: VolumeTools,
): Promise<VolumeOutcome> {
  try {
    if (!isEntryName(podUid)) return { ok: true };
    for (const { plugin, specName } of devicesOf(rootDir, podUid)) {
      const map = deviceMap(plugin, specName);
      const bound = `${rootDir}/${map.join('/')}/${podUid}`;
      await mounter.letGo(bound);
      if (statSync(bound, { throwIfNoEntry: false })?.isBlockDevice() === true) await mounter.unmount(bound);
      removeMap(rootDir, map, podUid);
      if (plugin !== 'kubernetes.io~csi') removeLink(rootDir, podUid, { plugin, specName });
    }
    return { ok: true };
  } catch (error) {
    return { ok: false, message: readable(error) };
  }
}

function ensure(rootDir: string, names: readonly string[], work: (directory: OpenDirectory) => void): void {
  const made = OpenDirectory.within(OpenDirectory.open(rootDir), (root) =>
    root.ensureDescendant(names, DIRECTORY_MODE),
  );
  OpenDirectory.within(made, work);
}

interface DeviceName {
  readonly plugin: string;
  readonly specName: string;
}

function devicesOf(rootDir: string, podUid: string): readonly DeviceName[] {
  const devices = OpenDirectory.within(OpenDirectory.open(rootDir), (root) =>
    root.descendantIfThere(['pods', podUid, POD_DEVICES]),
  );
  if (devices === undefined) return [];
  return OpenDirectory.within(devices, () =>
    devices.list().flatMap((plugin) => {
      const directory = devices.childIfThere(plugin);
      if (directory === undefined) return [];
      return OpenDirectory.within(directory, () => directory.list().map((specName) => ({ plugin, specName })));
    }),
  );
}

/** Removes the map, and directories that are no longer shared. */
function removeMap(rootDir: string, map: readonly string[], podUid: string): void {
  const directory = OpenDirectory.within(OpenDirectory.open(rootDir), (root) => root.descendantIfThere(map));
  if (directory === undefined) return;
  const isEmpty = OpenDirectory.within(directory, () => {
    if (directory.statOf(podUid) !== undefined) directory.unlink(podUid);
    return directory.list().length === 0;
  });
  const name = map.at(-1);
  if (!isEmpty || name === undefined) return;
  const parent = OpenDirectory.within(OpenDirectory.open(rootDir), (root) => root.descendantIfThere(map.slice(0, -1)));
  if (parent !== undefined) OpenDirectory.within(parent, () => parent.removeEmpty(name));
}

function removeLink(rootDir: string, podUid: string, { plugin, specName }: DeviceName): void {
  const directory = OpenDirectory.within(OpenDirectory.open(rootDir), (root) =>
    root.descendantIfThere(['pods', podUid, POD_DEVICES, plugin]),
  );
  if (directory !== undefined) OpenDirectory.within(directory, () => directory.unlink(specName));
}
