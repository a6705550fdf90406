import { elapsedMs, later, type MonotonicMs } from '../../src/actor/clock.ts';
import type { ActorContext } from '../../src/actor/actor.ts';
import { Transferring } from '../../src/actor/messages/message.ts';
import type { CriFault, CriOutcome } from '../../src/cri/fault.ts';
import { criMethods } from '../../src/cri/methods.ts';
import type { OperationMetrics } from '../../src/cri/operation-metrics.ts';
import type { CriTransport } from '../../src/cri/transport.ts';
import type { LatestCreations } from './latest-creations.ts';
import type { CriCall, CriGatewayProtocol } from './protocol.ts';
import {
  CallSchedule,
  countsForMs,
  scheduled,
  singleFlightKey,
  type LaneLimits,
  type Released,
  type ScheduledCall,
} from './call-schedule.ts';

/** A call on the transport. `began` is a monotonic instant. */
interface RunningCall {
  readonly call: ScheduledCall;
  readonly began: MonotonicMs;
  readonly settled: Promise<unknown>;
}

/**
 * Calls under way on the transport. Outlives an incarnation of the gateway, so that the next incarnation can fence
 * them.
 */
export type RunningCalls = Map<number, RunningCall>;

export interface CallRunnerDeps {
  readonly transport: CriTransport;
  readonly underWay: RunningCalls;
  /** Outlives an incarnation, as `underWay` does. */
  readonly creations: LatestCreations;
  readonly limits: LaneLimits;
  readonly metrics: OperationMetrics;
}

/**
 * A call that has waited this long for its turn is dropped. Shorter than the time that callers wait beyond the call's
 * own timeout.
 */
const WAIT_AT_MOST_MS = 45_000;
/** Answers at least this large move between threads instead of being copied. */
const TRANSFER_FROM_BYTES = 16_384;

interface WaitingCall {
  readonly call: CriCall;
  /** The key under which other callers may share the call until it is sent. */
  readonly flight: string | undefined;
  readonly resolve: (outcome: CriOutcome<Uint8Array>) => void;
  giveUpNoMore: () => void;
}

const NO_CALLER: CriFault = { code: 'CANCELLED', detail: 'the gateway restarted before the call was queued' };

/** The path of calls through the gateway: a call waits for its turn, is sent, and frees its slot when it settles. */
export class CallRunner {
  readonly #context: ActorContext<CriGatewayProtocol>;
  readonly #deps: CallRunnerDeps;
  readonly #schedule: CallSchedule;
  readonly #waiting = new Map<number, WaitingCall>();
  /** Calls not sent yet, by key; a caller with the same request shares the call. */
  readonly #flights = new Map<string, Promise<CriOutcome<Uint8Array>>>();
  readonly #runtimeMissed: () => void;
  #lastCall: number;

  constructor(context: ActorContext<CriGatewayProtocol>, deps: CallRunnerDeps, runtimeMissed: () => void) {
    this.#context = context;
    this.#deps = deps;
    this.#runtimeMissed = runtimeMissed;
    this.#schedule = new CallSchedule(deps.limits);
    // `underWay` still holds the numbers of an earlier incarnation's calls.
    this.#lastCall = Math.max(0, ...deps.underWay.keys());
  }

  /** Takes charge of the calls that an earlier incarnation left under way. */
  adoptAll(): void {
    for (const { call, began, settled } of this.#deps.underWay.values()) {
      this.#schedule.adopt(call);
      const stopCounting = this.#countWhilePrompt(call, began);
      const ended = (): void => {
        stopCounting();
        this.#settled(call.id);
      };
      this.#context.supervise(settled.then(ended));
    }
  }

