import { statSync } from 'node:fs';
import { readTextIfPossible } from './read-regular-file.ts';

/** Texts of files of the node that many pods read. A file is read again once its `stat` differs. */
export class SharedTexts {
  readonly #texts = new Map<string, { readonly stamp: string; readonly text: string }>();

  /** Returns the text of a file as it is now. `undefined` when it cannot be read. */
  read(path: string): string | undefined {
    const stamp = stampOf(path);
    const known = this.#texts.get(path);
    if (known !== undefined && known.stamp === stamp) return known.text;
    this.#texts.delete(path);
    const text = readTextIfPossible(path);
    if (stamp !== undefined && text !== undefined) this.#texts.set(path, { stamp, text });
    return text;
  }
}

function stampOf(path: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return undefined;
  }
}
