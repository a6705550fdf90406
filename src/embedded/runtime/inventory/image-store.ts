import { createHash } from 'node:crypto';
import type { Image } from '../../../cri/gen/api.ts';
import { own } from '../../../kube/text/own.ts';
import { type Script, scriptedPulls } from '../script/script.ts';

const IMAGE_BYTES = 1000n;

/** The present images. An image that the script does not list is always present; a listed image is pulled first. */
export class ImageStore {
  readonly #script: () => Script;
  readonly #pulled = new Set<string>();
  readonly #removed = new Set<string>();
  /** Names by ID, of every image that was ever requested: callers come back with the ID. */
  readonly #nameById = new Map<string, string>();
  readonly #idByName = new Map<string, string>();

  constructor(script: () => Script) {
    this.#script = script;
  }

  /** Returns the name of a reference (a name, or an ID of this store). `undefined` for an unknown ID. */
  nameOf(reference: string): string | undefined {
    return this.#nameById.get(reference) ?? (reference.startsWith('sha256:') ? undefined : reference);
  }

  idOf(name: string): string {
    const known = this.#idByName.get(name);
    if (known !== undefined) return known;
    const id = `sha256:${createHash('sha256').update(withTag(name)).digest('hex')}`;
    this.#idByName.set(name, id);
    this.#nameById.set(id, name);
    return id;
  }

  /** Returns the image. `undefined` while it is absent. */
  find(reference: string): Image | undefined {
    const name = this.nameOf(reference);
    return name !== undefined && name !== '' && this.#isPresent(name) ? this.#image(name) : undefined;
  }

  /** Returns the present images that were ever requested. */
  all(): Image[] {
    return [...this.#idByName.keys()].filter((name) => this.#isPresent(name)).map((name) => this.#image(name));
  }

  add(name: string): Image {
    this.#pulled.add(name);
    this.#removed.delete(name);
    return this.#image(name);
  }

  /** Makes the image absent until its next pull. */
  remove(reference: string): void {
    const name = this.nameOf(reference);
    if (name === undefined) return;
    this.#pulled.delete(name);
    this.#removed.add(name);
  }

  #isPresent(name: string): boolean {
    if (this.#pulled.has(name)) return true;
    return scriptedPulls(this.#script(), name) === undefined && !this.#removed.has(name);
  }

  #image(name: string): Image {
    const users = this.#script().imageUsers;
    const user = own(users, name) ?? '';
    const isUid = /^\d+$/.test(user);
    return {
      id: this.idOf(name),
      repoTags: name.includes('@') ? [] : [name],
      repoDigests: name.includes('@') ? [name] : [],
      size: IMAGE_BYTES,
      uid: isUid ? { value: BigInt(user) } : undefined,
      username: isUid ? '' : user,
      spec: { image: name, annotations: {}, userSpecifiedImage: '', runtimeHandler: '', imageRef: '' },
      pinned: false,
    };
  }
}

/** A name with neither tag nor digest means the latest. */
const withTag = (name: string): string =>
  name.includes('@') || name.slice(name.lastIndexOf('/') + 1).includes(':') ? name : `${name}:latest`;
