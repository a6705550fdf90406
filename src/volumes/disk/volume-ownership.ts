import { OpenDirectory } from './open-directory.ts';
import { messageOf } from '../../kube/text/message-of.ts';

/** The ownership of a volume that belongs to a pod's `fsGroup`. */
export interface GroupOwnership {
  readonly gid: number;
  readonly access: 'read-write' | 'read-only';
  /** `fsGroupChangePolicy`: with `OnRootMismatch`, a correct root means that the whole volume is correct. */
  readonly policy: 'Always' | 'OnRootMismatch';
}

const FILE_BITS = { 'read-write': 0o660, 'read-only': 0o440 } as const;
const DIRECTORY_BITS = 0o110;
const SETGID = 0o2000;

/** Returns the mode bits that an entry gets in addition to its own. */
export const groupMode = (mode: number, kind: 'file' | 'directory', access: GroupOwnership['access']): number =>
  (mode & 0o7777) | FILE_BITS[access] | (kind === 'directory' ? SETGID | DIRECTORY_BITS : 0);

/**
 * Gives everything in a directory, and last the directory itself, to the group. A correct root thus proves that the
 * rest is correct. Links change their owner and are never followed. Returns the entries that could not be changed.
 */
export function giveToGroup(directory: OpenDirectory, ownership: GroupOwnership): readonly string[] {
  if (ownership.policy === 'OnRootMismatch' && isGiven(directory, ownership)) return [];
  const failed: string[] = [];
  giveTree(directory, ownership, failed);
  return failed;
}

function isGiven(directory: OpenDirectory, { gid, access }: GroupOwnership): boolean {
  const { gid: owner, mode } = directory.stat();
  return owner === gid && groupMode(mode, 'directory', access) === (mode & 0o7777);
}

function giveTree(directory: OpenDirectory, ownership: GroupOwnership, failed: string[]): void {
  const { gid, access } = ownership;
  const device = directory.stat().dev;
  for (const name of directory.list()) {
    try {
      const found = directory.statOf(name);
      if (found === undefined) continue;
      if (!found.isDirectory()) {
        directory.chownEntry(name, { uid: -1, gid });
        if (!found.isSymbolicLink()) directory.chmodEntry(name, groupMode(found.mode, 'file', access));
        continue;
      }
      OpenDirectory.within(directory.child(name), (child) => {
        // A mount inside the volume belongs to another owner.
        if (child.stat().dev === device) giveTree(child, ownership, failed);
      });
    } catch (error) {
      failed.push(`${name}: ${messageOf(error)}`);
    }
  }
  try {
    directory.chown(-1, gid);
    directory.chmod(groupMode(directory.stat().mode, 'directory', access));
  } catch (error) {
    failed.push(messageOf(error));
  }
}