  call(call: CriCall): Promise<CriOutcome<Uint8Array>> {
    const key = singleFlightKey(call);
    if (key === undefined) return this.#queue(call, undefined);
    const flying = this.#flights.get(key);
    // A shared answer is copied: its first caller may have moved the bytes to another thread.
    if (flying !== undefined) return flying.then(copied);
    // Sent once all messages now in the mailbox are read: an identical request among them shares this call.
    const flight = Promise.resolve().then(() => this.#queue(call, key));
    this.#flights.set(key, flight);
    return flight.then(copied);
  }

  #queue(call: CriCall, flight: string | undefined): Promise<CriOutcome<Uint8Array>> {
    // The gateway crashed after reading this request. The next incarnation would not know of the call, and its limits
    // would not count it.
    if (!this.#context.alive()) return Promise.resolve({ ok: false, fault: NO_CALLER });
    return new Promise((resolve) => {
      const id = ++this.#lastCall;
      const entry = scheduled(id, call);
      const waiting: WaitingCall = { call, flight, resolve, giveUpNoMore: () => {} };
      this.#waiting.set(id, waiting);
      this.#dispatch(this.#schedule.offer(entry));
      // A call without a timeout may wait for ever. Any other caller soon stops waiting, so a later effect would be
      // unexpected.
      if (call.timeoutMs === undefined || !this.#waiting.has(id)) return;
      waiting.giveUpNoMore = this.#context.clock.after(WAIT_AT_MOST_MS, () => this.#giveUp(entry));
    });
  }

  #giveUp(entry: ScheduledCall): void {
    this.#schedule.withdraw(entry);
    const waiting = this.#leave(entry.id);
    if (waiting === undefined) return;
    const { method } = waiting.call;
    const detail = `${method} was not made: calls before it kept the runtime busy for ${WAIT_AT_MOST_MS / 1000} s`;
    waiting.resolve({ ok: false, fault: { code: 'NOT_MADE', detail } });
  }

  /** Removes a call from the waiting calls, whether it is sent or dropped. */
  #leave(id: number): WaitingCall | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.giveUpNoMore();
    // Later callers must not share an answer that may be older than their request.
    if (waiting?.flight !== undefined) this.#flights.delete(waiting.flight);
    return waiting;
  }

  #dispatch(calls: readonly Released[]): void {
    // Grows while it is read: a refused call makes room for the next.
    const turns = [...calls];
    for (const { call: entry, heldBack } of turns) {
      const waiting = this.#leave(entry.id);
      const isOutdated = heldBack || this.#deps.creations.isNewsTo(entry, waiting?.call.observedAt);
      if (waiting !== undefined && !isOutdated) this.#send(entry, waiting);
      else {
        waiting?.resolve({ ok: false, fault: outdated(waiting.call) });
        turns.push(...this.#schedule.settled(entry.id));
      }
    }
  }

  #send(entry: ScheduledCall, { call, resolve }: WaitingCall): void {
    const { underWay, creations, transport, metrics } = this.#deps;
    const { clock } = this.#context;
    const began = clock.monotonic();
    const stopCounting = this.#countWhilePrompt(entry, began);
    const answered = (outcome: CriOutcome<Uint8Array>): void => {
      stopCounting();
      underWay.delete(entry.id);
      creations.ended(entry, { isAdopted: !this.#context.alive(), at: clock.monotonic() });
      metrics.observe(call.method, elapsedMs(began, clock.monotonic()) / 1000, outcome.ok ? 'ok' : 'error');
      this.#settled(entry.id);
      // The call that fails is the first sign of a lost runtime: check the runtime now instead of at the next interval.
      if (!outcome.ok && outcome.fault.code === 'UNAVAILABLE') this.#runtimeMissed();
      resolve(outcome);
    };
    const settled = transport.unary(criMethods[call.method].path, call.request, call.timeoutMs).then(answered);
    underWay.set(entry.id, { call: entry, began, settled });
    this.#context.supervise(settled);
  }

  #countWhilePrompt({ id, lane }: ScheduledCall, began: MonotonicMs): () => void {
    const { clock } = this.#context;
    const counts = countsForMs(lane);
    if (counts === undefined) return () => {};
    const left = Math.max(0, elapsedMs(clock.monotonic(), later(began, counts)));
    return clock.after(left, () => this.#dispatch(this.#schedule.unanswered(id)));
  }

  /** Bypasses the mailbox: a message lost to a full mailbox would occupy a slot of the lane for ever. */
  #settled(id: number): void {
    if (this.#context.alive()) this.#dispatch(this.#schedule.settled(id));
  }
}

const outdated = ({ method }: CriCall): CriFault => ({
  code: 'INTERRUPTED',
  detail: `${method} was not made: it was decided before earlier calls for its pod ended; the pod is inspected again`,
});

const copied = (outcome: CriOutcome<Uint8Array>): CriOutcome<Uint8Array> =>
  outcome.ok ? { ok: true, value: outcome.value.slice() } : outcome;

export function asAnswer(
  outcome: CriOutcome<Uint8Array>,
): CriOutcome<Uint8Array> | Transferring<CriOutcome<Uint8Array>> {
  if (!outcome.ok || outcome.value.byteLength < TRANSFER_FROM_BYTES) return outcome;
  // The transport makes these bytes (`ownBytes`), never in shared memory.
  return new Transferring(outcome, [outcome.value.buffer as ArrayBuffer]);
}
