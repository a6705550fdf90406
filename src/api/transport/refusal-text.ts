import type { ObjectCodec } from './object-codec.ts';

/** Returns the body of a refusal as text: a `Status` in protobuf becomes the JSON that it would have been. */
export function refusalText(body: Buffer, codec: ObjectCodec | undefined): string {
  if (codec === undefined) return body.toString('utf8');
  try {
    return JSON.stringify(codec.readBody(body).value);
  } catch {
    return ''; // The code of the answer says enough.
  }
}
