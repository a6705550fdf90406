import { statSync, type Stats } from 'node:fs';
import { readTextIfPossible } from './read-regular-file.ts';

/** Texts of files of the node that many pods read. A file is read again once its `stat` differs. */
export class SharedTexts {
  readonly #texts = new Map<string, { readonly stats: Stats; readonly text: string }>();

  /** Returns the text of a file as it is now. `undefined` when it cannot be read. */
  read(path: string): string | undefined {
    const stats = statsOf(path);
    const known = this.#texts.get(path);
    if (stats !== undefined && known !== undefined && isSameFile(stats, known.stats)) return known.text;
    this.#texts.delete(path);
    const text = readTextIfPossible(path);
    if (stats !== undefined && text !== undefined) this.#texts.set(path, { stats, text });
    return text;
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

const isSameFile = (one: Stats, other: Stats): boolean =>
  one.ino === other.ino &&
  one.dev === other.dev &&
  one.size === other.size &&
  one.mtimeMs === other.mtimeMs &&
  one.ctimeMs === other.ctimeMs;
