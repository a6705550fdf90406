import { elapsedMs, later, type MonotonicMs } from '../../src/actor/clock.ts';
import type { AddressOf, Listener } from '../../src/actor/messages/message.ts';
import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { Address } from '../../src/actor/messages/message.ts';
import type { ApiFault, ApiOutcome } from '../../src/api/api-request.ts';
import type { ApiTransport } from '../../src/api/api-transport.ts';
import type { RequestMetrics } from '../../src/api/transport/request-metrics.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type {
  ApiCallQuestion,
  ApiGatewayCommand,
  ApiGatewayProtocol,
  ApiGatewayQuestion,
  ApiHealth,
  ApiHealthChanged,
  WatchNotice,
} from './protocol.ts';
import { afterHealthCheck, CallQueue, retryAfterMs, signOf, type GatewayLimits } from './call-queue.ts';
import { dutyOf } from '../health-monitor/client.ts';
import type { Duty } from '../../src/health/duty.ts';

/** An open watch, its subscriber, and the function that ends it. */
export interface OpenWatch {
  readonly watch: string;
  readonly subscriber: AddressOf<Listener<WatchNotice>>;
  readonly close: () => void;
}

export interface ApiGatewayDeps {
  /** Shared by all incarnations: connections outlive a crash. */
  readonly transport: ApiTransport;
  /** Outlives an incarnation, so that the next incarnation can close the watches left open by the previous one. */
  readonly watches: Map<string, OpenWatch>;
  readonly limits: GatewayLimits;
  readonly metrics: RequestMetrics;
  /** The actors that receive changes of the server's health. */
  readonly listeners: readonly AddressOf<Listener<ApiHealthChanged>>[];
  /** The server's address, for logs. */
  readonly server: string;
}

/**
 * While the server is down, the gateway checks for the server at about this interval: the node's lease must be renewed
 * in time.
 */
const CHECK_EVERY_MS = 1_000;
const CHECK_TIMEOUT_MS = 5_000;
/**
 * A call that has waited this long for its turn is dropped. Shorter than the time that callers wait beyond the call's
 * own timeout.
 */
const WAIT_AT_MOST_MS = 45_000;

interface WaitingCall {
  readonly question: ApiCallQuestion;
  readonly since: MonotonicMs;
  readonly resolve: (outcome: ApiOutcome<unknown>) => void;
  attempts: number;
  /** The end of the caller's own time; set at the call's first turn. */
  deadline: MonotonicMs | undefined;
}

/** The fan-in of every call to the API server. */
export class ApiGateway implements Actor<ApiGatewayProtocol> {
  readonly #context: ActorContext<ApiGatewayProtocol>;
  readonly #reach: Duty;
  readonly #deps: ApiGatewayDeps;
  readonly #queue: CallQueue<WaitingCall>;
  #health: ApiHealth = { state: 'connecting' };
  #isChecking = false;
  #cancelCheck: () => void = () => {};
  #cancelTurn: () => void = () => {};

