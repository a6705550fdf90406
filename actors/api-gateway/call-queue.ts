import type { MonotonicMs } from '../../src/actor/clock.ts';
import {
  apiPriorities,
  type ApiFault,
  type ApiOutcome,
  type ApiPriority,
  type ApiRequest,
} from '../../src/api/api-request.ts';
import { unknownFieldOf } from '../../src/api/api-fault.ts';
import type { Random } from '../../src/actor/random.ts';
import { TokenBucket, type Rate } from '../../src/actor/token-bucket.ts';
import type { ApiHealth } from './protocol.ts';
import { backOffMs, withJitter } from '../../src/actor/back-off.ts';

/** Limits on the calls to the API server. */
export interface GatewayLimits {
  /** Rate of status and object calls together (`kubeAPIQPS`, `kubeAPIBurst`). */
  readonly calls: Rate;
  /** Rate of event calls (`eventRecordQPS`, `eventBurst`). */
  readonly events: Rate;
  /**
   * Rate of reviews of the node's clients. The clients decide how many reviews there are, so reviews use no token of
   * other calls.
   */
  readonly reviews: Rate;
  /**
   * How many calls of each priority may be under way at once: calls that hang in one priority take no slot of another.
   */
  readonly underWay: Readonly<Record<ApiPriority, number>>;
  /** How many calls of each priority may wait. */
  readonly waiting: number;
}

export const defaultUnderWay: Readonly<Record<ApiPriority, number>> = {
  lease: 4,
  status: 24,
  object: 24,
  event: 8,
  review: 24,
};
export const REVIEW_RATE: Rate = { perSecond: 200, burst: 400 };
export const MOST_WAITING = 20_000;

/** Kubernetes clients read 0 as their default rate (5 per second, burst 10), not as unlimited. */
export const rateOf = (perSecond: number, burst: number): Rate => ({
  perSecond: perSecond > 0 ? perSecond : 5,
  burst: burst > 0 ? burst : 10,
});

/** While both statuses and objects wait, one object goes after this many statuses. */
const STATUSES_PER_OBJECT = 4;

/**
 * Decides which calls may go now: leases at once, then statuses, objects and events, each within its rate limit. Calls
 * of one priority leave in the order of their arrival.
 */
