/**
 * Compares a CRI list answer with the previous one on the bytes: an unchanged entry is never decoded. Entries are
 * field 1 of the answer (`ListContainersResponse.containers`, `ListPodSandboxResponse.items`), and an entry's ID is
 * its field 1. Only IDs and states of the previous list are kept: its bytes are a kilobyte for each entry.
 *
 * Only the state of a sandbox or container ever changes. An entry therefore counts as changed when its state
 * differs, not its bytes. Runtimes list entries in any order, and write labels and annotations in another order
 * every time.
 */
export class RawList {
  readonly #stateField: number;
  /** The contents of the latest accepted list, by ID. An identical list allocates nothing here. */
  readonly #latest = new Map<string, Known>();
  #round = 0;

  /** `stateField`: the number of an entry's field `state`. */
  constructor(stateField: number) {
    this.#stateField = stateField;
  }

  /**
   * Returns the differences of `next` from the latest accepted list, and its entries among those `inDoubt`. Throws
   * when `next` is not a list of entries with IDs.
   */
  compare(next: Uint8Array, inDoubt: ReadonlySet<string> = NO_IDS): ComparedList {
    const round = ++this.#round;
    const entries = new Map<string, Entry>();
    const changed = new Set<string>();
    const reader: Reader = { bytes: Buffer.from(next.buffer, next.byteOffset, next.byteLength), at: 0 };
    let stillThere = 0;
    while (reader.at < next.byteLength) {
      const tag = varint(reader);
      if (tag !== FIRST_FIELD) {
        skip(reader, tag);
        continue;
      }
      const { id, state, start, end } = readEntry(reader, this.#stateField);
      const known = this.#latest.get(id);
      // If a runtime names one entry twice, the others must still be counted.
      if (known !== undefined && known.seenIn !== round) {
        known.seenIn = round;
        stillThere += 1;
      }
      if (known?.state !== state) changed.add(id);
      else if (!inDoubt.has(id)) continue;
      entries.set(id, { state, bytes: next.subarray(start, end) });
    }
    const vanished =
      stillThere === this.#latest.size
        ? []
        : [...this.#latest].filter(([, { seenIn }]) => seenIn !== round).map(([id]) => id);
    return { entries, changed: [...changed], vanished };
  }

  /** Makes this list the base of later comparisons. */
  accept({ entries, vanished }: ComparedList): void {
    for (const id of vanished) this.#latest.delete(id);
    for (const [id, { state }] of entries) this.#latest.set(id, { state, seenIn: this.#round });
  }
}

export interface ComparedList {
  /** By ID: entries that are new, whose state changed, or that were in doubt. */
  readonly entries: ReadonlyMap<string, Entry>;
  /** IDs of entries that are new, or whose state changed. */
  readonly changed: readonly string[];
  /** IDs of entries in the previous list that are missing from this one. */
  readonly vanished: readonly string[];
}

/** An entry as the runtime encoded it, and its state as a bare number. The caller decodes the rest if needed. */
export interface Entry {
  readonly state: number;
  readonly bytes: Uint8Array;
}

interface Known {
  readonly state: number;
  /** The last comparison that found this entry. */
  seenIn: number;
}

const NO_IDS: ReadonlySet<string> = new Set();

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;
const FIRST_FIELD = (1 << 3) | LENGTH_DELIMITED;

interface Reader {
  readonly bytes: Buffer;
  at: number;
}

interface EntryAt {
  readonly id: string;
  readonly state: number;
  /** The entry's position in the list. */
  readonly start: number;
  readonly end: number;
}

function readEntry(reader: Reader, stateField: number): EntryAt {
  const { bytes } = reader;
  const length = varint(reader);
  const start = reader.at;
  const end = start + length;
  if (end > bytes.byteLength) throw new Error('a list of the container runtime ends in the middle of an entry');
  const stateTag = (stateField << 3) | VARINT;
  let id: string | undefined;
  // In an encoded message, an absent field is zero.
  let state = 0;
  // A field occurs once: after both are found, the rest of the entry is skipped.
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
  if (reader.at > end)
    throw new Error('an entry in a list of the container runtime is longer than its declared length');
  if (id === undefined || id === '') throw new Error('an entry in a list of the container runtime has no ID');
  reader.at = end;
  return { id, state, start, end };
}

/** Moves past the field whose tag was just read. */
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

/** Values above 2^53 lose precision; lengths, tags and states never reach it. */
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
