import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs';
import { isCode, OpenDirectory } from './open-directory.ts';
import { isEntryName } from '../../kube/validation/entry-name.ts';

/** Linux: a descriptor that only says where something is. */
const O_PATH = 0o10000000;
/** As many links as the kernel follows on one path. */
const MAX_LINKS = 40;

/** Something in a volume, held open: what it is cannot be exchanged any more for something elsewhere. */
export interface FoundBeneath {
  readonly fd: number;
  readonly stats: Stats;
  close(): void;
}

/**
 * Walks a path in a volume that somebody else may be changing at this very moment. Links are read and followed here, one name
 * at a time, each from a directory that is held open, so that the way never leads out of the volume: neither by `..`, nor by an
 * absolute link, nor by a directory that is exchanged for a link between two looks. `make`: directories that are missing at the
 * end of the way are made, with the mode of the volume's root.
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
      // Another link may have come in its place: wherever that leads, the walk does not leave the volume.
      const target = here.readLink(next);
      if (target === undefined) throw new Error(`${path}: changed while it was looked at`);
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
    // Throws where it has become a link meanwhile.
    way.push(here.child(next));
  }
  return reopened(last(way));
}

const last = (way: readonly OpenDirectory[]): OpenDirectory => {
  const here = way.at(-1);
  if (here === undefined) throw new Error('the way has no beginning');
  return here;
};

const outside = (path: string): Error => new Error(`${path}: leads out of the volume`);

function openEntry(directory: OpenDirectory, name: string): FoundBeneath | undefined {
  if (!isEntryName(name)) throw new Error(`${JSON.stringify(name)} is not the name of an entry of a directory`);
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

/** Where a link leads within the volume; undefined: out of it. */
function insideOf(
  target: string,
  volumePath: string,
): { readonly names: readonly string[]; readonly fromRoot: boolean } | undefined {
  const names = (text: string): readonly string[] => text.split('/').filter((name) => name !== '' && name !== '.');
  if (!target.startsWith('/')) return { names: names(target), fromRoot: false };
  const root = `${realpathSync(volumePath)}/`;
  return target.startsWith(root) ? { names: names(target.slice(root.length)), fromRoot: true } : undefined;
}

/** A regular file of a volume as text, of at most so many bytes; undefined when there is none, or it leads out of the volume. */
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
