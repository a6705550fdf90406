import { put } from '../../kube/text/own.ts';

export type Fields = Record<string, unknown>;

/** Reads one message up to the position `end`, into `into` or a new object. */
export type ReadMessage = (reader: ProtobufReader, end: number, into?: Fields) => Fields;

/** The bytes are not the message that they should be. */
export class MalformedMessage extends Error {}

/** Longer texts seldom repeat. */
const LONGEST_SHARED = 64;
const SHARED_TEXTS = 4_096;
const SHARED_TIMES = 256;

/**
 * Reads the values of protobuf messages, as JSON would give them. Texts that repeat are made once: a text is compared
 * with the bytes before it is made. No read leaves the bytes between `position` and `limit`.
 */
export class ProtobufReader {
  position = 0;
  /** Fields that the decoders do not know. They were skipped. */
  unknownFields = 0;
  #limit = 0;
  #bytes: Buffer = Buffer.alloc(0);
  readonly #texts: (string | undefined)[] = Array.from({ length: SHARED_TEXTS });
  readonly #seconds = new Float64Array(SHARED_TIMES);
  readonly #times: (string | undefined)[] = Array.from({ length: SHARED_TIMES });

  /** Begins to read other bytes. */
  open(bytes: Buffer): void {
    this.#bytes = bytes;
    this.position = 0;
    this.#limit = bytes.length;
    this.unknownFields = 0;
  }

  /** Releases the bytes. The texts stay for the next message. */
  close(): void {
    this.open(EMPTY);
  }

  /** Confines all reads to the bytes before `end`. Returns the earlier limit. */
  confine(end: number): number {
    const before = this.#limit;
    this.#limit = end;
    return before;
  }

