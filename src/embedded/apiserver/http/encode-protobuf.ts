import { BinaryWriter, WireType } from '../../../kube/text/protobuf-wire.ts';
import { own } from '../../../kube/text/own.ts';
import type { WatchEvent } from '../../../api/api-transport.ts';
import { inEnvelope } from '../../../api/protobuf/envelope.ts';
import type { WireMessage } from '../../../api/protobuf/wire-types.ts';
import { writeMessage } from '../../../api/protobuf/write-message.ts';
import { wireMessages } from '../protobuf/gen/wire-messages.ts';
import { apiVersionOf, type ApiKind } from '../store/api-kind.ts';

const LENGTH_DELIMITED = WireType.LengthDelimited;

/** Returns the table of a kind. `undefined` when its objects are served in JSON only. */
const tableOf = (apiVersion: string, kind: string): WireMessage | undefined =>
  own(wireMessages, `${apiVersion}/${kind}`);

export const hasProtobufForm = (kind: ApiKind): boolean => tableOf(apiVersionOf(kind), kind.kind) !== undefined;

/** The messages of stored objects, made once. Stored objects never change. */
const encodedMessages = new WeakMap<object, Uint8Array>();

function messageOf(object: object, table: WireMessage): Uint8Array {
  let message = encodedMessages.get(object);
  if (message === undefined) {
    const writer = new BinaryWriter();
    writeMessage({ writer, unknown: 'drop' }, table, object);
    encodedMessages.set(object, (message = writer.finish()));
  }
  return message;
}

interface Typed {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Returns an object, or a `Status`, in protobuf. `undefined` when its kind has no such form here. */
export function protobufObject(object: object): Buffer | undefined {
  // The members of any object are unknown; both are checked below.
  const { apiVersion = '', kind = '' } = object as Partial<Typed>;
  const table = tableOf(apiVersion, kind);
  return table && inEnvelope({ apiVersion, kind }, messageOf(object, table));
}

export function protobufList(
  kind: ApiKind,
  { metadata, items }: { readonly metadata: object; readonly items: readonly object[] },
): Buffer | undefined {
  const apiVersion = apiVersionOf(kind);
  const table = tableOf(apiVersion, kind.kind);
  const listTable = own(wireMessages, 'ListMeta');
  if (table === undefined || listTable === undefined) return undefined;
  const writer = new BinaryWriter();
  writer.tag(1, LENGTH_DELIMITED).bytes(messageOf(metadata, listTable));
  for (const item of items) writer.tag(2, LENGTH_DELIMITED).bytes(messageOf(item, table));
  return inEnvelope({ apiVersion, kind: `${kind.kind}List` }, writer.finish());
}

/** Returns one frame of a watch: the event after its length. */
export function protobufEvent({ type, object }: WatchEvent): Buffer {
  // A watch carries objects of its kind, and `Status`: both have tables.
  const raw = protobufObject(object as object) ?? Buffer.alloc(0);
  const writer = new BinaryWriter();
  writer.tag(1, LENGTH_DELIMITED).string(type);
  writer.tag(2, LENGTH_DELIMITED).fork();
  writer.tag(1, LENGTH_DELIMITED).bytes(raw);
  const event = writer.join().finish();
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}
