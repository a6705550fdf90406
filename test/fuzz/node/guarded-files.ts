import { posix } from 'node:path';
import type { PathKind } from '../../../src/host/pod-files.ts';
import { MemoryCsiFiles } from '../../support/memory-csi-files.ts';
import { MemoryFiles } from '../../simulation/node/memory-files.ts';

/** The folders below which the agent may write. */
const ROOTS = ['/var/lib/hivelet', '/var/log/pods'];
const LONGEST_NAME = 255;
const LONGEST_PATH = 4_095;

/** A disk in memory that rejects the paths a real disk rejects, and reports writes outside the agent's folders. */
export class GuardedFiles extends MemoryFiles {
  readonly #outside: (path: string) => void;

  constructor(outside: (path: string) => void) {
    super();
    this.#outside = outside;
  }

  override makeDirectory(path: string): void {
    super.makeDirectory(this.#written(path));
  }

  override writeFile(path: string, text: string): void {
    super.writeFile(this.#written(path), text);
  }

  override claim(path: string, text: string): boolean {
    return super.claim(this.#written(path), text);
  }

  override link(target: string, path: string): void {
    super.link(mayBePath(target), this.#written(path));
  }

  override removeEntry(directory: string, name: string): void {
    // The real disk rejects names that are not a single entry of the directory.
    if (name === '' || name === '.' || name === '..' || name.includes('/')) {
      throw new Error(`refusing to remove ${JSON.stringify([directory, name])}`);
    }
    this.#written(`${directory}/${name}`);
    super.removeEntry(directory, name);
  }

  override createLog(path: string): void {
    super.createLog(this.#written(path));
  }

  override kindOf(path: string): PathKind | undefined {
    return super.kindOf(mayBePath(path));
  }

  #written(path: string): string {
    mayBePath(path);
    if (!isInside(path)) this.#outside(path);
    return path;
  }
}

/** `true` if a path is below the agent's folders, without steps outside. */
export function isInside(path: string): boolean {
  const real = posix.normalize(path);
  const isBelow = ROOTS.some((root) => real === root || real.startsWith(`${root}/`));
  return isBelow && !path.split('/').includes('..');
}

/** The same for files beside the mounts of drivers. */
export class GuardedCsiFiles extends MemoryCsiFiles {
  readonly #outside: (path: string) => void;

  constructor(outside: (path: string) => void) {
    super();
    this.#outside = outside;
  }

  override makeDirectory(path: string): void {
    super.makeDirectory(this.#written(path));
  }

  override write(path: string, text: string): void {
    super.write(this.#written(path), text);
  }

  override removeFile(path: string): void {
    super.removeFile(this.#written(path));
  }

  override removeEmpty(path: string): void {
    super.removeEmpty(this.#written(path));
  }

  #written(path: string): string {
    mayBePath(path);
    if (!isInside(path)) this.#outside(path);
    return path;
  }
}

/** Throws the error of the kernel or of Node for an invalid path. */
function mayBePath(path: string): string {
  if (path.includes('\0')) throw coded('ERR_INVALID_ARG_VALUE', 'a path must not hold null bytes');
  const isLong = path.length > LONGEST_PATH || path.split('/').some((name) => Buffer.byteLength(name) > LONGEST_NAME);
  if (isLong) throw coded('ENAMETOOLONG', 'name too long');
  return path;
}

const coded = (code: string, text: string): Error => Object.assign(new Error(`${code}: ${text}`), { code });
