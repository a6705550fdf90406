import type { Clock } from '../../src/actor/clock.ts';
import type { ReflectorNotice, Reflector } from '../../src/api/reflector/reflector.ts';
import { claimedName } from '../../src/api/object-meta.ts';
import type { Follow } from './followed-objects.ts';
import type { ObjectAnswer } from './protocol.ts';
import { checkOf } from './read-objects.ts';

export interface ListedObjectsDeps<T> {
  readonly name: string;
  readonly path: string;
  readonly read: (object: unknown) => T | undefined;
  readonly groupOf: (object: T) => string;
  /** The key within its group. */
  readonly keyOf: (object: T) => string;
  readonly follow: Follow;
  readonly clock: Clock;
}

const FIRST_ANSWER_WITHIN_MS = 10_000;

/** All objects of one resource, watched from the first question on. */
export class ListedObjects<T> {
  readonly #deps: ListedObjectsDeps<T>;
  #reflector: Reflector<T> | undefined;
  /** Objects by group; built on demand, and dropped at every change. */
  #groups: Map<string, Map<string, T>> | undefined;
  #waiting: (() => void)[] = [];

  constructor(deps: ListedObjectsDeps<T>) {
    this.#deps = deps;
  }

  /** `withinMs`: how long the first read is waited for. */
  async group(group: string, withinMs = FIRST_ANSWER_WITHIN_MS): Promise<ObjectAnswer<readonly T[]>> {
    if (!(await this.#isComplete(withinMs))) return this.#notYet();
    return { type: 'found', value: [...(this.#grouped().get(group)?.values() ?? [])] };
  }

  async get(group: string, key: string): Promise<ObjectAnswer<T>> {
    if (!(await this.#isComplete(FIRST_ANSWER_WITHIN_MS))) return this.#notYet();
    const value = this.#grouped().get(group)?.get(key);
    return value === undefined ? { type: 'missing' } : { type: 'found', value };
  }

  received(notice: ReflectorNotice): void {
    this.#reflector?.received(notice);
  }

  serverUp(): void {
    this.#reflector?.serverUp();
  }

  #notYet(): { readonly type: 'unavailable'; readonly message: string } {
    return { type: 'unavailable', message: `${this.#deps.name} have not yet been read at least once` };
  }

  #isComplete(withinMs: number): Promise<boolean> {
    const { follow, name, path, read, groupOf, keyOf, clock } = this.#deps;
    if (this.#reflector === undefined) {
      this.#reflector = follow({
        name,
        path,
        check: checkOf(name, (object) => {
          const { namespace = '', name: own } = claimedName(object);
          return own === undefined ? undefined : `${namespace}/${own}`;
        }),
        project: read,
        keyOf: (object) => `${groupOf(object)}/${keyOf(object)}`,
        changed: () => this.#changed(),
      });
      this.#reflector.begin();
    }
    if (this.#reflector.complete) return Promise.resolve(true);
    return new Promise((resolve) => {
      const disarm = clock.after(withinMs, () => resolve(false));
      this.#waiting.push(() => {
        disarm();
        resolve(true);
      });
    });
  }

  #changed(): void {
    this.#groups = undefined;
    if (this.#reflector?.complete !== true) return;
    for (const tell of this.#waiting.splice(0)) tell();
  }

  #grouped(): ReadonlyMap<string, ReadonlyMap<string, T>> {
    if (this.#groups !== undefined) return this.#groups;
    this.#groups = new Map();
    const { groupOf, keyOf } = this.#deps;
    for (const object of this.#reflector?.objects() ?? []) {
      const group = groupOf(object);
      let members = this.#groups.get(group);
      if (members === undefined) this.#groups.set(group, (members = new Map()));
      members.set(keyOf(object), object);
    }
    return this.#groups;
  }
}
