import type { WallMs } from '../../actor/clock.ts';
import { OpenDirectory } from './open-directory.ts';
import { payloadProblem, topLevelNames, type Payload } from '../plan/payload.ts';
import { giveToGroup, type GroupOwnership } from './volume-ownership.ts';

const CURRENT = '..data';
const NEXT = '..data_tmp';
const NOTHING_THERE: ReadonlySet<string> = new Set();
const DIRECTORY_MODE = 0o755;
/** The directory of one version of the content: `..2026_01_31_23_59_59.0123456789`. */
const VERSION = /^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\.\d+$/;

export interface WriterOptions {
  /** Wall clock, and a number in [0, 1). Together they make the name of the new version. */
  readonly now: WallMs;
  readonly chance: number;
  readonly group?: GroupOwnership;
  /** `keep`: no version is removed, since the runtime may be starting a container with it. Default: `remove`. */
  readonly olderVersions?: 'keep' | 'remove';
}

/**
 * Makes a directory hold exactly these files. A reader sees either all of the old or all of the new content, even if
 * this process is killed. The new content is written aside, and one rename of a link (`..data`) puts it in place; the
 * names at the top are links through `..data`. The previous version is removed at once, as in the kubelet, unless older
 * versions are kept. A reader that looked up a name just before finds nothing and must retry. Leftovers of an
 * interrupted writer, and versions that were kept, are removed by the next writer that keeps none.
 * Throws the disk's error; the old content is then still in place.
 */
export function writeAtomically(
  directory: OpenDirectory,
  payload: Payload,
  options: WriterOptions,
): 'written' | 'unchanged' {
  const problem = payloadProblem(payload);
  if (problem !== undefined) throw new Error(problem);
  const there: ReadonlySet<string> = directory.isNew ? NOTHING_THERE : new Set(directory.list());
  const before = there.has(CURRENT) ? directory.readLink(CURRENT) : undefined;
  const isSame = before !== undefined && VERSION.test(before) && holds(directory, before, payload);
  const keeps = options.olderVersions === 'keep';
  // Removed before the new version is written: leftovers might fill the disk, and the write would never succeed.
  if (!keeps) removeVersions(directory, { there, but: before });
  if (there.has(NEXT)) directory.removeTree(NEXT);
  if (!isSame) {
    const version = versionName(options);
    try {
      writeVersion(directory, { version, payload, group: options.group });
      // Without earlier content, the link itself puts everything in place.
      if (there.has(CURRENT)) {
        directory.link(NEXT, version);
        directory.rename(NEXT, CURRENT);
      } else directory.link(CURRENT, version);
    } catch (error) {
      removeQuietly(directory, version);
      throw error;
    }
  }
  const names = topLevelNames(payload);
  showNames(directory, names, there);
  hideOthers(directory, names, there);
  // The previous version goes last: a reader may be in the middle of it.
  if (!isSame && !keeps && before !== undefined && VERSION.test(before)) directory.removeTree(before);
  return isSame ? 'unchanged' : 'written';
}

/** `true` if the directory holds versions of its content besides the current one. */
export function hasOlderVersions(directory: OpenDirectory): boolean {
  const current = directory.readLink(CURRENT);
  return directory.list().some((name) => VERSION.test(name) && name !== current);
}

function versionName({ now, chance }: WriterOptions): string {
  const stamp = new Date(now).toISOString().slice(0, 19).replace(/[-T:]/g, '_');
  return `..${stamp}.${Math.floor(chance * 1e10)}`;
}

function writeVersion(
  directory: OpenDirectory,
  { version, payload, group }: { version: string; payload: Payload; group: GroupOwnership | undefined },
): void {
  // The new version does not exist yet: leftovers were removed above, and its name differs from the present version's.
  OpenDirectory.within(directory.ensureChild(version, DIRECTORY_MODE), (root) => {
    for (const [path, file] of payload) {
      const names = path.split('/');
      const name = names.pop() ?? path;
      if (names.length === 0) {
        root.writeNewFile(name, file.bytes, file);
        continue;
      }
      OpenDirectory.within(root.ensureDescendant(names, DIRECTORY_MODE), (parent) =>
        parent.writeNewFile(name, file.bytes, file),
      );
    }
    if (group !== undefined) giveToGroup(root, { ...group, policy: 'Always' });
  });
}

/** `true` if a version holds exactly these files. */
function holds(directory: OpenDirectory, version: string, payload: Payload): boolean {
  const root = directory.childIfThere(version);
  if (root === undefined) return false;
  return OpenDirectory.within(root, () => {
    let files = 0;
    const isEqual = (at: OpenDirectory, prefix: string): boolean =>
      at.list().every((name) => {
        if (at.statOf(name)?.isDirectory() === true) {
          return OpenDirectory.within(at.child(name), (child) => isEqual(child, `${prefix}${name}/`));
        }
        files += 1;
        const wanted = payload.get(`${prefix}${name}`);
        const found = wanted === undefined ? undefined : at.readFile(name);
        return wanted !== undefined && found !== undefined && Buffer.compare(found, wanted.bytes) === 0;
      });
    return isEqual(root, '') && files === payload.size;
  });
}

function showNames(directory: OpenDirectory, names: ReadonlySet<string>, there: ReadonlySet<string>): void {
  for (const name of names) {
    const target = `${CURRENT}/${name}`;
    const found = there.has(name) ? directory.readLink(name) : undefined;
    if (found === target) continue;
    // Another volume is mounted over this name, or the name is a file. The path through `..data` still works.
    if (found === undefined && there.has(name)) continue;
    if (found !== undefined) directory.unlink(name);
    directory.link(name, target);
  }
}

/** Removes own links whose target no longer exists. */
function hideOthers(directory: OpenDirectory, names: ReadonlySet<string>, there: ReadonlySet<string>): void {
  for (const name of there) {
    if (!names.has(name) && !name.startsWith('..') && directory.readLink(name) === `${CURRENT}/${name}`)
      directory.unlink(name);
  }
}

/** Removes versions that an interrupted writer has left. */
function removeVersions(
  directory: OpenDirectory,
  { there, but }: { readonly there: ReadonlySet<string>; readonly but: string | undefined },
): void {
  for (const name of there) {
    if (VERSION.test(name) && name !== but) directory.removeTree(name);
  }
}

function removeQuietly(directory: OpenDirectory, version: string): void {
  try {
    if (directory.readLink(CURRENT) !== version) directory.removeTree(version);
  } catch {
    // The next write removes it.
  }
}