  constructor(context: ActorContext<ApiGatewayProtocol>, deps: ApiGatewayDeps) {
    this.#context = context;
    this.#reach = dutyOf(context, {
      work: 'reach the API server',
      follows: 'pods keep running, and their statuses are sent once the server answers',
      isLoggedByActor: true,
    });
    this.#deps = deps;
    this.#queue = new CallQueue(deps.limits, context.clock.monotonic());
  }

  start(): void {
    // A dead incarnation would not forward the notices of these watches.
    for (const [key, { close, watch, subscriber }] of this.#deps.watches) {
      close();
      this.#deps.watches.delete(key);
      this.#notify(subscriber, { type: 'watch-ended', watch, fault: RESTARTED });
    }
    this.#check();
  }

  stop(): void {
    for (const { close } of this.#deps.watches.values()) close();
    this.#deps.watches.clear();
    this.#deps.transport.close();
  }

  tell(command: ApiGatewayCommand): void {
    switch (command.type) {
      case 'open-watch':
        return this.#openWatch(command);
      case 'close-watch':
        return this.#closeWatch(keyOf(command));
      default:
        return assertNever(command, 'API gateway command');
    }
  }

  ask(question: ApiGatewayQuestion): unknown {
    switch (question.type) {
      case 'call':
        return this.#call(question);
      case 'api-health':
        return this.#health;
      default:
        return assertNever(question, 'API gateway question');
    }
  }

  // ---- calls ---------------------------------------------------------------------------------------------------------

  #call(question: ApiCallQuestion): Promise<ApiOutcome<unknown>> {
    return new Promise((resolve) => {
      const since = this.#context.clock.monotonic();
      this.#offer({ question, since, resolve, attempts: 0, deadline: undefined });
    });
  }

  #offer(call: WaitingCall): void {
    const { request } = call.question;
    if (this.#queue.offer(request.priority, call)) return this.#takeTurns();
    const message = `${request.verb} ${request.path} was not made: too many calls of this priority wait for the API server`;
    call.resolve({ ok: false, fault: { kind: 'not-sent', message } });
  }

  #takeTurns(): void {
    this.#cancelTurn();
    const { calls, againInMs } = this.#queue.take(this.#context.clock.monotonic());
    let isRoomAgain = false;
    for (const call of calls) isRoomAgain = !this.#send(call) || isRoomAgain;
    // A call that is dropped leaves its slot to the next call.
    if (isRoomAgain) return this.#takeTurns();
    this.#cancelTurn =
      againInMs === undefined ? () => {} : this.#context.clock.after(againInMs, () => this.#takeTurns());
  }

  /** `false` when the call was refused here and never reached the server. */
  #send(call: WaitingCall): boolean {
    const { clock } = this.#context;
    const { request, timeoutMs } = call.question;
    const began = clock.monotonic();
    call.deadline ??= later(began, timeoutMs);
    call.attempts += 1;
    const leftMs = call.deadline - began;
    const refused = this.#refusal(call, leftMs);
    if (refused !== undefined) {
      this.#queue.settled(request.priority);
      call.resolve({ ok: false, fault: refused });
      return false;
    }
    this.#deps.metrics.waited(request, elapsedMs(call.since, began) / 1000);
    const sent = this.#deps.transport.call(request, leftMs).then((outcome) => {
      this.#deps.metrics.observe(request, elapsedMs(began, clock.monotonic()) / 1000, outcome);
      if (this.#context.alive()) this.#answered(call, outcome);
      return undefined;
    });
    this.#context.supervise(sent);
    return true;
  }

  /** Returns the reason to refuse a call although its turn has come. */
  #refusal(call: WaitingCall, leftMs: number): ApiFault | undefined {
    const { request } = call.question;
    const what = `${request.verb} ${request.path} was not made`;
    const waitedMs = elapsedMs(call.since, this.#context.clock.monotonic());
    if (call.attempts === 1 && waitedMs > WAIT_AT_MOST_MS) {
      return { kind: 'not-sent', message: `${what}: it waited ${Math.round(waitedMs / 1000)} s for its turn` };
    }
    if (leftMs <= 0) return { kind: 'timed-out', message: `${what} again: the caller's time is over` };
    // A lease call is still made: the server needs the lease first, and there is only one lease.
    if (this.#health.state !== 'down' || request.priority === 'lease') return undefined;
    return { kind: 'unreachable', message: `${what}: the API server is away (${this.#health.fault.message})` };
  }

  #answered(call: WaitingCall, outcome: ApiOutcome<unknown>): void {
    this.#heed(outcome);
    this.#settled(call, outcome);
  }

  #settled(call: WaitingCall, outcome: ApiOutcome<unknown>): void {
    const { request } = call.question;
    this.#queue.settled(request.priority);
    const { clock, random } = this.#context;
    const leftMs = (call.deadline ?? 0) - clock.monotonic();
    const waitMs = outcome.ok
      ? undefined
      : retryAfterMs({ request, fault: outcome.fault, attempts: call.attempts, leftMs }, random);
    if (waitMs === undefined || outcome.ok) call.resolve(outcome);
    else {
      this.#deps.metrics.retried(request, outcome.fault);
      clock.after(waitMs, () => this.#offer(call));
    }
    this.#takeTurns();
  }

  // ---- health --------------------------------------------------------------------------------------------------------

  #heed(outcome: ApiOutcome<unknown>): void {
    const sign = signOf(outcome);
    if (sign === 'answers' && this.#health.state !== 'up') this.#checked(outcome);
    // One broken connection is no outage: the gateway checks the server before any listener is notified.
    else if (sign === 'away' && this.#health.state === 'up') this.#check();
  }

  #check(): void {
    if (this.#isChecking) return;
    this.#isChecking = true;
    this.#cancelCheck();
    const checking = this.#deps.transport
      .call({ verb: 'get', path: '/version', priority: 'lease' }, CHECK_TIMEOUT_MS)
      .then((outcome) => {
        this.#isChecking = false;
        if (this.#context.alive()) this.#checked(outcome);
        return undefined;
      });
    this.#context.supervise(checking);
  }

  #checked(outcome: ApiOutcome<unknown>): void {
    const { clock, log, random } = this.#context;
    const before = this.#health;
    const { health, changed } = afterHealthCheck(before, outcome, clock.monotonic());
    this.#health = health;
    if (health.state === 'down') this.#reach.failed(health.fault.message);
    else this.#reach.worked();
    this.#cancelCheck();
    if (health.state !== 'up') this.#cancelCheck = clock.after(CHECK_EVERY_MS * (1 + random()), () => this.#check());
    if (!changed) return;
    const { server, listeners } = this.#deps;
    if (health.state === 'down') {
      log.error(
        { server, fault: health.fault.message },
        'the API server is unreachable; pods keep running, and their statuses are sent once the server answers',
      );
    } else {
      const downForMs = before.state === 'down' ? Math.round(elapsedMs(before.since, clock.monotonic())) : undefined;
      log.info({ server, downForMs }, 'the API server answers');
    }
    for (const address of listeners) this.#context.ref(address).tell({ type: 'api-health-changed', health });
  }

  // ---- watches -------------------------------------------------------------------------------------------------------

  #openWatch({ watch, path, subscriber }: Extract<ApiGatewayCommand, { type: 'open-watch' }>): void {
    const key = keyOf({ watch, subscriber });
    this.#closeWatch(key);
    const close = this.#deps.transport.watch(path, {
      events: (events) => {
        if (!this.#context.alive()) return;
        if (this.#health.state !== 'up') this.#checked({ ok: true, value: undefined });
        this.#notify(subscriber, { type: 'watch-events', watch, events });
      },
      ended: (fault) => {
        // The next incarnation closes the watches that this incarnation leaves.
        if (!this.#context.alive()) return;
        this.#deps.watches.delete(key);
        if (fault !== undefined) this.#heed({ ok: false, fault });
        this.#notify(subscriber, { type: 'watch-ended', watch, fault });
      },
    });
    this.#deps.watches.set(key, { watch, subscriber, close });
  }

  #closeWatch(key: string): void {
    this.#deps.watches.get(key)?.close();
    this.#deps.watches.delete(key);
  }

  #notify(subscriber: AddressOf<Listener<WatchNotice>>, notice: WatchNotice): void {
    this.#context.ref(subscriber).tell(notice);
  }
}

const keyOf = ({ watch, subscriber }: { readonly watch: string; readonly subscriber: Address }): string =>
  `${subscriber} ${watch}`;

const RESTARTED: ApiFault = { kind: 'not-sent', message: 'the gateway to the API server has restarted' };
