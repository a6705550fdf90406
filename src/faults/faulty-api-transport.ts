import { elapsedMs, type Clock } from '../actor/clock.ts';
import { apiResourceOf } from '../api/api-path.ts';
import { reasonOfCode } from '../api/api-fault.ts';
import type { ApiFault, ApiOutcome, ApiRequest } from '../api/api-request.ts';
import type { ApiTransport, WatchEvent, WatchListener } from '../api/api-transport.ts';
import type { FaultEngine, Verdict } from './fault-engine.ts';
import type { FaultActionOf } from './fault-plan.ts';
import type { HeldMessages } from './held-messages.ts';
import { ON_PURPOSE } from './message-seam.ts';

export interface FaultyApiTransportOptions {
  readonly engine: () => FaultEngine | undefined;
  readonly clock: Clock;
  readonly held: HeldMessages;
}

type Outcome = Promise<ApiOutcome<unknown>>;

/**
 * Returns a transport to the API server that fails as the present plans require. Without a plan it passes everything
 * on.
 */
export function faultyApiTransport(transport: ApiTransport, options: FaultyApiTransportOptions): ApiTransport {
  return new FaultyApiTransport(transport, options);
}

class FaultyApiTransport implements ApiTransport {
  readonly #transport: ApiTransport;
  readonly #options: FaultyApiTransportOptions;

  constructor(transport: ApiTransport, options: FaultyApiTransportOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  call(request: ApiRequest, timeoutMs: number): Outcome {
    const verdict = this.#decide(request.verb, request.path);
    return verdict === undefined
      ? this.#transport.call(request, timeoutMs)
      : this.#strike(request, { timeoutMs, verdict });
  }

  /** Opening a watch is one match, of the verb `watch`. Each event of the watch is one of the verb `watch-event`. */
  watch(path: string, listener: WatchListener): () => void {
    const verdict = this.#decide('watch', path);
    let close = (): void => {};
    let isClosed = false;
    const open = (): void => {
      if (isClosed) return;
      const faulty: WatchListener = {
        events: (events) => this.#events(events, { path, listener, close: () => close() }),
        ended: (fault) => listener.ended(fault),
      };
      close = this.#transport.watch(path, faulty);
    };
    switch (verdict?.action.type) {
      case 'error': {
        const fault = faultOf(verdict.action);
        queueMicrotask(() => {
          if (!isClosed) listener.ended(fault);
        });
        break;
      }
      case 'delay':
        this.#options.held.hold(verdict.order, verdict.action.delayMs, open);
        break;
      case 'hang':
      case 'drop':
        this.#options.held.hold(verdict.order, verdict.action.type === 'hang' ? verdict.action.forMs : undefined, open);
        break;
      default:
        open();
    }
    return () => {
      isClosed = true;
      close();
    };
  }

  close(): void {
    this.#transport.close();
  }

  #decide(apiVerb: string, path: string): Verdict | undefined {
    const engine = this.#options.engine();
    if (engine?.watches('api') !== true) return undefined;
    return engine.decide({ at: 'api', apiVerb, apiResource: apiResourceOf(path) });
  }

  #strike(
    request: ApiRequest,
    { timeoutMs, verdict }: { readonly timeoutMs: number; readonly verdict: Verdict },
  ): Outcome {
    const { order, action } = verdict;
    switch (action.type) {
      case 'error':
        return Promise.resolve({ ok: false, fault: faultOf(action) });
      case 'drop':
        if (action.lose === 'answer') void this.#transport.call(request, timeoutMs);
        return this.#until(order, timeoutMs, () => Promise.resolve(timedOut('it was lost')));
      case 'duplicate':
        return Promise.race([this.#transport.call(request, timeoutMs), this.#transport.call(request, timeoutMs)]);
      case 'delay':
      case 'hang': {
        const { clock } = this.#options;
        const since = clock.monotonic();
        const forMs = action.type === 'delay' ? action.delayMs : (action.forMs ?? Infinity);
        return this.#until(order, Math.min(forMs, timeoutMs), () => {
          const leftMs = timeoutMs - elapsedMs(since, clock.monotonic());
          return leftMs <= 0 ? Promise.resolve(timedOut('it was held back')) : this.#transport.call(request, leftMs);
        });
      }
      default:
        return this.#transport.call(request, timeoutMs);
    }
  }

  #until(order: number, ms: number, then: () => Outcome): Outcome {
    return new Promise((resolve) => void this.#options.held.hold(order, ms, () => void then().then(resolve)));
  }

  #events(
    events: readonly WatchEvent[],
    { path, listener, close }: { readonly path: string; readonly listener: WatchListener; readonly close: () => void },
  ): void {
    const engine = this.#options.engine();
    if (engine?.watches('api') !== true) return listener.events(events);
    for (const event of events) {
      const verdict = this.#decide('watch-event', path);
      const pass = (): void => listener.events([event]);
      switch (verdict?.action.type) {
        case 'drop':
          break;
        case 'duplicate':
          pass();
          pass();
          break;
        case 'error':
          close();
          // Events after the fault are dropped.
          return listener.ended(faultOf(verdict.action));
        default:
          pass();
      }
    }
  }
}

function faultOf({ code, text }: FaultActionOf<'error'>): ApiFault {
  const message = text ?? ON_PURPOSE;
  if (code === 'unreachable' || code === 'unreadable') return { kind: code, message };
  return { kind: 'refused', code: Number(code), reason: reasonOfCode(Number(code)), message };
}

const timedOut = (why: string): ApiOutcome<unknown> => ({
  ok: false,
  fault: { kind: 'timed-out', message: `${why}: ${ON_PURPOSE}` },
});
