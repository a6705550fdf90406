import { BinaryWriter } from '../../kube/text/protobuf-wire.ts';
import { own } from '../../kube/text/own.ts';
import { inEnvelope } from './envelope.ts';
import { wireMessages } from './gen/wire-messages.ts';
import { NotInTable, writeMessage } from './write-message.ts';

/**
 * Returns a body in protobuf. `undefined` when its kind or one of its members has no form in protobuf here: nothing is
 * left out silently, and the body is sent in JSON.
 */
export function writeBody(body: object): Buffer | undefined {
  // The members of a body are unknown; both are checked below.
  const { apiVersion, kind } = body as { readonly apiVersion?: unknown; readonly kind?: unknown };
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const message = own(wireMessages, `${apiVersion}/${kind}`);
  if (message === undefined) return undefined;
  const writer = new BinaryWriter();
  try {
    writeMessage({ writer, unknown: 'refuse' }, message, body);
  } catch (error) {
    if (error instanceof NotInTable) return undefined;
    throw error;
  }
  return inEnvelope({ apiVersion, kind }, writer.finish());
}
