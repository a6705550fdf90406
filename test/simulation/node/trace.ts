/** The events so far: a hash of all, and the text of the latest. */
export class Trace {
  #high = 0x811c9dc5;
  #low = 0x9e3779b9;
  readonly #kept: string[] = [];
  readonly #keep: number;
  #next = 0;

  /** `keep`: the number of latest entries that can be read afterwards. */
  constructor(keep: number) {
    this.#keep = keep;
  }

  add(at: number, who: string, what: string): void {
    // Instants are compared to the last bit: a difference there is a difference in order sooner or later.
    this.#mix(Math.floor(at));
    this.#mix(Math.floor((at % 1) * 0x4000_0000));
    this.#text(who);
    this.#text(what);
    if (this.#keep === 0) return;
    this.#kept[this.#next] = `${at.toFixed(3).padStart(14)} ${who.padEnd(10)} ${what}`;
    this.#next = (this.#next + 1) % this.#keep;
  }

  get hash(): string {
    return hex(this.#high) + hex(this.#low);
  }

  get latest(): readonly string[] {
    return [...this.#kept.slice(this.#next), ...this.#kept.slice(0, this.#next)];
  }

  #text(text: string): void {
    for (let index = 0; index < text.length; index++) {
      this.#high = Math.imul(this.#high ^ text.charCodeAt(index), 0x01000193);
    }
    this.#mix(text.length);
  }

  #mix(value: number): void {
    this.#high = Math.imul(this.#high ^ value, 0x85ebca6b);
    this.#high ^= this.#high >>> 15;
    this.#low = Math.imul(this.#low ^ this.#high, 0xc2b2ae35);
    this.#low ^= this.#low >>> 13;
  }
}

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');

/** Returns the hash of one text, computed in the same way. */
export function hashText(text: string): string {
  const trace = new Trace(0);
  trace.add(0, '', text);
  return trace.hash;
}
