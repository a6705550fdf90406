import { OpenDirectory } from './open-directory.ts';

/**
 * Keeps the directories above volumes open between orders. Orders of one batch often share a pod and always share the
 * node, and opening these directories costs a third of a small volume. Use this only while nothing on these paths is
 * removed; after `close` every directory is opened again.
 */
export class HeldParents {
  readonly #mode: number;
  readonly #held = new Map<string, OpenDirectory>();
  #isClosed = false;

  /** `mode`: of newly created directories. */
  constructor(mode: number) {
    this.#mode = mode;
  }

  /**
   * Runs `work` in the directory at these names below the root; missing directories are created. The work is not
   * awaited.
   */
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
