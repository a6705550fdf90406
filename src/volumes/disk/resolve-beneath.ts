import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs';
import { isCode, OpenDirectory } from './open-directory.ts';
import { isEntryName } from '../../kube/validation/entry-name.ts';

/** Linux: a descriptor that only identifies a place. */
const O_PATH = 0o10000000;
/** The kernel's own limit of links on one path. */
const MAX_LINKS = 40;

/** An entry of a volume, held open so that it cannot be replaced by a link to another place. */
export interface FoundBeneath {
  readonly fd: number;
  readonly stats: Stats;
  close(): void;
}

/**
 * Resolves a path in a volume that other processes may be changing at this moment. Links are read and followed here,
 * one name at a time, each from a directory that is held open. So the path never leaves the volume. It cannot leave by
 * `..`, by an absolute link, or by a directory that is replaced with a link between two checks. `make`: missing
 * directories at the end of the path are created with the mode of the volume's root.
 */
export function resolveBeneath(volumePath: string, path: string, missing: 'make' | 'fail'): FoundBeneath {
  const way: OpenDirectory[] = [OpenDirectory.open(volumePath)];
  try {
    return walk(way, { volumePath, path, missing });
  } finally {
    for (const directory of way) directory.close();
  }
}

interface Walk {
  readonly volumePath: string;
  readonly path: string;
  readonly missing: 'make' | 'fail';
}

function walk(way: OpenDirectory[], { volumePath, path, missing }: Walk): FoundBeneath {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  const rootMode = (way[0]?.stat().mode ?? 0) & 0o7777;
  let links = 0;
  for (let next = names.shift(); next !== undefined; next = names.shift()) {
    const here = last(way);
    if (next === '..') {
      if (way.length === 1) throw outside(path);
      way.pop()?.close();
      continue;
    }
    const entry = openEntry(here, next);
    if (entry === undefined) {
      if (missing === 'fail') throw Object.assign(new Error(`${path}: no such file or directory`), { code: 'ENOENT' });
      way.push(here.ensureChild(next, rootMode));
      continue;
    }
    if (entry.stats.isSymbolicLink()) {
      entry.close();
      // Another link may have replaced this one. Wherever it leads, the walk does not leave the volume.
      const target = here.readLink(next);
      if (target === undefined) throw new Error(`${path}: changed while it was being resolved`);
      links += 1;
      if (links > MAX_LINKS) throw new Error(`${path}: too many levels of symbolic links`);
      const inside = insideOf(target, volumePath);
      if (inside === undefined) throw outside(path);
      if (inside.fromRoot) for (const directory of way.splice(1)) directory.close();
      names.unshift(...inside.names);
      continue;
    }
    if (names.length === 0) return entry;
    entry.close();
    // Throws when the entry has become a link meanwhile.
    way.push(here.child(next));
  }
  return reopened(last(way));
}

const last = (way: readonly OpenDirectory[]): OpenDirectory => {
  const here = way.at(-1);
  if (here === undefined) throw new Error('the path has no open directory to start from');
  return here;
};

const outside = (path: string): Error => new Error(`${path}: leads out of the volume`);

function openEntry(directory: OpenDirectory, name: string): FoundBeneath | undefined {
  if (!isEntryName(name)) throw new Error(`${JSON.stringify(name)} is not a valid name of a directory entry`);
  try {
    return found(openSync(`${directory.path}/${name}`, O_PATH | constants.O_NOFOLLOW));
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

const reopened = (directory: OpenDirectory): FoundBeneath =>
  found(openSync(directory.path, O_PATH | constants.O_DIRECTORY));

function found(fd: number): FoundBeneath {
  try {
    return { fd, stats: fstatSync(fd), close: () => closeSync(fd) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Returns a link's target within the volume; `undefined` when the target is outside. */
function insideOf(
  target: string,
  volumePath: string,
): { readonly names: readonly string[]; readonly fromRoot: boolean } | undefined {
  const names = (text: string): readonly string[] => text.split('/').filter((name) => name !== '' && name !== '.');
  if (!target.startsWith('/')) return { names: names(target), fromRoot: false };
  const root = `${realpathSync(volumePath)}/`;
  return target.startsWith(root) ? { names: names(target.slice(root.length)), fromRoot: true } : undefined;
}

/**
 * Returns a volume's regular file as text, at most `maxBytes` long; `undefined` when the file is missing or outside the
 * volume.
 */
export function readBeneath(volumePath: string, path: string, maxBytes: number): string | undefined {
  try {
    const entry = resolveBeneath(volumePath, path, 'fail');
    try {
      if (!entry.stats.isFile() || entry.stats.size > maxBytes) return undefined;
      const file = openSync(`/proc/self/fd/${entry.fd}`, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        const buffer = Buffer.alloc(maxBytes + 1);
        let read = 0;
        for (let more = -1; more !== 0 && read < buffer.length; read += more) {
          more = readSync(file, buffer, read, buffer.length - read, read);
        }
        return read > maxBytes ? undefined : buffer.toString('utf8', 0, read);
      } finally {
        closeSync(file);
      }
    } finally {
      entry.close();
    }
  } catch {
    return undefined;
  }
}
