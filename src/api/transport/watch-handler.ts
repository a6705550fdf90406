import type { Dispatcher } from 'undici';
import type { Clock } from '../../actor/clock.ts';
import { refusalOf } from '../api-fault.ts';
import type { ApiFault } from '../api-request.ts';
import { watchEventTypes, type WatchEvent } from '../api-transport.ts';
import { LineSplitter, type OverlongLine } from './json-lines.ts';
import { headerText, networkFault } from './network-fault.ts';
import { unreadObject, whyTooDeep } from '../unread-object.ts';
import { messageOf } from '../../kube/text/message-of.ts';
import { formOfAnswer, isFormRefused, type ContentForm } from './content-forms.ts';
import { FrameSplitter, type OverlongFrame } from './frames.ts';
import type { ObjectCodec } from './object-codec.ts';
import { refusalText } from './refusal-text.ts';

/**
 * etcd accepts 1.5 MiB for each object. A character may take six in JSON: nine MiB. A longer line is not an object
 * of Kubernetes.
 */
export const MOST_OBJECT_BYTES = 16 * 1024 * 1024;
const MOST_REFUSAL_BYTES = 64 * 1024;
/** An overlong object in protobuf is passed over. A length beyond this is garbage, and so are the bytes after it. */
const MOST_SKIPPED_BYTES = 64 * 1024 * 1024;

export interface WatchHandlerOptions {
  readonly path: string;
  readonly idleMs: number;
  readonly clock: Clock;
  /** Reads events in protobuf. `undefined` when the server was asked for JSON. */
  readonly codec: ObjectCodec | undefined;
  /** The server has accepted the watch. `undefined`: the form of its events is unknown. */
  readonly begun: (form: ContentForm | undefined) => void;
  readonly events: (events: readonly WatchEvent[]) => void;
  readonly ended: (end: WatchEnd) => void;
}

export interface WatchEnd {
  /** `undefined` when the server ended the watch in good order. */
  readonly fault: ApiFault | undefined;
  /** `true` if the server was asked in protobuf, and JSON is the better way to ask. */
  readonly wantsJson: boolean;
}

/**
 * How long a watch may be silent before it is dropped: a connection can be dead without any notice. With bookmarks
 * something arrives about every minute; otherwise the server ends the watch at its own timeout.
 */
