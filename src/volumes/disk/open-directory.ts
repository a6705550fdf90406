import { errorCode } from '../../kube/text/error-code.ts';
import { readRegularFileSync } from '../../host/read-regular-file.ts';
import { entryName } from '../../kube/validation/entry-name.ts';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
  type Stats,
} from 'node:fs';

/** Linux: a descriptor that only identifies a place. Not among Node's constants. */
const O_PATH = 0o10000000;
const HOLD_DIRECTORY = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** The permissions of the owner, which no sensible mask removes. */
const OWN_BITS = 0o700;

/**
 * A directory held open. Every operation acts on this very directory, one name at a time, and never follows a name that
 * is a link. A container may write below it as root, on its own volume. Yet it cannot make the node write, change or
 * remove anything elsewhere, not even by replacing a directory with a link at the right moment. The kernel resolves
 * `/proc/self/fd/<n>/<name>` as `openat` and its like do. Linux only.
 */
export class OpenDirectory {
  readonly #fd: number;
  /** The path for this process. Other processes, such as `mount`, use `pathFor`. */
  readonly path: string;
  /** `true` if this process created the directory when opening it, and has created nothing in it yet. */
  #isNew = false;

  private constructor(fd: number) {
    this.#fd = fd;
    this.path = `/proc/self/fd/${fd}`;
  }

  /** Opens a path that only the operator can have created. Its links are followed, because the operator made them. */
  static open(trustedPath: string): OpenDirectory {
    return new OpenDirectory(openSync(trustedPath, O_PATH | constants.O_DIRECTORY));
  }

  /** Runs `work` with the directory, then closes it. */
  static within<T>(directory: OpenDirectory, work: (directory: OpenDirectory) => T): T {
    try {
      return work(directory);
    } finally {
      directory.close();
    }
  }

  /** Opens a directory in this one. Throws ENOTDIR when the name is a link, ENOENT when it does not exist. */
  child(name: string): OpenDirectory {
    return new OpenDirectory(openSync(this.#at(name), HOLD_DIRECTORY));
  }

  childIfThere(name: string): OpenDirectory | undefined {
    if (this.statOf(name) === undefined) return undefined;
    try {
      return this.child(name);
    } catch (error) {
      if (isCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  /** Opens a directory in this one. A missing one is created with exactly this mode. */
  ensureChild(name: string, mode: number): OpenDirectory {
    // A thrown error costs more than a look. A directory created just now is empty.
    if (!this.#isNew && existsSync(this.#at(name))) return this.child(name);
    this.#isNew = false;
    try {
      mkdirSync(this.#at(name), { mode });
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error;
      return this.child(name);
    }
    const made = this.child(name);
    made.#isNew = true;
    // The process's file mode mask may have removed any permission of the group and of others.
    if ((mode & ~OWN_BITS) !== 0) made.chmod(mode);
    return made;
  }

  /** Like `ensureChild`, for several levels. */
  ensureDescendant(names: readonly string[], mode: number): OpenDirectory {
    const [first, ...others] = names;
    if (first === undefined) return this.#again();
    let directory = this.ensureChild(first, mode);
    for (const name of others) {
      directory = OpenDirectory.within(directory, (parent) => parent.ensureChild(name, mode));
    }
    return directory;
  }

  descendantIfThere(names: readonly string[]): OpenDirectory | undefined {
    const [first, ...others] = names;
    if (first === undefined) return this.#again();
    let directory = this.childIfThere(first);
    for (const name of others) {
      if (directory === undefined) return undefined;
      directory = OpenDirectory.within(directory, (parent) => parent.childIfThere(name));
    }
    return directory;
  }

  /** Writes a new file with exactly this mode. Throws when the file exists. */
  writeNewFile(name: string, bytes: Uint8Array, { mode, uid }: { readonly mode: number; readonly uid?: number }): void {
    const file = openSync(this.#at(name), NEW_FILE, mode);
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
      fchmodSync(file, mode);
      if (uid !== undefined) fchownSync(file, uid, -1);
    } finally {
      closeSync(file);
    }
  }

  /** The content of a regular file; `undefined` when it is not one, not there, or larger than 10 MiB. */
  readFile(name: string): Uint8Array | undefined {
    try {
      return readRegularFileSync(this.#at(name), { links: 'refuse' });
    } catch {
      return undefined;
    }
  }

  /** Returns a link's target; `undefined` when the name is not a link. */
  readLink(name: string): string | undefined {
    try {
      return readlinkSync(this.#at(name));
    } catch {
      return undefined;
    }
  }

  link(name: string, target: string): void {
    symlinkSync(target, this.#at(name));
  }

  rename(from: string, to: string): void {
    renameSync(this.#at(from), this.#at(to));
  }

  unlink(name: string): void {
    unlinkSync(this.#at(name));
  }

  /** Throws ENOTEMPTY or EBUSY (a mount point) rather than remove more than an empty directory. */
  removeEmpty(name: string): void {
    rmdirSync(this.#at(name));
  }

  /** Returns the entry's own status, never that of a link's target. */
  statOf(name: string): Stats | undefined {
    return lstatSync(this.#at(name), { throwIfNoEntry: false });
  }

  /** `true` if this process created the directory when opening it, and it is empty as far as known. */
  get isNew(): boolean {
    return this.#isNew;
  }

  stat(): Stats {
    return fstatSync(this.#fd);
  }

  list(): readonly string[] {
    return readdirSync(this.path);
  }

  chmod(mode: number): void {
    chmodSync(this.path, mode);
  }

  chown(uid: number, gid: number): void {
    chownSync(this.path, uid, gid);
  }

  /** Changes the owner of the entry itself, even if it is a link. */
  chownEntry(name: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
    lchownSync(this.#at(name), uid, gid);
  }

  /** Changes the mode of an entry; links are left alone. */
  chmodEntry(name: string, mode: number): void {
    const entry = openSync(this.#at(name), O_PATH | constants.O_NOFOLLOW);
    try {
      if (!fstatSync(entry).isSymbolicLink()) chmodSync(`/proc/self/fd/${entry}`, mode);
    } finally {
      closeSync(entry);
    }
  }

  /** Removes an entry, if present, with everything below it, but never anything on another file system. */
  removeTree(name: string): void {
    const found = this.statOf(name);
    if (found === undefined) return;
    if (!found.isDirectory()) return this.unlink(name);
    OpenDirectory.within(this.child(name), (child) => {
      if (child.stat().dev !== this.stat().dev) throw busy(name);
      for (const entry of readdirSync(child.path, { withFileTypes: true })) {
        // The entry may have changed since; unlinking never removes a directory.
        if (entry.isFile() || entry.isSymbolicLink()) child.unlink(entry.name);
        else child.removeTree(entry.name);
      }
    });
    this.removeEmpty(name);
  }

  /**
   * Returns the directory's path for a child of this process, given this process's id. Valid only while the directory
   * is open.
   */
  pathFor(pid: number): string {
    return `/proc/${pid}/fd/${this.#fd}`;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #again(): OpenDirectory {
    return new OpenDirectory(openSync(this.path, O_PATH | constants.O_DIRECTORY));
  }

  #at(name: string): string {
    return `${this.path}/${entryName(name)}`;
  }
}

export const isCode = (error: unknown, code: string): boolean => errorCode(error) === code;

const busy = (name: string): Error =>
  Object.assign(new Error(`${name} is on another file system: something is mounted there`), { code: 'EBUSY' });
