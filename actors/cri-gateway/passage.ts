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
interface CallUnderWay {
  readonly call: ScheduledCall;
  readonly began: number;
  readonly settled: Promise<unknown>;
}

/** Calls under way on the transport. It outlives an incarnation of the gateway, so that the next one can fence them. */
export type CallsUnderWay = Map<number, CallUnderWay>;

export interface PassageDeps {
  readonly transport: CriTransport;
  readonly underWay: CallsUnderWay;
  /** Outlives an incarnation as `underWay` does. */
  readonly creations: LatestCreations;
  readonly limits: LaneLimits;
  readonly metrics: OperationMetrics;
}

/** A call that had no turn for so long is not made. Less than callers wait beyond the call's own time. */
const WAIT_AT_MOST_MS = 45_000;
/** Answers larger than this move between threads instead of being copied. */
const TRANSFER_FROM_BYTES = 16_384;

interface WaitingCall {
  readonly call: CriCall;
  /** The key under which it may be shared until it is sent. */
  readonly flight: string | undefined;
  readonly resolve: (outcome: CriOutcome<Uint8Array>) => void;
  giveUpNoMore: () => void;
}

const NOBODY_WAITS: CriFault = { code: 'CANCELLED', detail: 'nobody waits for this call' };

/** The way of calls through the gateway: each waits for its turn, is sent, and leaves its place when it has settled. */
export class Passage {
  readonly #context: ActorContext<CriGatewayProtocol>;
  readonly #deps: PassageDeps;
  readonly #schedule: CallSchedule;
  readonly #waiting = new Map<number, WaitingCall>();
  /** Calls that have not been sent yet, and that the same question may share. */
  readonly #flights = new Map<string, Promise<CriOutcome<Uint8Array>>>();
  readonly #runtimeMissed: () => void;
  #lastCall: number;

  constructor(context: ActorContext<CriGatewayProtocol>, deps: PassageDeps, runtimeMissed: () => void) {
    this.#context = context;
    this.#deps = deps;
    this.#runtimeMissed = runtimeMissed;
    this.#schedule = new CallSchedule(deps.limits);
    // Numbers of an earlier incarnation's calls are still in `underWay`.
    this.#lastCall = Math.max(0, ...deps.underWay.keys());
  }

  /** Takes charge of what an earlier incarnation has left under way. */
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
    // A shared answer is copied: its first asker may have moved the bytes to another thread.
    if (flying !== undefined) return flying.then(copied);
    // Sent when all that wait in the mailbox now have been read: the same question among them is the same call.
    const flight = Promise.resolve().then(() => this.#queue(call, key));
    this.#flights.set(key, flight);
    return flight.then(copied);
  }

  #queue(call: CriCall, flight: string | undefined): Promise<CriOutcome<Uint8Array>> {
    // It crashed since the question was read: the next incarnation would know nothing of the call, and count without it.
    if (!this.#context.alive()) return Promise.resolve({ ok: false, fault: NOBODY_WAITS });
    return new Promise((resolve) => {
      const id = ++this.#lastCall;
      const entry = scheduled(id, call);
      const waiting: WaitingCall = { call, flight, resolve, giveUpNoMore: () => {} };
      this.#waiting.set(id, waiting);
      this.#dispatch(this.#schedule.offer(entry));
      // What has no deadline has all the time; any other caller has stopped waiting soon, and must not be surprised later.
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

  /** A call waits no longer, one way or the other. */
  #leave(id: number): WaitingCall | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.giveUpNoMore();
    // Whoever asks from now on must not get an answer that was true before they asked.
    if (waiting?.flight !== undefined) this.#flights.delete(waiting.flight);
    return waiting;
  }

  #dispatch(calls: readonly Released[]): void {
    // Grows while it is read: a call that is refused makes room for the next.
    const turns = [...calls];
    for (const { call: entry, heldBack } of turns) {
      const waiting = this.#leave(entry.id);
      const isOutdated = heldBack || this.#deps.creations.isNewsTo(entry, waiting?.call.lookedAt);
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
      metrics.observe(call.method, (clock.monotonic() - began) / 1000, outcome.ok ? 'ok' : 'error');
      this.#settled(entry.id);
      // The runtime is first missed where it is used: look at it now rather than at the next round.
      if (!outcome.ok && outcome.fault.code === 'UNAVAILABLE') this.#runtimeMissed();
      resolve(outcome);
    };
    const settled = transport.unary(criMethods[call.method].path, call.request, call.timeoutMs).then(answered);
    underWay.set(entry.id, { call: entry, began, settled });
    this.#context.supervise(settled);
  }

  #countWhilePrompt({ id, lane }: ScheduledCall, began: number): () => void {
    const { clock } = this.#context;
    const counts = countsForMs(lane);
    if (counts === undefined) return () => {};
    const left = Math.max(0, began + counts - clock.monotonic());
    return clock.after(left, () => this.#dispatch(this.#schedule.unanswered(id)));
  }

  /** Not by way of the mailbox: a message that is lost because that is full would cost a place in the lane for good. */
  #settled(id: number): void {
    if (this.#context.alive()) this.#dispatch(this.#schedule.settled(id));
  }
}

const outdated = ({ method }: CriCall): CriFault => ({
  code: 'INTERRUPTED',
  detail: `${method} was decided on while earlier calls for its pod were still under way; they have ended now`,
});

const copied = (outcome: CriOutcome<Uint8Array>): CriOutcome<Uint8Array> =>
  outcome.ok ? { ok: true, value: outcome.value.slice() } : outcome;

export function asAnswer(
  outcome: CriOutcome<Uint8Array>,
): CriOutcome<Uint8Array> | Transferring<CriOutcome<Uint8Array>> {
  if (!outcome.ok || outcome.value.byteLength < TRANSFER_FROM_BYTES) return outcome;
  return new Transferring(outcome, [outcome.value.buffer as ArrayBuffer]);
}
