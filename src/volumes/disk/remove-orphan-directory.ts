import { realpathSync } from 'node:fs';
import { POD_DEVICES } from '../plan/device-place.ts';
import type { Mounter } from './mounter.ts';
import { isCode, OpenDirectory } from './open-directory.ts';
import { isEntryName } from '../../kube/validation/entry-name.ts';

/**
 * Removes the directory of an orphaned pod, unless something is mounted anywhere below it. A mount holds user data, and
 * a bind mount looks like any directory. No link is followed and no other file system entered.
 */
export async function removeOrphanDirectory(
  { rootDir, podUid }: { readonly rootDir: string; readonly podUid: string },
  mounter: Pick<Mounter, 'mountPoints'>,
): Promise<'removed' | 'still-mounted'> {
  if (!isEntryName(podUid)) throw new Error(`refusing to remove ${JSON.stringify([`${rootDir}/pods`, podUid])}`);
  const directory = `${realpathSync(rootDir)}/pods/${podUid}`;
  const mounted = await mounter.mountPoints();
  if (mounted.some(({ path }) => path === directory || path.startsWith(`${directory}/`))) return 'still-mounted';
  if (hasDevices(rootDir, podUid)) return 'still-mounted';
  try {
    OpenDirectory.within(OpenDirectory.open(rootDir), (root) => {
      const pods = root.childIfThere('pods');
      if (pods !== undefined) OpenDirectory.within(pods, () => pods.removeTree(podUid));
    });
    return 'removed';
  } catch (error) {
    if (isCode(error, 'EBUSY')) return 'still-mounted';
    throw error;
  }
}

/** Devices are bound elsewhere. Only the links in the pod's directory show that the pod has any. */
function hasDevices(rootDir: string, podUid: string): boolean {
  const found = OpenDirectory.within(OpenDirectory.open(rootDir), (root) =>
    root.descendantIfThere(['pods', podUid, POD_DEVICES]),
  );
  if (found === undefined) return false;
  return OpenDirectory.within(found, (devices) =>
    devices.list().some((plugin) => {
      const links = devices.childIfThere(plugin);
      return links !== undefined && OpenDirectory.within(links, () => links.list().length > 0);
    }),
  );
}
