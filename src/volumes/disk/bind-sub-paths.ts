import { isCode, OpenDirectory } from './open-directory.ts';
import { resolveBeneath, type FoundBeneath } from './resolve-beneath.ts';
import { readable, type VolumeOutcome, type VolumeTools } from './set-up-volume.ts';

/** Parts of volumes for a container. Each is bound to a place of the pod's own before the container is created. */
export interface BindSubPathsOrder {
  readonly type: 'bind-sub-paths';
  readonly rootDir: string;
  readonly podUid: string;
  readonly container: string;
  readonly binds: readonly SubPathPart[];
}

export interface SubPathPart {
  readonly volume: string;
  readonly volumePath: string;
  readonly subPath: string;
  /** The index of the container's mount. */
  readonly index: number;
}

const DIRECTORY_MODE = 0o750;
const FILE_MODE = 0o640;
const NOTHING = new Uint8Array();

/**
 * Binds by open descriptor and not by name. The runtime then mounts exactly the entry found in the volume, even if
 * another container of the pod renames it. An equal bind from the container's previous start stays. Never rejects.
 */
export async function bindSubPaths(order: BindSubPathsOrder, tools: VolumeTools): Promise<VolumeOutcome> {
  for (const part of order.binds) {
    try {
      await bindPart(order, part, tools);
    } catch (error) {
      const what = `failed to prepare subPath for volumeMount "${part.volume}" of container "${order.container}"`;
      return { ok: false, message: `${what}: ${readable(error)}` };
    }
  }
  return { ok: true };
}

async function bindPart(
  { rootDir, podUid, container }: BindSubPathsOrder,
  { volume, volumePath, subPath, index }: SubPathPart,
  { mounter }: VolumeTools,
): Promise<void> {
  const source = resolveBeneath(volumePath, subPath, 'make');
  try {
    const places = OpenDirectory.within(OpenDirectory.open(rootDir), (root) =>
      root.ensureDescendant(['pods', podUid, 'volume-subpaths', volume, container], DIRECTORY_MODE),
    );
    try {
      const name = String(index);
      const target = `${places.pathFor(mounter.pid)}/${name}`;
      const there = places.statOf(name);
      if (there !== undefined) {
        if (there.dev === source.stats.dev && there.ino === source.stats.ino) return;
        // A leftover: another version of the file, or the place of a failed bind.
        await unmountAll(target, mounter);
        removePlace(places, name);
      }
      makePlace(places, name, source);
      await mounter.bind(`/proc/${mounter.pid}/fd/${source.fd}`, target);
    } finally {
      places.close();
    }
  } finally {
    source.close();
  }
}

function makePlace(places: OpenDirectory, name: string, { stats }: FoundBeneath): void {
  if (stats.isDirectory()) places.ensureChild(name, DIRECTORY_MODE).close();
  else places.writeNewFile(name, NOTHING, { mode: FILE_MODE });
}

/** Throws when something is still mounted on the place, or when it is not empty. */
function removePlace(places: OpenDirectory, name: string): void {
  if (places.statOf(name)?.isDirectory() === true) places.removeEmpty(name);
  else places.unlink(name);
}

async function unmountAll(target: string, mounter: VolumeTools['mounter']): Promise<void> {
  try {
    await mounter.unmount(target);
  } catch (error) {
    if (!isNotMounted(error)) throw error;
  }
}

const isNotMounted = (error: unknown): boolean =>
  isCode(error, 'EINVAL') || (error instanceof Error && /not mounted|no mount point/i.test(error.message));
