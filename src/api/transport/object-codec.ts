import type { WatchEvent } from '../api-transport.ts';

/** Encodes and decodes objects in the API's protobuf form. Loaded only where the server is asked in protobuf. */
export interface ObjectCodec {
  /** Returns a body in protobuf. `undefined` when the body can be sent in JSON only. */
  writeBody(body: object): Buffer | undefined;
  /** Throws for bytes that are no object or list of a known kind. A malformed item of a list is left out alone. */
  readBody(body: Buffer): ReadBody;
  /** Throws for bytes that are no watch event. A malformed object of an event is left out alone. */
  readWatchEvent(frame: Buffer): WatchEvent;
  /** Returns what the beginning of a watch event says of its object's name. */
  nameInBeginning(beginning: Buffer): object;
}

export interface ReadBody {
  readonly value: object;
  /** Fields that this agent does not know, which were passed over. */
  readonly unknownFields: number;
}
