import type { Dispatcher } from 'undici';
import type { Clock } from '../actor/clock.ts';
import { refusalOf } from './api-fault.ts';
import { isUnread, type ApiFault, type ApiOutcome, type ApiRequest } from './api-request.ts';
import { headerText, networkFault } from './network-fault.ts';

/** No answer is larger: a page of 500 pods is some megabytes. */
const MOST_BYTES = 256 * 1024 * 1024;

export interface CallHandlerOptions {
  readonly request: ApiRequest;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly resolve: (outcome: ApiOutcome<unknown>) => void;
}

/** Reads the answer to one call. It always ends, at the deadline at the latest. */
export class CallHandler implements Dispatcher.DispatchHandler {
  readonly #options: CallHandlerOptions;
  readonly #disarm: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #code = 0;
  #isJson = false;
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
    // It waited for a connection for longer than it had.
    if (this.#isOver) controller.abort(new Error('nobody waits for this call'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    code: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.#code = code;
    this.#retryAfter = headerText(headers['retry-after']);
    this.#isJson = headerText(headers['content-type'])?.startsWith('application/json') === true;
  }

  onResponseData(_controller: Dispatcher.DispatchController, part: Buffer): void {
    this.#size += part.length;
    if (this.#size > MOST_BYTES) {
      this.#abort({
        kind: 'unreadable',
        message: `${describe(this.#options.request)}: the answer is larger than ${MOST_BYTES} bytes`,
      });
    } else this.#parts.push(part);
  }

  onResponseEnd(): void {
    const { clock, request } = this.#options;
    const isGood = this.#code >= 200 && this.#code <= 299;
    if (isGood && this.#isJson && isUnread(request)) return this.#end({ ok: true, value: undefined });
    const body = Buffer.concat(this.#parts).toString('utf8');
    if (!isGood) {
      const fault = refusalOf({ code: this.#code, retryAfter: this.#retryAfter, body, now: clock.now() });
      return this.#end({ ok: false, fault });
    }
    try {
      this.#end({ ok: true, value: JSON.parse(body) });
    } catch {
      this.#end({ ok: false, fault: { kind: 'unreadable', message: `${describe(request)}: the answer is not JSON` } });
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#end({ ok: false, fault: networkFault(describe(this.#options.request), error) });
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
    this.#options.resolve(outcome);
  }
}

const describe = ({ verb, path }: ApiRequest): string => `${verb} ${path}`;
