import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { WireMessage, WireType } from '../../../api/protobuf/wire-types.ts';
import { hasOwn, own, put } from '../../../kube/text/own.ts';
import { apiTime } from '../../../pod/values/api-time.ts';
import { wireMessages } from './gen/wire-messages.ts';

/** Every body starts with these bytes, followed by its kind. */
const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0]);

const envelope: WireMessage = {
  1: ['typeMeta', { message: { 1: ['apiVersion', 'string'], 2: ['kind', 'string'] } }],
  2: ['raw', 'bytes'],
};

/**
 * Decodes a body in the API's protobuf form to the object that JSON would give. `undefined` when the kind has no
 * such form here, or when the body is not protobuf.
 */
export function readProtobuf(body: Buffer): unknown {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  try {
    // The table of the envelope names these members.
    const { typeMeta, raw } = readMessage(new BinaryReader(body.subarray(MAGIC.length)), envelope) as {
      readonly typeMeta?: { readonly apiVersion?: string; readonly kind?: string };
      readonly raw?: string;
    };
    const { apiVersion = '', kind = '' } = typeMeta ?? {};
    const message = own(wireMessages, `${apiVersion}/${kind}`) ?? own(wireMessages, kind);
    if (!message) return undefined;
    return { apiVersion, kind, ...readMessage(new BinaryReader(Buffer.from(raw ?? '', 'base64')), message) };
  } catch {
    return undefined; // cut short, or not protobuf after all
  }
}

function readMessage(reader: BinaryReader, message: WireMessage, end = reader.len): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    const known = message[field];
    if (!known) {
      reader.skip(wireType, field);
      continue;
    }
    const [name, type] = known;
    if (typeof type === 'object' && 'list' in type) {
      if (!hasOwn(members, name)) put(members, name, []);
      // Only this branch makes this member.
      const items = own(members, name) as unknown[];
      items.push(readValue(reader, type.list));
    } else if (typeof type === 'object' && 'map' in type) {
      const { key, value } = readNested(reader, { 1: ['key', 'string'], 2: ['value', inMap(type.map)] });
      if (!hasOwn(members, name)) put(members, name, {});
      // Only this branch makes this member.
      const entries = own(members, name) as Record<string, unknown>;
      put(entries, typeof key === 'string' ? key : '', isListed(value) ? value.list : (value ?? ''));
    } else if (name === '') {
      // A message without a name is part of the enclosing one.
      for (const [part, value] of Object.entries(readValue(reader, type) as object)) put(members, part, value);
    } else {
      put(members, name, readValue(reader, type));
    }
  }
  // Protobuf sends empty members, which JSON omits.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** A list as a value stands in a message of its own. */
const inMap = (type: WireType): WireType =>
  typeof type === 'object' && 'list' in type ? { message: { 1: ['list', type] } } : type;

const isListed = (value: unknown): value is { readonly list: readonly unknown[] } =>
  typeof value === 'object' && value !== null && 'list' in value;

function readNested(reader: BinaryReader, message: WireMessage): Record<string, unknown> {
  const length = reader.uint32();
  return readMessage(reader, message, reader.pos + length);
}

function readValue(reader: BinaryReader, type: WireType): unknown {
  switch (type) {
    case 'string':
      return reader.string();
    case 'string-or-none':
      return reader.string() || undefined;
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64');
    case 'bytes-or-none':
      return Buffer.from(reader.bytes()).toString('base64') || undefined;
    case 'bool':
      return reader.bool();
    case 'int':
      return Number(reader.int64());
    case 'int-or-none':
      return Number(reader.int64()) || undefined;
    case 'flag':
      return reader.bool() || undefined;
    case 'quantity':
      return readNested(reader, { 1: ['text', 'string'] })['text'] ?? '0';
    case 'time': {
      const { seconds } = readNested(reader, { 1: ['seconds', 'int'] });
      return typeof seconds === 'number' && seconds !== 0 ? apiTime(seconds * 1000) : undefined;
    }
    case 'micro-time': {
      const { seconds, nanos = 0 } = readNested(reader, { 1: ['seconds', 'int'], 2: ['nanos', 'int'] });
      if (typeof seconds !== 'number' || typeof nanos !== 'number' || (seconds === 0 && nanos === 0)) return undefined;
      const micros = String(Math.floor(nanos / 1_000)).padStart(6, '0');
      return `${apiTime(seconds * 1_000).slice(0, -1)}.${micros}Z`;
    }
    case 'fields': {
      const { text } = readNested(reader, { 1: ['text', 'string'] });
      const read: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
      return read;
    }
    case 'int-or-string': {
      const read = readNested(reader, { 1: ['type', 'int'], 2: ['int', 'int'], 3: ['text', 'string'] });
      return read['type'] === 1 ? (read['text'] ?? '') : (read['int'] ?? 0);
    }
    default:
      if ('message' in type) return readNested(reader, type.message);
      throw new Error('a list or a map stands only directly in a message');
  }
}
