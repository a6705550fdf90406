import { WireType as Wire, type BinaryWriter } from '../../kube/text/protobuf-wire.ts';
import { own, type Keyed } from '../../kube/text/own.ts';
import type { WireMessage, WireType } from './wire-types.ts';

/** The object has a member that its table does not name. It can be sent in JSON only. */
export class NotInTable extends Error {}

const VARINT = Wire.Varint;
const LENGTH_DELIMITED = Wire.LengthDelimited;

/** The treatment of members that the table does not name: a client must not lose them, a server drops them. */
export type UnknownMembers = 'refuse' | 'drop';

/** Writes an object as JSON has it. Throws `NotInTable` for a value that has no form in protobuf here. */
export function writeMessage(
  target: { readonly writer: BinaryWriter; readonly unknown: UnknownMembers },
  message: WireMessage,
  object: object,
): void {
  new MessageWriter(target.writer, target.unknown).message(message, recordIn(object), TYPE_NAMES);
}

/** The envelope has these members of the whole object. */
const TYPE_NAMES = ['apiVersion', 'kind'];

interface Field {
  readonly field: number;
  readonly type: WireType;
}

class MessageWriter {
  readonly #writer: BinaryWriter;
  readonly #unknown: UnknownMembers;

  constructor(writer: BinaryWriter, unknown: UnknownMembers) {
    this.#writer = writer;
    this.#unknown = unknown;
  }

  message(message: WireMessage, object: Keyed<unknown>, elsewhere: readonly string[] = []): void {
    const named = this.#members(message, object);
    if (this.#unknown === 'drop') return;
    for (const name in object) {
      const value = own(object, name);
      if (value === null || value === undefined || named.has(name) || elsewhere.includes(name)) continue;
      throw new NotInTable(`no field for ${name}`);
    }
  }

  /** Writes the members that the table names. Returns their names. */
  #members(message: WireMessage, object: Keyed<unknown>): ReadonlySet<string> {
    const names = new Set<string>();
    for (const [number, [name, type]] of Object.entries(message)) {
      const field = Number(number);
      if (name === '') {
        // A message without a name is part of the enclosing object.
        if (typeof type !== 'object' || !('message' in type)) throw new NotInTable('only a message has no name');
        this.#begin(field);
        for (const part of this.#members(type.message, object)) names.add(part);
        this.#writer.join();
        continue;
      }
      names.add(name);
      const value = own(object, name);
      if (value !== undefined && value !== null) this.#field({ field, type }, value);
    }
    return names;
  }

  #begin(field: number): void {
    this.#writer.tag(field, LENGTH_DELIMITED).fork();
  }

  #field({ field, type }: Field, value: unknown): void {
    if (typeof type === 'object' && 'list' in type) {
      if (!Array.isArray(value)) throw new NotInTable('a list was expected');
      for (const item of value) this.#value({ field, type: type.list }, item);
    } else if (typeof type === 'object' && 'map' in type) {
      for (const [key, entry] of Object.entries(recordIn(value))) this.#entry({ field, type: type.map }, key, entry);
    } else this.#value({ field, type }, value);
  }

  #entry({ field, type }: Field, key: string, entry: unknown): void {
    this.#begin(field);
    this.#writer.tag(1, LENGTH_DELIMITED).string(key);
    if (typeof type === 'object' && 'list' in type) {
      // A list as a value stands in a message of its own.
      this.#begin(2);
      this.#field({ field: 1, type }, entry);
      this.#writer.join();
    } else this.#value({ field: 2, type }, entry);
    this.#writer.join();
  }

  #value({ field, type }: Field, value: unknown): void {
    const writer = this.#writer;
    switch (type) {
      case 'string':
      case 'string-or-none':
        writer.tag(field, LENGTH_DELIMITED).string(textIn(value));
        return;
      case 'bytes':
      case 'bytes-or-none':
        writer.tag(field, LENGTH_DELIMITED).bytes(Buffer.from(textIn(value), 'base64'));
        return;
      case 'bool':
      case 'flag':
        if (typeof value !== 'boolean') throw new NotInTable('true or false was expected');
        writer.tag(field, VARINT).bool(value);
        return;
      case 'int':
      case 'int-or-none':
        writer.tag(field, VARINT).int64(integerIn(value));
        return;
      case 'quantity':
        this.#begin(field);
        writer.tag(1, LENGTH_DELIMITED).string(typeof value === 'number' ? String(value) : textIn(value));
        writer.join();
        return;
      case 'time':
      case 'micro-time':
        return this.#time({ field, type }, textIn(value));
      case 'int-or-string':
        this.#begin(field);
        if (typeof value === 'string') writer.tag(1, VARINT).int64(1).tag(3, LENGTH_DELIMITED).string(value);
        else writer.tag(1, VARINT).int64(0).tag(2, VARINT).int64(integerIn(value));
        writer.join();
        return;
      case 'fields':
        this.#begin(field);
        writer.tag(1, LENGTH_DELIMITED).string(JSON.stringify(value));
        writer.join();
        return;
      default:
        if (!('message' in type)) throw new NotInTable('a list or a map stands only directly in a message');
        this.#begin(field);
        this.message(type.message, recordIn(value));
        writer.join();
    }
  }

  #time({ field, type }: Field, text: string): void {
    const writer = this.#writer;
    const at = Date.parse(text);
    if (Number.isNaN(at)) throw new NotInTable('a time was expected');
    const seconds = Math.floor(at / 1_000);
    this.#begin(field);
    writer.tag(1, VARINT).int64(seconds);
    const [, fraction = ''] = /\.(\d{1,9})/.exec(text) ?? [];
    // `Date` keeps milliseconds only.
    if (type === 'micro-time') writer.tag(2, VARINT).int32(Number(fraction.slice(0, 6).padEnd(6, '0')) * 1_000);
    writer.join();
  }
}

function textIn(value: unknown): string {
  if (typeof value !== 'string') throw new NotInTable('a text was expected');
  return value;
}

function integerIn(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new NotInTable('an integer was expected');
  // `isSafeInteger` is true for numbers only.
  return value as number;
}

function recordIn(value: unknown): Keyed<unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new NotInTable('an object was expected');
  // An object that is no list has members by name.
  return value as Keyed<unknown>;
}
