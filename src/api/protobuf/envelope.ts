import { BinaryWriter, WireType } from '../../kube/text/protobuf-wire.ts';
import { MalformedMessage, type ProtobufReader } from './protobuf-reader.ts';

/** Each object starts with these bytes. Its kind and its message follow. */
export const MAGIC = Buffer.from('k8s\0', 'latin1');

/** An object in its wire form. The message lies between two positions of the bytes that were opened. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** Reads the envelope between the reader's position and `end`. */
export function readEnvelope(reader: ProtobufReader, end: number): Envelope {
  for (const byte of MAGIC) {
    if (reader.position >= end || reader.byte() !== byte) throw new MalformedMessage('the object has no envelope');
  }
  let type = { apiVersion: '', kind: '' };
  let [start, stop] = [end, end];
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === envelopeTags.type) type = readType(reader);
    else if (tag === envelopeTags.raw) {
      stop = reader.nested();
      start = reader.position;
      reader.position = stop;
    } else if (tag === envelopeTags.encoding || tag === envelopeTags.contentType) {
      if (reader.text() !== '') throw new MalformedMessage('the object in its envelope is encoded in another form');
    } else reader.skip(tag);
  }
  reader.ended(end);
  return { ...type, start, end: stop };
}

export const envelopeTags = { type: 10, raw: 18, encoding: 26, contentType: 34 } as const;
const API_VERSION = 10;
const KIND = 18;

function readType(reader: ProtobufReader): { readonly apiVersion: string; readonly kind: string } {
  const end = reader.nested();
  let [apiVersion, kind] = ['', ''];
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === API_VERSION) apiVersion = reader.text();
    else if (tag === KIND) kind = reader.text();
    else reader.skip(tag);
  }
  reader.ended(end);
  return { apiVersion, kind };
}

const LENGTH_DELIMITED = WireType.LengthDelimited;

/** Returns an object in its wire form. */
export function inEnvelope(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  message: Uint8Array,
): Buffer {
  const writer = new BinaryWriter();
  writer.tag(1, LENGTH_DELIMITED).fork();
  writer.tag(1, LENGTH_DELIMITED).string(apiVersion).tag(2, LENGTH_DELIMITED).string(kind);
  writer.join();
  writer.tag(2, LENGTH_DELIMITED).bytes(message);
  return Buffer.concat([MAGIC, writer.finish()]);
}
