import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { hostAddress, type HostProtocol } from '../../src/actor/host-protocol.ts';
import { Transferring, type Address } from '../../src/actor/message.ts';
import type { CriFault, CriOutcome } from '../../src/cri/fault.ts';
import { criMethods } from '../../src/cri/methods.ts';
import type { OperationMetrics } from '../../src/cri/operation-metrics.ts';
import type { CriTransport } from '../../src/cri/transport.ts';
import { assertNever } from '../../src/kube/assert-never.ts';
import type { LatestCreations } from './latest-creations.ts';
import { lookAtRuntime } from './look-at-runtime.ts';
import type {
  ContainerEventMessage,
  CriCall,
  CriGatewayCommand,
  CriGatewayProtocol,
  CriGatewayQuestion,
  RuntimeCheck,
  RuntimeHealth,
} from './protocol.ts';
import {
  afterCheck,
  CallSchedule,
  scheduled,
  singleFlightKey,
  type LaneLimits,
  type Released,
  type ScheduledCall,
} from './state.ts';

/** Calls under way on the transport. It outlives an incarnation of the gateway, so that the next one can fence them. */
export type CallsUnderWay = Map<number, { readonly call: ScheduledCall; readonly settled: Promise<unknown> }>;

export interface CriGatewayDeps {
  readonly transport: CriTransport;
  readonly underWay: CallsUnderWay;
  /** Outlives an incarnation as `underWay` does. */
  readonly creations: LatestCreations;
  readonly limits: LaneLimits;
  readonly metrics: OperationMetrics;
  /** Who is told of the runtime's health, beside every pod worker on `podThreads`. */
  readonly listeners: readonly Address[];
  readonly podThreads: readonly string[];
}

const CHECK_EVERY_MS = 5_000;
/** While the runtime is down it is looked for more often: pods wait. */
const CHECK_DOWN_MS = 500;
const REOPEN_STREAM_MS = 1_000;
/** A call that had no turn for so long is not made. Less than callers wait beyond the call's own time. */
const WAIT_AT_MOST_MS = 45_000;
/** Answers larger than this move between threads instead of being copied. */
const TRANSFER_FROM_BYTES = 16_384;

interface WaitingCall {
  readonly call: CriCall;
  /** The key under which it may be shared until it is sent. */
  readonly flight: string | undefined;
  readonly since: number;
  readonly resolve: (outcome: CriOutcome<Uint8Array>) => void;
}

const NOBODY_WAITS: CriFault = { code: 'CANCELLED', detail: 'nobody waits for this call' };

/** The fan-in of every call to the container runtime. */
export class CriGateway implements Actor<CriGatewayProtocol> {
  readonly #context: ActorContext<CriGatewayProtocol>;
  readonly #deps: CriGatewayDeps;
  readonly #schedule: CallSchedule;
  readonly #waiting = new Map<number, WaitingCall>();
  /** Calls that have not been sent yet, and that the same question may share. */
  readonly #flights = new Map<string, Promise<CriOutcome<Uint8Array>>>();
  #health: RuntimeHealth = { state: 'connecting' };
  #closeStream: () => void = () => {};
  #streamUnsupported = false;
  #lastCall: number;

  constructor(context: ActorContext<CriGatewayProtocol>, deps: CriGatewayDeps) {
    this.#context = context;
    this.#deps = deps;
    this.#schedule = new CallSchedule(deps.limits);
    // Numbers of an earlier incarnation's calls are still in `underWay`.
    this.#lastCall = Math.max(0, ...deps.underWay.keys());
  }

  start(): void {
    for (const { call, settled } of this.#deps.underWay.values()) {
      this.#schedule.adopt(call);
      this.#context.supervise(settled.then(() => this.#settled(call.id)));
    }
    this.#check();
    // An earlier incarnation may have said that its stream is live: what happens until this one is, nobody tells.
    this.#tellPleg({ type: 'event-stream-changed', stream: 'broken' });
    this.#openStream();
  }

