import { realpathSync } from 'node:fs';
import { POD_DEVICES } from '../plan/device-place.ts';
import { unmapDevices } from './map-device.ts';
import type { MountPoint } from './mounter.ts';
import { isCode, OpenDirectory } from './open-directory.ts';
import { isEntryName } from '../../kube/validation/entry-name.ts';
import { readable, type VolumeOutcome, type VolumeTools } from './set-up-volume.ts';
import { OWN_DIRECTORIES } from '../plan/volume-place.ts';

/** Order to tear down every volume of a pod whose containers are gone. */
export interface TearDownOrder {
  readonly type: 'tear-down';
  readonly rootDir: string;
  readonly podUid: string;
}

/**
 * Unmounts all mounts below the pod's directory, the deepest first, then removes this agent's own volumes. Nothing is
 * ever removed across a mount, and unknown entries are removed only when empty. `mounted`: this host's mounts, read
 * once for many pods.
 */
export async function tearDownPod(
  { rootDir, podUid }: TearDownOrder,
  tools: VolumeTools,
  mounted: () => Promise<readonly MountPoint[]>,
): Promise<VolumeOutcome> {
  try {
    if (!isEntryName(podUid)) return { ok: true };
    const pod = openPod(rootDir, podUid);
    if (pod === undefined) return { ok: true };
    try {
      if (pod.list().every((name) => !HOLDS_MOUNTS.has(name))) return { ok: true };
      if (pod.statOf(POD_DEVICES) !== undefined) {
        const unmapped = await unmapDevices({ type: 'unmap-devices', rootDir, podUid }, tools);
        if (!unmapped.ok) return unmapped;
      }
      const inside = `${realpathSync(rootDir)}/pods/${podUid}/`;
      const points = (await mounted()).map(({ path }) => path).filter((path) => path.startsWith(inside));
      // Of two mounts on the same place the later one is on top, and is unmounted first.
      for (const path of points.toReversed().sort((one, other) => depth(other) - depth(one))) {
        await tools.mounter.unmount(path);
      }
      removeSubPaths(pod);
      removeVolumes(pod);
      // A remaining link shows that a driver has not removed its device yet. Then nothing is removed.
      removeDevices(pod);
      return { ok: true };
    } finally {
      pod.close();
    }
  } catch (error) {
    return { ok: false, message: readable(error) };
  }
}

const HOLDS_MOUNTS: ReadonlySet<string> = new Set(['volumes', 'volume-subpaths', POD_DEVICES, 'plugins']);

const depth = (path: string): number => path.split('/').length;

function openPod(rootDir: string, podUid: string): OpenDirectory | undefined {
  try {
    return OpenDirectory.within(OpenDirectory.open(rootDir), (root) => root.descendantIfThere(['pods', podUid]));
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Bound parts are user data: their places are removed only when nothing is mounted there. */
function removeSubPaths(pod: OpenDirectory): void {
  removeLevels(pod, 'volume-subpaths', 3);
}

function removeLevels(parent: OpenDirectory, name: string, levels: number): void {
  const found = parent.statOf(name);
  if (found === undefined) return;
  if (!found.isDirectory()) return parent.unlink(name);
  if (levels > 0) {
    OpenDirectory.within(parent.child(name), (child) => {
      for (const entry of child.list()) removeLevels(child, entry, levels - 1);
    });
  }
  parent.removeEmpty(name);
}

function removeVolumes(pod: OpenDirectory): void {
  const volumes = pod.childIfThere('volumes');
  if (volumes !== undefined) {
    OpenDirectory.within(volumes, () => {
      for (const plugin of volumes.list()) removePlugin(volumes, plugin);
    });
    pod.removeEmpty('volumes');
  }
  const plugins = pod.childIfThere('plugins');
  if (plugins === undefined) return;
  OpenDirectory.within(plugins, () => plugins.removeTree('kubernetes.io~empty-dir'));
}

function removeDevices(pod: OpenDirectory): void {
  const devices = pod.childIfThere(POD_DEVICES);
  if (devices === undefined) return;
  OpenDirectory.within(devices, () => {
    for (const plugin of devices.list()) devices.removeEmpty(plugin);
  });
  pod.removeEmpty(POD_DEVICES);
}

function removePlugin(volumes: OpenDirectory, plugin: string): void {
  OpenDirectory.within(volumes.child(plugin), (directory) => {
    for (const name of directory.list()) {
      if (OWN_DIRECTORIES.has(plugin)) directory.removeTree(name);
      else directory.removeEmpty(name);
    }
  });
  volumes.removeEmpty(plugin);
}
