import type { Dispatcher } from 'undici';
import type { Clock } from '../../actor/clock.ts';
import { refusalOf } from '../api-fault.ts';
import { isUnread, type ApiFault, type ApiOutcome, type ApiRequest } from '../api-request.ts';
import { apiResourceOf } from '../api-path.ts';
import { messageOf } from '../../kube/text/message-of.ts';
import { formOfAnswer, isFormRefused, isWrittenBack, type ContentForm } from './content-forms.ts';
import { refusalText } from './refusal-text.ts';
import type { ObjectCodec } from './object-codec.ts';
import { headerText, networkFault } from './network-fault.ts';
import { unreadObject, whyTooDeep } from '../unread-object.ts';
import { MOST_OBJECT_BYTES } from './watch-handler.ts';

/** A page of 500 pods is some megabytes. A reflector requests smaller pages when a page is larger than this. */
const MOST_LIST_BYTES = 64 * 1024 * 1024;
/** A refusal's `Status` holds a short message: a body beyond this is not read. */
const MOST_REFUSAL_BYTES = 64 * 1024;

export interface CallHandlerOptions {
  readonly request: ApiRequest;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Reads answers in protobuf. `undefined` when the server was asked for JSON. */
  readonly codec: ObjectCodec | undefined;
  readonly resolve: (answer: CallAnswer) => void;
}

export interface CallAnswer {
  readonly outcome: ApiOutcome<unknown>;
  /** `undefined` when nothing was read, or something that is no object. */
  readonly form: ContentForm | undefined;
  /** `true` if the server was asked in protobuf, and JSON is the better way to ask. */
  readonly wantsJson: boolean;
}

/** Reads the answer to one call. The call always ends, at its deadline at the latest. */
export class CallHandler implements Dispatcher.DispatchHandler {
  readonly #options: CallHandlerOptions;
  readonly #disarm: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #code = 0;
  #form: ContentForm | undefined;
  #wantsJson = false;
  #retryAfter: string | undefined;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(options: CallHandlerOptions) {
    this.#options = options;
    const { request, timeoutMs, clock } = options;
    this.#disarm = clock.after(timeoutMs, () =>
      this.#abort({ kind: 'timed-out', message: `${describe(request)} got no answer within ${timeoutMs / 1000} s` }),
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The call's deadline passed while it waited for a connection.
    if (this.#isOver) controller.abort(new Error('this call has already ended'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    code: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#code = code;
    this.#retryAfter = headerText(headers['retry-after']);
    this.#form = formOfAnswer(headerText(headers['content-type']));
    const { codec } = this.#options;
    this.#wantsJson = codec !== undefined && (isFormRefused(code) || (this.#isGood && this.#form === 'json'));
  }

  onResponseData(_controller: Dispatcher.DispatchController, part: Buffer): void {
    this.#size += part.length;
    if (!this.#isGood) {
      if (this.#size - part.length < MOST_REFUSAL_BYTES) this.#parts.push(part);
    } else if (this.#size > this.#mostBytes) {
      this.#abort({
        kind: 'unreadable',
        message: `${describe(this.#options.request)}: the answer is larger than ${this.#mostBytes} bytes`,
      });
    } else this.#parts.push(part);
  }

  onResponseEnd(): void {
    const { clock, request } = this.#options;
    if (this.#isGood && this.#form !== undefined && isUnread(request)) {
      return this.#end({ ok: true, value: undefined });
    }
    const bytes = joined(this.#parts);
    if (!this.#isGood) {
      const body = refusalText(bytes, this.#form === 'protobuf' ? this.#options.codec : undefined);
      const fault = refusalOf({ code: this.#code, retryAfter: this.#retryAfter, body, now: clock.now() });
      return this.#end({ ok: false, fault });
    }
    this.#end(this.#form === 'protobuf' ? this.#decoded(bytes) : parsed(request, bytes.toString('utf8')));
  }

  #decoded(bytes: Buffer): ApiOutcome<unknown> {
    const { codec, request } = this.#options;
    if (codec === undefined) return unreadable(request, 'is in protobuf, and JSON was asked for');
    try {
      const { value, unknownFields } = codec.readBody(bytes);
      if (unknownFields === 0 || !isWrittenBack(apiResourceOf(request.path))) return { ok: true, value };
      this.#wantsJson = true;
      return unreadable(request, `has ${unknownFields} unknown fields, which must not be lost`);
    } catch (error) {
      this.#wantsJson = true;
      return unreadable(request, `cannot be read as protobuf: ${messageOf(error)}`);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#end({ ok: false, fault: networkFault(describe(this.#options.request), error) });
  }

  get #isGood(): boolean {
    return this.#code >= 200 && this.#code <= 299;
  }

  get #mostBytes(): number {
    return this.#options.request.verb === 'list' ? MOST_LIST_BYTES : MOST_OBJECT_BYTES;
  }

  #abort(fault: ApiFault): void {
    this.#end({ ok: false, fault });
    this.#controller?.abort(new Error(fault.message));
  }

  #end(outcome: ApiOutcome<unknown>): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#disarm();
    this.#parts = [];
    this.#options.resolve({ outcome, form: this.#form, wantsJson: this.#wantsJson });
  }
}

/**
 * Returns the answer as a value that may cross threads. In a list, only the items that are nested too deep are left
 * out.
 */
function parsed(request: ApiRequest, body: string): ApiOutcome<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return unreadable(request, 'is not JSON');
  }
  const why = whyTooDeep(value);
  if (why === undefined) return { ok: true, value };
  // Only an object can be nested too deep.
  const { items } = value as { readonly items?: unknown };
  if (!Array.isArray(items)) return unreadable(request, why);
  const shallow = items.map((item: unknown) => {
    const problem = whyTooDeep(item);
    return problem === undefined ? item : unreadObject(item, problem);
  });
  // The rest of the list is checked again: another member may be nested too deep.
  const list = { ...(value as object), items: shallow };
  return whyTooDeep(list) === undefined ? { ok: true, value: list } : unreadable(request, why);
}

const unreadable = (request: ApiRequest, what: string): ApiOutcome<unknown> => ({
  ok: false,
  fault: { kind: 'unreadable', message: `${describe(request)}: the answer ${what}` },
});

const joined = (parts: readonly Buffer[]): Buffer => {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
};

const describe = ({ verb, path }: ApiRequest): string => `${verb} ${path}`;
