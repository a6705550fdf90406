import { unreadObject } from '../unread-object.ts';
import { put } from '../../kube/text/own.ts';
import { messageOf } from '../../kube/text/message-of.ts';
import { envelopeTags, MAGIC, readEnvelope, type Envelope } from './envelope.ts';
import { decoders } from './gen/decoders.ts';
import { MalformedMessage, type Fields, type ProtobufReader, type ReadMessage } from './protobuf-reader.ts';

/** An object or a list, as `JSON.parse` would give it. */
export interface ReadObject {
  readonly value: Fields;
  /** Fields of a newer server, which were passed over. */
  readonly unknownFields: number;
}

/**
 * Reads the body of an answer. Throws `MalformedMessage` for bytes that are no object of a known kind. Of a list, an
 * item that cannot be read is left out alone.
 */
export function readBody(reader: ProtobufReader, body: Buffer): ReadObject {
  reader.open(body);
  try {
    const envelope = readEnvelope(reader, body.length);
    const value = readEnveloped(reader, envelope);
    return { value, unknownFields: reader.unknownFields };
  } finally {
    reader.close();
  }
}

/** Reads the object of a watch event. An object that is malformed is replaced with its name and the reason. */
export function readEventObject(reader: ProtobufReader, end: number): unknown {
  const envelope = readEnvelope(reader, end);
  const decode = decoders.get(keyOf(envelope));
  if (decode === undefined) throw new MalformedMessage(`the kind ${keyOf(envelope)} is not known`);
  const object = readAlone(reader, envelope, (end) => decode(reader, end, typed(envelope)));
  reader.position = end;
  return object;
}

const keyOf = ({ apiVersion, kind }: Envelope): string => `${apiVersion}/${kind}`;
const typed = ({ apiVersion, kind }: Envelope): Fields => ({ kind, apiVersion });

const LIST = 'List';

function readEnveloped(reader: ProtobufReader, envelope: Envelope): Fields {
  const decode = decoders.get(keyOf(envelope));
  const { kind, start, end } = envelope;
  reader.confine(end);
  reader.position = start;
  if (decode !== undefined) return decode(reader, end, typed(envelope));
  const item = kind.endsWith(LIST) ? decoders.get(keyOf(envelope).slice(0, -LIST.length)) : undefined;
  if (item === undefined) throw new MalformedMessage(`the kind ${keyOf(envelope)} is not known`);
  return readList(reader, envelope, item);
}

const METADATA = 10;
const ITEM = 18;

function readList(reader: ProtobufReader, envelope: Envelope, decode: ReadMessage): Fields {
  const items: unknown[] = [];
  let metadata: Fields = {};
  while (reader.position < envelope.end) {
    const tag = reader.tag();
    if (tag === METADATA) metadata = decoders.get('ListMeta')?.(reader, reader.nested()) ?? {};
    else if (tag === ITEM) {
      const end = reader.nested();
      items.push(readAlone(reader, { start: reader.position, end }, (end) => decode(reader, end)));
    } else reader.skip(tag);
  }
  reader.ended(envelope.end);
  return { ...typed(envelope), metadata, items };
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Reads a message within its own bytes. If the message is malformed, its neighbours are not. */
function readAlone(reader: ProtobufReader, { start, end }: Place, decode: (end: number) => Fields): unknown {
  const limit = reader.confine(end);
  try {
    reader.position = start;
    return decode(end);
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    return unreadObject(namedIn(reader, { start, end }), `is not a message of its kind: ${messageOf(error)}`);
  } finally {
    reader.confine(limit);
    reader.position = end;
  }
}

/** Field numbers in the metadata of every kind. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [10, 'name'],
  [26, 'namespace'],
  [42, 'uid'],
  [50, 'resourceVersion'],
]);

/** Returns what a malformed object says of its name, up to where it cannot be read. */
function namedIn(reader: ProtobufReader, { start, end }: Place): { readonly metadata: Fields } {
  const metadata: Fields = {};
  try {
    reader.position = start;
    // Metadata is the first field of every kind.
    if (reader.tag() !== METADATA) return { metadata };
    const stop = Math.min(reader.position + reader.tag(), end);
    while (reader.position < stop) {
      const tag = reader.tag();
      const name = NAMES.get(tag);
      if (name === undefined) reader.pass(tag);
      else put<unknown>(metadata, name, reader.text());
    }
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
  }
  return { metadata };
}

/** Returns what the beginning of an object says of its name. The object itself is too large to read. */
export function nameInBeginning(reader: ProtobufReader, beginning: Buffer): { readonly metadata: Fields } {
  reader.open(beginning);
  try {
    const at = beginning.indexOf(MAGIC);
    return at < 0 ? { metadata: {} } : namedAfterMagic(reader, at + MAGIC.length, beginning.length);
  } finally {
    reader.close();
  }
}

function namedAfterMagic(reader: ProtobufReader, start: number, end: number): { readonly metadata: Fields } {
  try {
    reader.position = start;
    if (reader.tag() === envelopeTags.type) reader.position = reader.nested();
    // The length of the object is beyond the beginning.
    if (reader.tag() === envelopeTags.raw) reader.tag();
    return namedIn(reader, { start: reader.position, end });
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    return { metadata: {} };
  }
}