  /** Returns the next byte. `undefined` at the limit. */
  byte(): number | undefined {
    if (this.position >= this.#limit) return undefined;
    this.position += 1;
    return this.#bytes[this.position - 1];
  }

  /** Returns the tag of the next field: number and wire type. */
  tag(): number {
    const first = this.#bytes[this.position] ?? MISSING;
    if (first < 0x80 && this.position < this.#limit) {
      this.position += 1;
      return first;
    }
    return this.#varint();
  }

  /** Returns the end of the message or text that begins here. */
  nested(): number {
    const length = this.tag();
    const end = this.position + length;
    if (end > this.#limit) throw new MalformedMessage('a field is longer than its message');
    return end;
  }

  /** Checks that a message ended where it should. */
  ended(end: number): void {
    if (this.position !== end) throw new MalformedMessage('a field is longer than its message');
  }

  /** Passes over a field that is known and not read. */
  pass(tag: number): void {
    switch (tag & 7) {
      case 0:
        this.#varint();
        return;
      case 1:
        return this.#forward(8);
      case 2:
        this.position = this.nested();
        return;
      case 5:
        return this.#forward(4);
      default:
        // Groups are not part of the API, and would nest without a bound.
        throw new MalformedMessage(`wire type ${tag & 7} does not occur in the API`);
    }
  }

  /** Passes over a field that is unknown: of a newer server. */
  skip(tag: number): void {
    if (tag >>> 3 === 0) throw new MalformedMessage('a field has the number 0');
    this.unknownFields += 1;
    this.pass(tag);
  }

  int(): number {
    const first = this.#bytes[this.position] ?? MISSING;
    if (first < 0x80 && this.position < this.#limit) {
      this.position += 1;
      return first;
    }
    return this.#int64();
  }

  bool(): boolean {
    return this.#varint() !== 0;
  }

  text(): string {
    const end = this.nested();
    const start = this.position;
    this.position = end;
    const length = end - start;
    if (length === 0) return '';
    const bytes = this.#bytes;
    if (length > LONGEST_SHARED) return bytes.toString('utf8', start, end);
    let hash = length;
    for (let at = start; at < end; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte > 0x7f) return bytes.toString('utf8', start, end);
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    const place = (hash ^ (hash >>> 15)) & (SHARED_TEXTS - 1);
    const shared = this.#texts[place];
    if (shared !== undefined && shared.length === length && isAt(bytes, start, shared)) return shared;
    return (this.#texts[place] = bytes.toString('latin1', start, end));
  }

  /** Returns the bytes as JSON has them: in base64. */
  base64(): string {
    const end = this.nested();
    const start = this.position;
    this.position = end;
    return this.#bytes.toString('base64', start, end);
  }

  quantity(): string {
    const end = this.nested();
    let text = '0';
    while (this.position < end) {
      const tag = this.tag();
      if (tag === 10) text = this.text();
      else this.skip(tag);
    }
    this.ended(end);
    return text;
  }

  intOrString(): number | string {
    const end = this.nested();
    let type = 0;
    let int = 0;
    let text = '';
    while (this.position < end) {
      const tag = this.tag();
      if (tag === 8) type = this.int();
      else if (tag === 16) int = this.int();
      else if (tag === 26) text = this.text();
      else this.skip(tag);
    }
    this.ended(end);
    return type === 1 ? text : int;
  }

  /** `undefined` for the zero time, which JSON omits or writes as `null`. */
  time(): string | undefined {
    const { seconds, nanos } = this.#instant();
    return seconds === 0 && nanos === 0 ? undefined : this.#timeText(seconds);
  }

  microTime(): string | undefined {
    const { seconds, nanos } = this.#instant();
    if (seconds === 0 && nanos === 0) return undefined;
    const micros = String(Math.floor(nanos / 1_000)).padStart(6, '0');
    return `${this.#timeText(seconds).slice(0, -1)}.${micros}Z`;
  }

  /** Reads one entry of a map. A later entry of the same key wins. */
  textEntry(into: Fields): void {
    const end = this.nested();
    let key = '';
    let value = '';
    while (this.position < end) {
      const tag = this.tag();
      if (tag === 10) key = this.text();
      else if (tag === 18) value = this.text();
      else this.skip(tag);
    }
    this.ended(end);
    put<unknown>(into, key, value);
  }

  /** Reads one entry of a map whose values are no texts. `none` stands for a value that was not sent. */
  entry(into: Fields, none: unknown, read: (reader: ProtobufReader) => unknown): void {
    const end = this.nested();
    let key = '';
    let value = none;
    while (this.position < end) {
      const tag = this.tag();
      if (tag === 10) key = this.text();
      else if (tag === 18) value = read(this);
      else this.skip(tag);
    }
    this.ended(end);
    put(into, key, value);
  }

  /** Reads a message whose only field is a list of texts: a value in a map of lists. */
  texts(): string[] {
    const end = this.nested();
    const texts: string[] = [];
    while (this.position < end) {
      const tag = this.tag();
      if (tag === 10) texts.push(this.text());
      else this.skip(tag);
    }
    this.ended(end);
    return texts;
  }

  #instant(): { readonly seconds: number; readonly nanos: number } {
    const end = this.nested();
    let seconds = 0;
    let nanos = 0;
    while (this.position < end) {
      const tag = this.tag();
      if (tag === 8) seconds = this.int();
      else if (tag === 16) nanos = this.int();
      else this.skip(tag);
    }
    this.ended(end);
    return { seconds, nanos };
  }

  #timeText(seconds: number): string {
    const place = seconds & (SHARED_TIMES - 1);
    const shared = this.#times[place];
    if (shared !== undefined && this.#seconds[place] === seconds) return shared;
    // Times of Kubernetes have four digits for the year.
    if (!(seconds >= FIRST_SECOND && seconds <= LAST_SECOND)) throw new MalformedMessage('a time is out of range');
    const text = `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`;
    this.#seconds[place] = seconds;
    this.#times[place] = text;
    return text;
  }

  #forward(bytes: number): void {
    this.position += bytes;
    if (this.position > this.#limit) throw new MalformedMessage('a field is cut short');
  }

  /** Returns a varint of at most 32 bits. Of a longer one the upper bits are lost, and it is not 0. */
  #varint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.position >= this.#limit) throw new MalformedMessage('a number is cut short');
      const byte = this.#bytes[this.position] ?? 0;
      this.position += 1;
      // Lengths and tags beyond 2^31 become large numbers here, and fail at the limit.
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new MalformedMessage('a number is longer than ten bytes');
  }

  /** Two's complement of 64 bits. Beyond 2^53 digits are lost, as in `JSON.parse`. */
  #int64(): number {
    let low = 0;
    let high = 0;
    for (let index = 0; index < 10; index += 1) {
      if (this.position >= this.#limit) throw new MalformedMessage('a number is cut short');
      const byte = this.#bytes[this.position] ?? 0;
      this.position += 1;
      const bits = byte & 0x7f;
      if (index < 4) low |= bits << (7 * index);
      else if (index === 4) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (7 * index - 32);
      if (byte < 0x80) return (high | 0) * 4_294_967_296 + (low >>> 0);
    }
    throw new MalformedMessage('a number is longer than ten bytes');
  }
}

function isAt(bytes: Buffer, start: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (bytes[start + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

const EMPTY = Buffer.alloc(0);
/** No byte has this value. */
const MISSING = 256;
const FIRST_SECOND = -62_135_596_800;
const LAST_SECOND = 253_402_300_799;