export class CallQueue<T> {
  readonly #limits: GatewayLimits;
  readonly #calls: TokenBucket;
  readonly #events: TokenBucket;
  readonly #reviews: TokenBucket;
  readonly #waiting: Readonly<Record<ApiPriority, Fifo<T>>> = {
    lease: new Fifo(),
    status: new Fifo(),
    object: new Fifo(),
    event: new Fifo(),
    review: new Fifo(),
  };
  readonly #underWay: Record<ApiPriority, number> = { lease: 0, status: 0, object: 0, event: 0, review: 0 };
  #statusesInARow = 0;

  constructor(limits: GatewayLimits, now: MonotonicMs) {
    this.#limits = limits;
    this.#calls = new TokenBucket(limits.calls, now);
    this.#events = new TokenBucket(limits.events, now);
    this.#reviews = new TokenBucket(limits.reviews, now);
  }

  /** `false` when too many calls of this priority wait already. */
  offer(priority: ApiPriority, call: T): boolean {
    if (this.#waiting[priority].size >= this.#limits.waiting) return false;
    this.#waiting[priority].push(call);
    return true;
  }

  settled(priority: ApiPriority): void {
    this.#underWay[priority]--;
  }

  /**
   * Returns the calls whose turn has come, and the time until the next turn. `againInMs` is `undefined` when no call
   * can go before another call settles or arrives.
   */
  take(now: MonotonicMs): { readonly calls: readonly T[]; readonly againInMs: number | undefined } {
    const calls: T[] = [];
    for (let priority = this.#next(); priority !== undefined; priority = this.#next()) {
      const bucket = this.#bucketOf(priority);
      if (bucket !== undefined && !bucket.take(now)) {
        // Events must not wait for the tokens of other calls, and other calls must not wait for event tokens.
        if (priority === 'event' || !this.#mayGo('event') || !this.#events.take(now)) break;
        calls.push(this.#release('event'));
        continue;
      }
      calls.push(this.#release(priority));
    }
    while (this.#mayGo('review') && this.#reviews.take(now)) calls.push(this.#release('review'));
    return { calls, againInMs: this.#againInMs(now) };
  }

  get waiting(): number {
    return apiPriorities.reduce((sum, priority) => sum + this.#waiting[priority].size, 0);
  }

  /** Removes and returns all waiting calls. */
  drain(): readonly T[] {
    return apiPriorities.flatMap((priority) => this.#waiting[priority].drain());
  }

  /** Excludes reviews, which run beside the other calls. */
  #next(): Exclude<ApiPriority, 'review'> | undefined {
    if (this.#mayGo('lease')) return 'lease';
    const isObjectsTurn = this.#statusesInARow >= STATUSES_PER_OBJECT && this.#mayGo('object');
    if (this.#mayGo('status') && !isObjectsTurn) return 'status';
    if (this.#mayGo('object')) return 'object';
    return this.#mayGo('event') ? 'event' : undefined;
  }

  #release(priority: ApiPriority): T {
    if (priority === 'status') this.#statusesInARow++;
    else if (priority === 'object') this.#statusesInARow = 0;
    this.#underWay[priority]++;
    return this.#waiting[priority].shift();
  }

  #mayGo(priority: ApiPriority): boolean {
    return this.#waiting[priority].size > 0 && this.#underWay[priority] < this.#limits.underWay[priority];
  }

  #bucketOf(priority: Exclude<ApiPriority, 'review'>): TokenBucket | undefined {
    if (priority === 'lease') return undefined;
    return priority === 'event' ? this.#events : this.#calls;
  }

  #againInMs(now: MonotonicMs): number | undefined {
    const waits = [
      ...(this.#mayGo('status') || this.#mayGo('object') ? [this.#calls.nextInMs(now)] : []),
      ...(this.#mayGo('event') ? [this.#events.nextInMs(now)] : []),
      ...(this.#mayGo('review') ? [this.#reviews.nextInMs(now)] : []),
    ];
    return waits.length === 0 ? undefined : Math.min(...waits);
  }
}

/** First in, first out, without moving the waiting items at each `shift`. */
class Fifo<T> {
  #items: T[] = [];
  #first = 0;

  get size(): number {
    return this.#items.length - this.#first;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T {
    const item = this.#items[this.#first++];
    if (item === undefined) throw new Error('shift() on an empty queue');
    if (this.#first > 64 && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }

  drain(): readonly T[] {
    const rest = this.#items.slice(this.#first);
    this.#items = [];
    this.#first = 0;
    return rest;
  }
}

// ---- retries ---------------------------------------------------------------------------------------------------------

export interface Attempt {
  readonly request: ApiRequest;
  readonly fault: ApiFault;
  /** How many times the call was made, including this time. */
  readonly attempts: number;
  /** Time left of the caller's own time. */
  readonly leftMs: number;
}

const RETRY = { initialMs: 250, maxMs: 5_000 };
/** The server may close an idle connection at the moment of its use. That says nothing about the server's health. */
const MOST_RECONNECTS = 1;
const MOST_ATTEMPTS = 6;
/** A call with less time left than this is not retried. */
const LEAST_LEFT_MS = 100;

/**
 * Returns the wait before a retry, or `undefined` when the outcome stands. Only calls that were refused before they had
 * any effect, or that are idempotent, are retried. The caller waits out an outage: only the caller knows whether the
 * call is still wanted.
 */
export function retryAfterMs({ request, fault, attempts, leftMs }: Attempt, random: Random): number | undefined {
  if (attempts >= MOST_ATTEMPTS) return undefined;
  const ownMs = withJitter(backOffMs(attempts, RETRY), 1 / 2, random());
  const within = (ms: number): number | undefined => (ms + LEAST_LEFT_MS <= leftMs ? ms : undefined);
  switch (fault.kind) {
    case 'refused': {
      const said = fault.retryAfterMs;
      // The server named a time to come back: without jitter, a thousand clients would return in the same moment.
      const waitMs = said === undefined ? ownMs : Math.max(withJitter(said, 1 / 4, random()), ownMs);
      if (fault.code === 429) return within(waitMs);
      if (unknownFieldOf(fault) !== undefined) return undefined;
      if (fault.code >= 500 && (isIdempotent(request) || (said !== undefined && fault.code === 503)))
        return within(waitMs);
      return undefined;
    }
    case 'unreachable':
      return isIdempotent(request) && attempts <= MOST_RECONNECTS ? within(RETRY.initialMs * random()) : undefined;
    case 'timed-out':
    case 'unreadable':
    case 'not-sent':
      return undefined;
    default:
      return fault satisfies never;
  }
}

/** `true` if a call made twice has the same effect as a call made once. */
export function isIdempotent({ verb, patchType, path }: ApiRequest): boolean {
  switch (verb) {
    case 'get':
    case 'list':
    case 'update':
    case 'delete':
      return true;
    case 'patch':
      return patchType !== 'json';
    case 'create':
      // Two token requests yield two tokens, which is harmless. Reviews change nothing.
      return path.endsWith('/token') || path.includes('reviews');
    default:
      return verb satisfies never;
  }
}

// ---- health ----------------------------------------------------------------------------------------------------------

/** Classifies an outcome: the server answers, the server is away, or no statement about the server. */
export function signOf(outcome: ApiOutcome<unknown>): 'answers' | 'away' | 'nothing' {
  if (outcome.ok) return 'answers';
  switch (outcome.fault.kind) {
    case 'refused':
      // A proxy in front of an unreachable server answers with one of these codes.
      return outcome.fault.code >= 502 && outcome.fault.code <= 504 ? 'nothing' : 'answers';
    case 'unreachable':
      return 'away';
    case 'timed-out':
    case 'unreadable':
    case 'not-sent':
      return 'nothing';
    default:
      return outcome.fault satisfies never;
  }
}

/** Computes the server's health after the latest check. `changed` is `true` if listeners must be notified. */
export function afterHealthCheck(
  health: ApiHealth,
  outcome: ApiOutcome<unknown>,
  now: MonotonicMs,
): { readonly health: ApiHealth; readonly changed: boolean } {
  const isUp = outcome.ok || (outcome.fault.kind === 'refused' && outcome.fault.code < 500);
  if (isUp)
    return health.state === 'up' ? { health, changed: false } : { health: { state: 'up', since: now }, changed: true };
  if (health.state === 'down') return { health, changed: false };
  return { health: { state: 'down', since: now, fault: outcome.fault }, changed: true };
}
