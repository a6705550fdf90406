/**
 * Compares a CRI list answer with the one before, on the bytes: an unchanged entry is never decoded. Entries are field 1
 * of the answer (`ListContainersResponse.containers`, `ListPodSandboxResponse.items`), and an entry's ID is its field 1. Of
 * the list before, no more is kept than that: its bytes are a kilobyte for each entry.
 *
 * Of a sandbox or container, only the state ever changes. So an entry counts as changed when its state has, not when its
 * bytes have: runtimes list in any order, and write labels and annotations in another order every time.
 */
export class RawList {
  readonly #stateField: number;
  #latest: ComparedList['entries'] = new Map();

  /** `stateField`: the number of an entry's field `state`. */
  constructor(stateField: number) {
    this.#stateField = stateField;
  }

  /** What `next` tells that the latest accepted list did not. Throws when `next` is not a list of entries with IDs. */
  compare(next: Uint8Array): ComparedList {
    const before = this.#latest;
    const entries = new Map<string, Entry>();
    const changed: string[] = [];
    const reader: Reader = { bytes: Buffer.from(next.buffer, next.byteOffset, next.byteLength), at: 0 };
    let known = 0;
    while (reader.at < next.byteLength) {
      const tag = varint(reader);
      if (tag !== FIRST_FIELD) {
        skip(reader, tag);
        continue;
      }
      const { id, entry } = readEntry(reader, this.#stateField);
      const earlier = before.get(id);
      // A runtime that names one twice is no reason to overlook another.
      if (earlier !== undefined && !entries.has(id)) known++;
      if (earlier === undefined || earlier.state !== entry.state) changed.push(id);
      entries.set(id, entry);
    }
    const vanished = known === before.size ? [] : [...before.keys()].filter((id) => !entries.has(id));
    return { bytes: next, entries, changed, vanished };
  }

  /** From now on, lists are compared with this one. */
  accept({ entries }: ComparedList): void {
    this.#latest = entries;
  }
}

export interface ComparedList {
  readonly bytes: Uint8Array;
  readonly entries: ReadonlyMap<string, Entry>;
  /** IDs of entries that are new, or whose state is. */
  readonly changed: readonly string[];
  /** IDs of entries that were in the list before and are not in this one. */
  readonly vanished: readonly string[];
}

/** Where in the list an entry is, and its state as a bare number: whoever wants more of it decodes it. */
export interface Entry {
  readonly start: number;
  readonly end: number;
  readonly state: number;
}

/** One encoded entry, or `undefined` if the list has none of that ID. */
export function entryBytes(list: ComparedList, id: string): Uint8Array | undefined {
  const entry = list.entries.get(id);
  return entry === undefined ? undefined : list.bytes.subarray(entry.start, entry.end);
}

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;
const FIRST_FIELD = (1 << 3) | LENGTH_DELIMITED;

interface Reader {
  readonly bytes: Buffer;
  at: number;
}

function readEntry(reader: Reader, stateField: number): { readonly id: string; readonly entry: Entry } {
  const { bytes } = reader;
  const length = varint(reader);
  const start = reader.at;
  const end = start + length;
  if (end > bytes.byteLength) throw new Error('a list of the container runtime ends in the middle of an entry');
  const stateTag = (stateField << 3) | VARINT;
  let id: string | undefined;
  // As in every encoded message, what is left out is zero.
  let state = 0;
  // A field is there once: what is behind both says nothing more of them.
  while (reader.at < end && (id === undefined || state === 0)) {
    const tag = varint(reader);
    if (tag === FIRST_FIELD) {
      const idLength = varint(reader);
      id = bytes.toString('utf8', reader.at, reader.at + idLength);
      reader.at += idLength;
    } else if (tag === stateTag) {
      state = varint(reader);
    } else {
      skip(reader, tag);
    }
  }
  if (reader.at > end) throw new Error('an entry in a list of the container runtime is longer than it says');
  if (id === undefined || id === '') throw new Error('an entry in a list of the container runtime has no ID');
  reader.at = end;
  return { id, entry: { start, end, state } };
}

/** Moves behind the field whose tag was just read. */
function skip(reader: Reader, tag: number): void {
  switch (tag & 7) {
    case VARINT:
      varint(reader);
      return;
    case FIXED_64:
      return advance(reader, 8);
    case LENGTH_DELIMITED:
      return advance(reader, varint(reader));
    case FIXED_32:
      return advance(reader, 4);
    default:
      throw new Error(`a list of the container runtime holds a field of unknown wire type ${tag & 7}`);
  }
}

function advance(reader: Reader, length: number): void {
  reader.at += length;
  if (reader.at > reader.bytes.byteLength) {
    throw new Error('a list of the container runtime ends in the middle of a field');
  }
}

/** Values above 2^53 lose precision; lengths, tags and states never get there. */
function varint(reader: Reader): number {
  // Nearly every number here is a tag or a short length.
  const first = reader.bytes[reader.at];
  if (first !== undefined && first < 128) {
    reader.at++;
    return first;
  }
  let value = 0;
  for (let scale = 1; scale <= LARGEST_SCALE; scale *= 128) {
    const byte = reader.bytes[reader.at++];
    if (byte === undefined) throw new Error('a list of the container runtime ends in the middle of a number');
    value += (byte & 127) * scale;
    if (byte < 128) return value;
  }
  throw new Error('a list of the container runtime holds a number of more than ten bytes');
}

const LARGEST_SCALE = 128 ** 9;
