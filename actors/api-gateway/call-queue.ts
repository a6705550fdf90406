import {
  apiPriorities,
  type ApiFault,
  type ApiOutcome,
  type ApiPriority,
  type ApiRequest,
} from '../../src/api/api-request.ts';
import { unknownFieldOf } from '../../src/api/api-fault.ts';
import type { Random } from '../../src/actor/random.ts';
import { TokenBucket, type Rate } from '../../src/api/token-bucket.ts';
import type { ApiHealth } from './protocol.ts';

/** What may be asked of the API server. */
export interface GatewayLimits {
  /** Of statuses and objects together (`kubeAPIQPS`, `kubeAPIBurst`). */
  readonly calls: Rate;
  /** Of events (`eventRecordQPS`, `eventBurst`). */
  readonly events: Rate;
  /** Of reviews of the node's clients: how many there are is for the clients to say, so they take nothing of the others. */
  readonly reviews: Rate;
  /** How many calls of each priority may be under way at once: what hangs of one takes no place of another. */
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

/** What clients of Kubernetes take for "0": it does not mean unlimited. */
export const rateOf = (perSecond: number, burst: number): Rate => ({
  perSecond: perSecond > 0 ? perSecond : 5,
  burst: burst > 0 ? burst : 10,
});

/** Of statuses and objects that both wait, so many statuses go before one object does. */
const STATUSES_PER_OBJECT = 4;

/**
 * Decides which calls may go now: leases at once, then statuses, objects and events, each within the server's share for
 * them. Calls of one priority leave in the order they came.
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

  constructor(limits: GatewayLimits, now: number) {
    this.#limits = limits;
    this.#calls = new TokenBucket(limits.calls, now);
    this.#events = new TokenBucket(limits.events, now);
    this.#reviews = new TokenBucket(limits.reviews, now);
  }

  /** False when too many wait already. */
  offer(priority: ApiPriority, call: T): boolean {
    if (this.#waiting[priority].size >= this.#limits.waiting) return false;
    this.#waiting[priority].push(call);
    return true;
  }

  settled(priority: ApiPriority): void {
    this.#underWay[priority]--;
  }

  /** The calls whose turn it is, and how long until the next one's may be; undefined: not before another settles or comes. */
  take(now: number): { readonly calls: readonly T[]; readonly againInMs: number | undefined } {
    const calls: T[] = [];
    for (let priority = this.#next(); priority !== undefined; priority = this.#next()) {
      const bucket = this.#bucketOf(priority);
      if (bucket !== undefined && !bucket.take(now)) {
        // Events must not wait for the tokens of others, nor others for those of events.
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

  /** Everything that waits and fits, taken out. */
  drain(): readonly T[] {
    return apiPriorities.flatMap((priority) => this.#waiting[priority].drain());
  }

  /** Reviews apart, which go beside all these. */
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

  #againInMs(now: number): number | undefined {
    const waits = [
      ...(this.#mayGo('status') || this.#mayGo('object') ? [this.#calls.nextInMs(now)] : []),
      ...(this.#mayGo('event') ? [this.#events.nextInMs(now)] : []),
      ...(this.#mayGo('review') ? [this.#reviews.nextInMs(now)] : []),
    ];
    return waits.length === 0 ? undefined : Math.min(...waits);
  }
}

/** First in, first out, without moving what waits each time. */
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
    if (item === undefined) throw new Error('nothing waits');
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
  /** How often it has been made, this time included. */
  readonly attempts: number;
  /** Of the caller's own time. */
  readonly leftMs: number;
}

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;
/** A connection that the server has closed in the very moment it was used says nothing of the server. */
const MOST_RECONNECTS = 1;
const MOST_ATTEMPTS = 6;
/** A call with less time left than this is not made again. */
const LEAST_LEFT_MS = 100;

/**
 * How long to wait before a call is made again; undefined: its outcome stands. Made again is only what was refused before it
 * had any effect, or has the same effect twice. An outage is for the caller to wait out, who knows what is still wanted.
 */
export function retryAfterMs({ request, fault, attempts, leftMs }: Attempt, random: Random): number | undefined {
  if (attempts >= MOST_ATTEMPTS) return undefined;
  const backOffMs = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LONGEST_RETRY_MS) * (1 + random() / 2);
  const within = (ms: number): number | undefined => (ms + LEAST_LEFT_MS <= leftMs ? ms : undefined);
  switch (fault.kind) {
    case 'refused': {
      const said = fault.retryAfterMs;
      // Told when to come back, a thousand clients must not all come back in the same moment.
      const waitMs = said === undefined ? backOffMs : Math.max(said * (1 + random() / 4), backOffMs);
      if (fault.code === 429) return within(waitMs);
      if (unknownFieldOf(fault) !== undefined) return undefined;
      if (fault.code >= 500 && (isIdempotent(request) || (said !== undefined && fault.code === 503)))
        return within(waitMs);
      return undefined;
    }
    case 'unreachable':
      return isIdempotent(request) && attempts <= MOST_RECONNECTS ? within(FIRST_RETRY_MS * random()) : undefined;
    case 'timed-out':
    case 'unreadable':
    case 'not-sent':
      return undefined;
    default:
      return fault satisfies never;
  }
}

/** Whether a call made twice does what it does once. */
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
      // A token asked for twice is two tokens, and nobody minds.
      return path.endsWith('/token') || path.includes('reviews');
    default:
      return verb satisfies never;
  }
}

// ---- health ----------------------------------------------------------------------------------------------------------

/** Whether an outcome shows a server that answers, one that does not, or nothing of the kind. */
export function signOf(outcome: ApiOutcome<unknown>): 'answers' | 'away' | 'nothing' {
  if (outcome.ok) return 'answers';
  switch (outcome.fault.kind) {
    case 'refused':
      // Whoever stands before a server that is away says so with one of these.
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

/** What the latest look at the server makes of its health, and whether anybody needs to hear of it. */
export function afterLook(
  health: ApiHealth,
  outcome: ApiOutcome<unknown>,
  now: number,
): { readonly health: ApiHealth; readonly changed: boolean } {
  const isUp = outcome.ok || (outcome.fault.kind === 'refused' && outcome.fault.code < 500);
  if (isUp)
    return health.state === 'up' ? { health, changed: false } : { health: { state: 'up', since: now }, changed: true };
  if (health.state === 'down') return { health, changed: false };
  return { health: { state: 'down', since: now, fault: outcome.fault }, changed: true };
}
