import { OpenDirectory } from './open-directory.ts';

/**
 * The ways to directories of volumes, kept open from one order to the next: of orders that are given at once several are about volumes
 * of the same pod, and all about pods of the same node, and to go there costs a third of a small volume. Only for as long as
 * nobody removes anything on these ways; after `close` each is gone anew.
 */
export class HeldParents {
  readonly #mode: number;
  readonly #held = new Map<string, OpenDirectory>();
  #isClosed = false;

  /** `mode`: of directories that have to be made. */
  constructor(mode: number) {
    this.#mode = mode;
  }

  /** Does the work in the directory that these names lead to from the root; what is not there is made. The work is not awaited. */
  within<T>(rootDir: string, names: readonly string[], work: (directory: OpenDirectory) => T): T {
    if (!this.#isClosed) return work(this.#hold(rootDir, names));
    const directory = OpenDirectory.within(OpenDirectory.open(rootDir), (root) =>
      root.ensureDescendant(names, this.#mode),
    );
    return OpenDirectory.within(directory, work);
  }

  #hold(rootDir: string, names: readonly string[]): OpenDirectory {
    let path = rootDir;
    let directory = this.#at(path, () => OpenDirectory.open(rootDir));
    for (const name of names) {
      path = `${path}/${name}`;
      const parent = directory;
      directory = this.#at(path, () => parent.ensureChild(name, this.#mode));
    }
    return directory;
  }

  #at(path: string, open: () => OpenDirectory): OpenDirectory {
    const held = this.#held.get(path) ?? open();
    this.#held.set(path, held);
    return held;
  }

  close(): void {
    this.#isClosed = true;
    for (const directory of this.#held.values()) directory.close();
    this.#held.clear();
  }
}
