/**
 * Compares a CRI list answer with the one before, on the bytes: an unchanged entry is never decoded. Entries are field 1
 * of the answer (`ListContainersResponse.containers`, `ListPodSandboxResponse.items`), and an entry's ID is its field 1.
 */
export class RawList {
  #bytes: Uint8Array = new Uint8Array();
  #entries = new Map<string, Entry>();

  /** Takes `next` in as the latest list. */
  compare(next: Uint8Array): ListChanges {
    if (sameBytes(this.#bytes, next)) return { changed: [], vanished: [] };
    const entries = new Map<string, Entry>();
    const changed: ChangedEntry[] = [];
    for (const entry of entriesOf(next)) {
      const id = entryId(next, entry);
      entries.set(id, entry);
      const earlier = this.#entries.get(id);
      const bytes = next.subarray(entry.start, entry.end);
      if (earlier === undefined || !sameBytes(this.#bytes.subarray(earlier.start, earlier.end), bytes)) {
        changed.push({ id, bytes });
      }
    }
    const vanished = [...this.#entries.keys()].filter((id) => !entries.has(id));
    this.#bytes = next;
    this.#entries = entries;
    return { changed, vanished };
  }
}

export interface ListChanges {
  readonly changed: readonly ChangedEntry[];
  /** IDs of entries that were in the list before and are not in this one. */
  readonly vanished: readonly string[];
}

export interface ChangedEntry {
  readonly id: string;
  /** The encoded entry. */
  readonly bytes: Uint8Array;
}

interface Entry {
  readonly start: number;
  readonly end: number;
}

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.byteLength === other.byteLength && Buffer.compare(one, other) === 0;

const LENGTH_DELIMITED = 2;
const FIRST_FIELD = (1 << 3) | LENGTH_DELIMITED;

function entriesOf(list: Uint8Array): Entry[] {
  const entries: Entry[] = [];
  const reader = { bytes: list, at: 0 };
  while (reader.at < list.byteLength) {
    const tag = varint(reader);
    const end = skip(reader, tag);
    if (tag === FIRST_FIELD) entries.push(end);
  }
  return entries;
}

function entryId(list: Uint8Array, entry: Entry): string {
  const reader = { bytes: list, at: entry.start };
  while (reader.at < entry.end) {
    const tag = varint(reader);
    const field = skip(reader, tag);
    if (tag === FIRST_FIELD)
      return Buffer.from(list.buffer, list.byteOffset + field.start, field.end - field.start).toString('latin1');
  }
  throw new Error('a list entry of the container runtime has no ID');
}

interface Reader {
  readonly bytes: Uint8Array;
  at: number;
}

/** Moves behind the field whose tag was just read, and says where its content was. */
function skip(reader: Reader, tag: number): Entry {
  switch (tag & 7) {
    case 0: {
      const start = reader.at;
      varint(reader);
      return { start, end: reader.at };
    }
    case 1:
      return advance(reader, 8);
    case LENGTH_DELIMITED:
      return advance(reader, varint(reader));
    case 5:
      return advance(reader, 4);
    default:
      throw new Error(`a list of the container runtime holds a field of unknown wire type ${tag & 7}`);
  }
}

function advance(reader: Reader, length: number): Entry {
  const start = reader.at;
  const end = start + length;
  if (end > reader.bytes.byteLength) throw new Error('a list of the container runtime ends in the middle of an entry');
  reader.at = end;
  return { start, end };
}

/** Values above 2^53 lose precision; lengths and tags never get there. */
function varint(reader: Reader): number {
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = reader.bytes[reader.at++];
    if (byte === undefined) throw new Error('a list of the container runtime ends in the middle of a number');
    value += (byte & 127) * scale;
    if (byte < 128) return value;
  }
}
