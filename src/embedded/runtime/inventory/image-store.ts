import { createHash } from 'node:crypto';
import type { Image } from '../../../cri/gen/api.ts';
import { own } from '../../../kube/text/own.ts';
import { type Script, scriptedPulls } from '../script/script.ts';

const IMAGE_BYTES = 1000n;

/** Which images are here. An image that the script does not list has always been here; a listed one comes by a pull. */
export class ImageStore {
  readonly #script: () => Script;
  readonly #pulled = new Set<string>();
  readonly #removed = new Set<string>();
  /** Names by id, of every image that was ever asked about: callers come back with the id we gave them. */
  readonly #nameById = new Map<string, string>();
  readonly #idByName = new Map<string, string>();

  constructor(script: () => Script) {
    this.#script = script;
  }

  /** The name that a reference (a name, or an id this store gave out) stands for; undefined for an id never given out. */
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

  /** The image, or nothing while it is absent. */
  find(reference: string): Image | undefined {
    const name = this.nameOf(reference);
    return name !== undefined && name !== '' && this.#isPresent(name) ? this.#image(name) : undefined;
  }

  /** The images that are here and were ever spoken of. */
  all(): Image[] {
    return [...this.#idByName.keys()].filter((name) => this.#isPresent(name)).map((name) => this.#image(name));
  }

  add(name: string): Image {
    this.#pulled.add(name);
    this.#removed.delete(name);
    return this.#image(name);
  }

  /** After this the image is absent until it is pulled. */
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
