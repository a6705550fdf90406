import { watchEventTypes, type WatchEvent } from '../api-transport.ts';
import { MalformedMessage, type ProtobufReader } from './protobuf-reader.ts';
import { readEventObject } from './read-object.ts';

const TYPE = 10;
const OBJECT = 18;
const RAW = 10;

/** Reads one frame of a watch. Throws `MalformedMessage` for a frame that is no event with an object. */
export function readWatchEvent(reader: ProtobufReader, frame: Buffer): WatchEvent {
  reader.open(frame);
  try {
    let type: unknown;
    let object: unknown;
    while (reader.position < frame.length) {
      const tag = reader.tag();
      if (tag === TYPE) type = reader.text();
      else if (tag === OBJECT) object = readExtension(reader);
      else reader.skip(tag);
    }
    reader.ended(frame.length);
    if (!watchEventTypes.has(type) || object === undefined) throw new MalformedMessage('a frame is not a watch event');
    // The type was checked above.
    return { type, object } as WatchEvent;
  } finally {
    reader.close();
  }
}

/** The object stands in a message of its own. */
function readExtension(reader: ProtobufReader): unknown {
  const end = reader.nested();
  let object: unknown;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === RAW) object = readEventObject(reader, reader.nested());
    else reader.skip(tag);
  }
  reader.ended(end);
  return object;
}