export function idleTimeoutMs(path: string): number {
  const query = new URLSearchParams(path.slice(path.indexOf('?') + 1));
  if (query.get('allowWatchBookmarks') === 'true') return 180_000;
  const seconds = Number(query.get('timeoutSeconds') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? (seconds + 30) * 1000 : 600_000;
}

/** Reads one watch: JSON objects, one on each line, or frames of protobuf. The watch ends once. */
export class WatchHandler implements Dispatcher.DispatchHandler {
  readonly #options: WatchHandlerOptions;
  readonly #lines = new LineSplitter(MOST_OBJECT_BYTES);
  readonly #frames = new FrameSplitter({ mostBytes: MOST_OBJECT_BYTES, mostSkipped: MOST_SKIPPED_BYTES });
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #code = 0;
  #retryAfter: string | undefined;
  #refusal: Buffer[] = [];
  #refusalBytes = 0;
  #form: ContentForm | undefined;
  #wantsJson = false;

  constructor(options: WatchHandlerOptions) {
    this.#options = options;
  }

  /** Ends the watch without calling its listener. */
  abort(): void {
    this.#isOver = true;
    this.#controller?.abort(new Error('this watch was closed by its listener'));
  }

  /** Ends the watch before it has begun. */
  fail(fault: ApiFault): void {
    this.#end(fault);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isOver) this.abort();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    code: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#code = code;
    this.#retryAfter = headerText(headers['retry-after']);
    this.#form = formOfAnswer(headerText(headers['content-type']));
    const { codec, begun } = this.#options;
    this.#wantsJson = codec !== undefined && (isFormRefused(code) || (code === 200 && this.#form === 'json'));
    if (code === 200) begun(this.#form);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#code !== 200) {
      if (this.#refusalBytes < MOST_REFUSAL_BYTES) this.#refusal.push(chunk);
      this.#refusalBytes += chunk.length;
      return;
    }
    const events: WatchEvent[] = [];
    let bad: string | undefined;
    try {
      for (const event of this.#read(chunk)) events.push(event);
    } catch (error) {
      bad = messageOf(error);
    }
    // The events before the bad one are good.
    if (events.length > 0) this.#options.events(events);
    if (bad === undefined || this.#isOver) return;
    // A stream that broke in protobuf is asked for again in JSON.
    this.#wantsJson ||= this.#form === 'protobuf' && this.#options.codec !== undefined;
    this.#end({ kind: 'unreadable', message: `watch ${this.#options.path}: ${bad}` });
    this.#controller?.abort(new Error('the watch cannot be read'));
  }

  onResponseEnd(): void {
    const { path, clock } = this.#options;
    if (this.#code !== 200) {
      const body = refusalText(
        Buffer.concat(this.#refusal),
        this.#form === 'protobuf' ? this.#options.codec : undefined,
      );
      return this.#end(refusalOf({ code: this.#code, retryAfter: this.#retryAfter, body, now: clock.now() }));
    }
    const isCutShort = this.#lines.isCutShort || this.#frames.isCutShort;
    this.#end(
      isCutShort ? { kind: 'unreachable', message: `watch ${path}: ended in the middle of an event` } : undefined,
    );
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#end(networkFault(`watch ${this.#options.path}`, error));
  }

  *#read(chunk: Buffer): Generator<WatchEvent, void, undefined> {
    const { codec } = this.#options;
    if (this.#form !== 'protobuf' || codec === undefined) {
      for (const line of this.#lines.push(chunk)) yield typeof line === 'string' ? eventOf(line) : overlongEvent(line);
      return;
    }
    for (const frame of this.#frames.push(chunk)) {
      yield Buffer.isBuffer(frame) ? codec.readWatchEvent(frame) : overlongFrame(codec, frame);
    }
  }

  #end(fault: ApiFault | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.ended({ fault, wantsJson: this.#wantsJson });
  }
}

function eventOf(line: string): WatchEvent {
  let event: Partial<WatchEvent> | null;
  try {
    // Both members are checked below.
    event = JSON.parse(line) as Partial<WatchEvent> | null;
  } catch {
    throw new Error('a line is not JSON');
  }
  if (!watchEventTypes.has(event?.type) || typeof event?.object !== 'object' || event.object === null) {
    throw new Error('a line is not a watch event');
  }
  const why = whyTooDeep(event.object);
  // The type and the object were checked above.
  const { type, object } = event as WatchEvent;
  return why === undefined ? { type, object } : { type, object: unreadObject(object, why) };
}

/**
 * Stands for an event that is too large to read, with the object's name if the beginning contains it. The kind of
 * change is unknown. It counts as modified, so the last good version of the object stays.
 */
function overlongEvent({ beginning }: OverlongLine): WatchEvent {
  const [namespace, name, uid] = [NAMESPACE, NAME, UID].map((member) => member.exec(beginning)?.[1]);
  const metadata = { namespace, name, uid };
  return { type: 'MODIFIED', object: unreadObject({ metadata }, TOO_LARGE) };
}

const overlongFrame = (codec: ObjectCodec, { beginning }: OverlongFrame): WatchEvent => ({
  type: 'MODIFIED',
  object: unreadObject(codec.nameInBeginning(beginning), TOO_LARGE),
});

const TOO_LARGE = `has more than ${MOST_OBJECT_BYTES} bytes`;

const NAMESPACE = /"namespace":"([^"\\]{1,253})"/;
const NAME = /"name":"([^"\\]{1,253})"/;
const UID = /"uid":"([^"\\]{1,253})"/;
