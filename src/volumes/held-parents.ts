import { OpenDirectory } from './open-directory.ts';

/**
 * Directories that are kept open from one order to the next: orders given at once are mostly about volumes of the same pod, and
 * the way there costs a third of a small volume. Only for as long as nobody removes anything; after `close` each way is gone anew.
 */
export class HeldParents {
  readonly #mode: number;
  #root: { readonly path: string; readonly directory: OpenDirectory } | undefined;
  #way: { readonly name: string; readonly directory: OpenDirectory }[] = [];
  #isClosed = false;

  /** `mode`: of directories that have to be made. */
  constructor(mode: number) {
    this.#mode = mode;
  }

  /** Does the work in the directory that these names lead to from the root; what is not there is made. The work is not awaited. */
  within<T>(rootDir: string, names: readonly string[], work: (directory: OpenDirectory) => T): T {
    if (this.#isClosed) {
      const directory = OpenDirectory.within(OpenDirectory.open(rootDir), (root) =>
        root.ensureDescendant(names, this.#mode),
      );
      return OpenDirectory.within(directory, work);
    }
    let directory = this.#rootAt(rootDir);
    let known = 0;
    while (known < names.length && this.#way[known]?.name === names[known]) known += 1;
    for (const { directory: other } of this.#way.splice(known)) other.close();
    directory = this.#way.at(-1)?.directory ?? directory;
    for (const name of names.slice(known)) {
      directory = directory.ensureChild(name, this.#mode);
      this.#way.push({ name, directory });
    }
    return work(directory);
  }

  close(): void {
    this.#isClosed = true;
    this.#leave();
  }

  #rootAt(path: string): OpenDirectory {
    if (this.#root?.path === path) return this.#root.directory;
    this.#leave();
    this.#root = { path, directory: OpenDirectory.open(path) };
    return this.#root.directory;
  }

  #leave(): void {
    for (const { directory } of this.#way.splice(0)) directory.close();
    this.#root?.directory.close();
    this.#root = undefined;
  }
}
