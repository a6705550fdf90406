import { basename } from 'node:path';

/** Names whose changes the file system has reported, and how often each was given to a file or taken from one. */
export class ChangedNames {
  readonly #entryChanges = new Map<string, number>();

  note(name: string, what: 'entry' | 'content'): void {
    this.#entryChanges.set(name, this.entryChanges(name) + (what === 'entry' ? 1 : 0));
  }

  get names(): readonly string[] {
    return [...this.#entryChanges.keys()];
  }

  entryChanges(name: string): number {
    return this.#entryChanges.get(name) ?? 0;
  }

  /** The entry changes of this name are explained. */
  settle(name: string): void {
    if (this.#entryChanges.has(name)) this.#entryChanges.set(name, 0);
  }
}

/**
 * Returns the listed files whose names were taken away and given again. A file that takes the place of another changes
 * the entry once; a file that goes and comes back changes the entry twice, however fast. `before` are the changes that
 * the look began with, `since` those reported during the look: a change counts for one look only.
 */
export function replaced(listed: Iterable<string>, before: ChangedNames, since: ChangedNames): readonly string[] {
  return [...listed].filter((file) => {
    const name = basename(file);
    const isReplaced = before.entryChanges(name) + since.entryChanges(name) > 1;
    if (isReplaced) since.settle(name);
    return isReplaced;
  });
}
