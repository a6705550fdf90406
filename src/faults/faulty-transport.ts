import { elapsedMs, type Clock } from '../actor/clock.ts';
import type { CriFault, CriFaultCode, CriOutcome } from '../cri/fault.ts';
import type { CriTransport } from '../cri/transport.ts';
import type { FaultEngine, Verdict } from './fault-engine.ts';
import type { FaultActionOf } from './fault-plan.ts';
import type { HeldMessages } from './held-messages.ts';
import { ON_PURPOSE, REORDER_AT_MOST_MS } from './message-seam.ts';

export interface FaultyTransportOptions {
  readonly engine: () => FaultEngine | undefined;
  readonly clock: Clock;
  readonly held: HeldMessages;
}

interface Call {
  readonly path: string;
  readonly request: Uint8Array;
  readonly timeoutMs: number | undefined;
}
type Outcome = Promise<CriOutcome<Uint8Array>>;

/**
 * Returns a transport to the runtime that fails as the present plans require. Without a plan it passes everything on.
 */
export function faultyTransport(transport: CriTransport, options: FaultyTransportOptions): CriTransport {
  return new FaultyTransport(transport, options);
}

class FaultyTransport implements CriTransport {
  readonly #transport: CriTransport;
  readonly #options: FaultyTransportOptions;
  /** Calls that wait until the next call overtakes them. */
  readonly #overtakable = new Set<() => void>();

  constructor(transport: CriTransport, options: FaultyTransportOptions) {
    this.#transport = transport;
    this.#options = options;
  }

  unary(path: string, request: Uint8Array, timeoutMs: number | undefined): Outcome {
    const engine = this.#options.engine();
    if (engine === undefined || !engine.watches('cri')) return this.#transport.unary(path, request, timeoutMs);
    const verdict = engine.decide({ at: 'cri', criMethod: methodOf(path) });
    const call = { path, request, timeoutMs };
    const waiting = [...this.#overtakable];
    const outcome = verdict === undefined ? this.#send(call) : this.#strike(call, verdict);
    // Waiting calls continue once this call was sent.
    for (const release of waiting) release();
    return outcome;
  }

  containerEvents(listener: { event(bytes: Uint8Array): void; ended(fault: CriFault): void }): () => void {
    const stop = this.#transport.containerEvents({
      event: (bytes) => this.#event(bytes, listener, () => stop()),
      ended: (fault) => listener.ended(fault),
    });
    return stop;
  }

  close(): void {
    this.#transport.close();
  }

  #send({ path, request, timeoutMs }: Call): Outcome {
    return this.#transport.unary(path, request, timeoutMs);
  }

  #strike(call: Call, { order, action }: Verdict): Outcome {
    switch (action.type) {
      case 'error':
        return Promise.resolve(failed(action));
      case 'drop':
        return this.#lose(call, order, action);
      case 'duplicate': {
        const answers = Array.from({ length: 1 + (action.times ?? 1) }, () => this.#send(call));
        return Promise.race(answers);
      }
      case 'delay':
        return this.#holdBack(call, { order, forMs: action.delayMs });
      case 'hang':
        return this.#holdBack(call, { order, forMs: action.forMs });
      case 'reorder': {
        const overtaken = { release: () => {} };
        const outcome = this.#holdBack(call, { order, forMs: action.atMostMs ?? REORDER_AT_MOST_MS }, overtaken);
        this.#overtakable.add(overtaken.release);
        void outcome.then(() => this.#overtakable.delete(overtaken.release));
        return outcome;
      }
      default:
        return this.#send(call);
    }
  }

  /** The caller gets no answer until its deadline, or without a deadline until the plan ends. */
  #lose(call: Call, order: number, { lose }: FaultActionOf<'drop'>): Outcome {
    if (lose === 'answer') void this.#send(call);
    return new Promise((resolve) => {
      const { timeoutMs } = call;
      this.#options.held.hold(order, timeoutMs, () => resolve(timedOut('it was lost')));
    });
  }

  /** Sends the call late, or not at all once its caller has stopped waiting. */
  #holdBack(
    call: Call,
    { order, forMs }: { readonly order: number; readonly forMs: number | undefined },
    overtaken?: { release: () => void },
  ): Outcome {
    const { clock, held } = this.#options;
    const since = clock.monotonic();
    const { timeoutMs } = call;
    return new Promise((resolve) => {
      const ms = Math.min(forMs ?? Infinity, timeoutMs ?? Infinity);
      const release = held.hold(order, ms === Infinity ? undefined : ms, () => {
        const leftMs = timeoutMs === undefined ? undefined : timeoutMs - elapsedMs(since, clock.monotonic());
        if (leftMs !== undefined && leftMs <= 0) resolve(timedOut('it was held back'));
        else resolve(this.#send({ ...call, timeoutMs: leftMs }));
      });
      if (overtaken !== undefined) overtaken.release = release;
    });
  }

  #event(
    bytes: Uint8Array,
    listener: { event(bytes: Uint8Array): void; ended(fault: CriFault): void },
    stop: () => void,
  ): void {
    const engine = this.#options.engine();
    const verdict =
      engine?.watches('cri') === true ? engine.decide({ at: 'cri', criMethod: 'GetContainerEvents' }) : undefined;
    const { held } = this.#options;
    const pass = (): void => listener.event(bytes);
    switch (verdict?.action.type) {
      case undefined:
        return pass();
      case 'drop':
        return;
      case 'duplicate':
        for (let more = verdict.action.times ?? 1; more > 0; more--) listener.event(bytes.slice());
        return pass();
      case 'delay':
        return void held.hold(verdict.order, verdict.action.delayMs, pass);
      case 'reorder':
        return void held.hold(verdict.order, verdict.action.atMostMs ?? REORDER_AT_MOST_MS, pass);
      case 'hang':
        return void held.hold(verdict.order, verdict.action.forMs, pass);
      case 'error':
        stop();
        return listener.ended(faultOf(verdict.action));
      default:
        return pass();
    }
  }
}

const methodOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const faultOf = ({ code, text }: FaultActionOf<'error'>): CriFault => ({
  // The plan reader accepts only gRPC codes at this seam.
  code: code as CriFaultCode,
  detail: text ?? ON_PURPOSE,
});

const failed = (action: FaultActionOf<'error'>): CriOutcome<Uint8Array> => ({ ok: false, fault: faultOf(action) });

const timedOut = (why: string): CriOutcome<Uint8Array> => ({
  ok: false,
  fault: { code: 'DEADLINE_EXCEEDED', detail: `${why}: ${ON_PURPOSE}` },
});
