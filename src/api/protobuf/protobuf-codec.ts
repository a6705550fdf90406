import type { ObjectCodec } from '../transport/object-codec.ts';
import { ProtobufReader } from './protobuf-reader.ts';
import { nameInBeginning, readBody } from './read-object.ts';
import { readWatchEvent } from './read-watch-event.ts';
import { writeBody } from './write-object.ts';

/** The codec of one transport. All answers share its texts. */
export function protobufCodec(): ObjectCodec {
  const reader = new ProtobufReader();
  return {
    writeBody,
    readBody: (body) => readBody(reader, body),
    readWatchEvent: (frame) => readWatchEvent(reader, frame),
    nameInBeginning: (beginning) => nameInBeginning(reader, beginning),
  };
}