  /**
   * What creates is waited for, within this actor's time to stop: a runtime that loses its client in the middle of a start
   * makes a failed container of it, and the next agent a restart. Kills go on in the runtime without anybody waiting.
   */
  async stop(): Promise<void> {
    this.#closeStream();
    const creating = [...this.#deps.underWay.values()].filter(({ call }) => call.effect === 'creates');
    await Promise.all(creating.map(({ settled }) => settled));
  }

  tell(command: CriGatewayCommand): void {
    switch (command.type) {
      case 'check-runtime':
        return this.#check();
      case 'runtime-checked':
        return this.#checked(command.outcome);
      case 'open-event-stream':
        return this.#openStream();
      case 'event-stream-ended':
        return this.#streamEnded(command.fault);
      default:
        return assertNever(command, 'CRI gateway command');
    }
  }

  ask(question: CriGatewayQuestion): unknown {
    switch (question.type) {
      case 'call':
        return this.#call(question).then(asAnswer);
      case 'runtime-health':
        return this.#health;
      default:
        return assertNever(question, 'CRI gateway question');
    }
  }

  // ---- calls ---------------------------------------------------------------------------------------------------------

  #call(call: CriCall): Promise<CriOutcome<Uint8Array>> {
    const key = singleFlightKey(call);
    if (key === undefined) return this.#passage(call, undefined);
    const flying = this.#flights.get(key);
    // A shared answer is copied: its first asker may have moved the bytes to another thread.
    if (flying !== undefined) return flying.then(copied);
    // Sent when all that wait in the mailbox now have been read: the same question among them is the same call.
    const flight = Promise.resolve().then(() => this.#passage(call, key));
    this.#flights.set(key, flight);
    return flight.then(copied);
  }

  #passage(call: CriCall, flight: string | undefined): Promise<CriOutcome<Uint8Array>> {
    // It crashed since the question was read: the next incarnation would know nothing of the call, and count without it.
    if (!this.#context.alive()) return Promise.resolve({ ok: false, fault: NOBODY_WAITS });
    return new Promise((resolve) => {
      const id = ++this.#lastCall;
      this.#waiting.set(id, { call, flight, since: this.#context.clock.monotonic(), resolve });
      this.#dispatch(this.#schedule.offer(scheduled(id, call)));
    });
  }

  #dispatch(calls: readonly Released[]): void {
    // Grows while it is read: a call that is refused makes room for the next.
    const turns = [...calls];
    for (const { call: entry, heldBack } of turns) {
      const waiting = this.#waiting.get(entry.id);
      this.#waiting.delete(entry.id);
      // Whoever asks from now on must not get an answer that was true before they asked.
      if (waiting?.flight !== undefined) this.#flights.delete(waiting.flight);
      const isOutdated = heldBack || this.#deps.creations.isNewsTo(entry, waiting?.call.lookedAt);
      const refused = waiting === undefined ? undefined : this.#refusal(waiting, isOutdated);
      if (waiting !== undefined && refused === undefined) this.#send(entry, waiting);
      else {
        waiting?.resolve({ ok: false, fault: refused ?? NOBODY_WAITS });
        turns.push(...this.#schedule.settled(entry.id));
      }
    }
  }

  #refusal({ call, since }: WaitingCall, isOutdated: boolean): CriFault | undefined {
    if (isOutdated) {
      return {
        code: 'INTERRUPTED',
        detail: `${call.method} was decided on while earlier calls for its pod were still under way; they have ended now`,
      };
    }
    const waitedMs = this.#context.clock.monotonic() - since;
    // What has no deadline has all the time; any other caller has stopped waiting soon, and must not be surprised later.
    if (call.timeoutMs === undefined || waitedMs <= WAIT_AT_MOST_MS) return undefined;
    const detail = `${call.method} was not made: calls before it kept the runtime busy for ${Math.round(waitedMs / 1000)} s`;
    return { code: 'RESOURCE_EXHAUSTED', detail };
  }

