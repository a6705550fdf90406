/** The last case that a thread began, in shared memory: the watching thread can read it after a loss. */
export class SharedCase {
  readonly memory: SharedArrayBuffer;
  readonly #head: Int32Array;
  readonly #text: Uint8Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(HEAD_BYTES + MOST_BYTES)) {
    this.memory = memory;
    this.#head = new Int32Array(memory, 0, 2);
    this.#text = new Uint8Array(memory, HEAD_BYTES);
  }

  begin(given: unknown): void {
    const text = Buffer.from(JSON.stringify(given) ?? 'null');
    const fits = text.byteLength <= MOST_BYTES;
    if (fits) this.#text.set(text);
    Atomics.store(this.#head, 1, fits ? text.byteLength : 0);
    Atomics.add(this.#head, 0, 1);
  }

  /** The number of cases begun. */
  get count(): number {
    return Atomics.load(this.#head, 0);
  }

  get latest(): unknown {
    const length = Atomics.load(this.#head, 1);
    return length === 0 ? 'too large to be kept' : JSON.parse(Buffer.from(this.#text.slice(0, length)).toString());
  }
}

const HEAD_BYTES = 8;
const MOST_BYTES = 4 * 1024 * 1024;