  #send(entry: ScheduledCall, { call, resolve }: WaitingCall): void {
    const { underWay, creations, transport, metrics } = this.#deps;
    const { clock } = this.#context;
    const began = clock.monotonic();
    const answered = (outcome: CriOutcome<Uint8Array>): void => {
      underWay.delete(entry.id);
      creations.ended(entry, { isAdopted: !this.#context.alive(), at: clock.monotonic() });
      metrics.observe(call.method, (clock.monotonic() - began) / 1000, outcome.ok ? 'ok' : 'error');
      this.#settled(entry.id);
      // The runtime is first missed where it is used: look at it now rather than at the next round.
      if (!outcome.ok && outcome.fault.code === 'UNAVAILABLE') this.#suspect();
      resolve(outcome);
    };
    const settled = transport.unary(criMethods[call.method].path, call.request, call.timeoutMs).then(answered);
    underWay.set(entry.id, { call: entry, settled });
    this.#context.supervise(settled);
  }

  /** Not by way of the mailbox: a message that is lost because that is full would cost a place in the lane for good. */
  #settled(id: number): void {
    if (this.#context.alive()) this.#dispatch(this.#schedule.settled(id));
  }

  // ---- health --------------------------------------------------------------------------------------------------------

  #suspect(): void {
    if (this.#health.state === 'up') this.#context.self.tell({ type: 'check-runtime' });
  }

  #checkUnderWay = false;
  #cancelCheck: () => void = () => {};

  #check(): void {
    if (this.#checkUnderWay) return;
    this.#checkUnderWay = true;
    this.#cancelCheck();
    const { self } = this.#context;
    this.#context.supervise(
      lookAtRuntime(this.#deps.transport).then((outcome) => self.tell({ type: 'runtime-checked', outcome })),
    );
  }

  #checked(outcome: RuntimeCheck): void {
    this.#checkUnderWay = false;
    const { clock, log } = this.#context;
    const { health, changed } = afterCheck(this.#health, outcome, clock.now());
    const before = this.#health;
    this.#health = health;
    this.#cancelCheck = clock.after(health.state === 'up' ? CHECK_EVERY_MS : CHECK_DOWN_MS, () =>
      this.#context.self.tell({ type: 'check-runtime' }),
    );
    if (!changed) return;
    if (health.state === 'down')
      log.error({ ...health.fault }, 'the container runtime is down; pods keep their status');
    else if (health.state === 'up') {
      const downForMs = before.state === 'down' ? Math.round(clock.now() - before.since) : undefined;
      log.info({ ...health.runtime, downForMs }, 'the container runtime answers');
      // It may have come back as another version of itself.
      if (before.state === 'down' && this.#streamUnsupported) this.#openStream();
    }
    this.#announce(health);
  }

  #announce(health: RuntimeHealth): void {
    const command = { type: 'runtime-health-changed', health } as const;
    for (const address of this.#deps.listeners) this.#context.ref(address).tell(command);
    for (const thread of this.#deps.podThreads) {
      this.#context.ref<HostProtocol>(hostAddress(thread)).tell({ type: 'tell-all', kind: 'pod-worker', command });
    }
  }

  // ---- events --------------------------------------------------------------------------------------------------------

  #openStream(): void {
    let live = false;
    this.#streamUnsupported = false;
    this.#closeStream = this.#deps.transport.containerEvents({
      event: (event) => {
        if (!this.#context.alive()) return;
        if (!live) this.#tellPleg({ type: 'event-stream-changed', stream: 'live' });
        live = true;
        this.#tellPleg({ type: 'container-event', event });
      },
      ended: (fault) => this.#context.self.tell({ type: 'event-stream-ended', fault }),
    });
  }

  #streamEnded(fault: CriFault): void {
    if (fault.code === 'UNIMPLEMENTED') {
      this.#streamUnsupported = true;
      this.#tellPleg({ type: 'event-stream-changed', stream: 'unsupported' });
      return;
    }
    this.#tellPleg({ type: 'event-stream-changed', stream: 'broken' });
    this.#context.clock.after(REOPEN_STREAM_MS, () => this.#context.self.tell({ type: 'open-event-stream' }));
  }

  #tellPleg(message: ContainerEventMessage): void {
    this.#context.ref('pleg').tell(message);
  }
}

const copied = (outcome: CriOutcome<Uint8Array>): CriOutcome<Uint8Array> =>
  outcome.ok ? { ok: true, value: outcome.value.slice() } : outcome;

function asAnswer(outcome: CriOutcome<Uint8Array>): CriOutcome<Uint8Array> | Transferring<CriOutcome<Uint8Array>> {
  if (!outcome.ok || outcome.value.byteLength < TRANSFER_FROM_BYTES) return outcome;
  return new Transferring(outcome, [outcome.value.buffer as ArrayBuffer]);
}
