import { elapsedMs, type MonotonicMs } from '../../src/actor/clock.ts';
import { TokenBucket, type Rate } from '../../src/actor/token-bucket.ts';
import type { EventToRecord } from '../../src/kube/event.ts';

/** The limits of Kubernetes' own event library, which users and their tools expect. */
const SIMILAR_AT_MOST = 10;
const SIMILAR_WITHIN_MS = 600_000;
const SPAM_RATE: Rate = { perSecond: 1 / 300, burst: 25 };
/** How many entries each map keeps; the longest unused entry is dropped first. */
const REMEMBERED = 4_096;

/** The result of correlating an event with similar events. */
export type Correlated =
  | { readonly type: 'spam' }
  /** `key`: events with the same key are one counted object in the API. */
  | { readonly type: 'event'; readonly key: string; readonly message: string };

interface Similar {
  readonly messages: Set<string>;
  lastAt: MonotonicMs;
}

/**
 * Groups events: identical events are counted; from the tenth on, events that differ only in their text are counted as
 * one event; one object may have a burst of 25 events, then one every five minutes.
 */
export class EventCorrelator {
  readonly #similar = new Recent<Similar>(REMEMBERED);
  readonly #spam = new Recent<TokenBucket>(REMEMBERED);

  correlate(event: EventToRecord, now: MonotonicMs): Correlated {
    const { object, type, reason, message } = event;
    const about = [object.kind, object.namespace, object.name, object.uid].join('\0');
    const alike = [about, type, reason].join('\0');
    const similar = this.#similar.get(alike, (known) => elapsedMs(known.lastAt, now) <= SIMILAR_WITHIN_MS) ?? {
      messages: new Set<string>(),
      lastAt: now,
    };
    similar.messages.add(message);
    similar.lastAt = now;
    this.#similar.set(alike, similar);
    const isOneOfMany = similar.messages.size >= SIMILAR_AT_MOST;
    // Only the number of messages matters, not their text.
    if (isOneOfMany) similar.messages.delete(message);

    const bucket = this.#spam.get(about) ?? new TokenBucket(SPAM_RATE, now);
    this.#spam.set(about, bucket);
    if (!bucket.take(now)) return { type: 'spam' };
    return isOneOfMany
      ? { type: 'event', key: alike, message: `(combined from similar events): ${message}` }
      : { type: 'event', key: [alike, object.fieldPath, message].join('\0'), message };
  }
}

/** A map that drops its longest unused entry. */
export class Recent<Value> {
  readonly #values = new Map<string, Value>();
  readonly #atMost: number;

  constructor(atMost: number) {
    this.#atMost = atMost;
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: string, isFresh: (value: Value) => boolean = () => true): Value | undefined {
    const value = this.#values.get(key);
    return value !== undefined && isFresh(value) ? value : undefined;
  }

  /** Returns the entry dropped to make room, if any. */
  set(key: string, value: Value): Value | undefined {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.#atMost) return undefined;
    const [oldest] = this.#values;
    if (oldest === undefined) return undefined;
    this.#values.delete(oldest[0]);
    return oldest[1];
  }

  delete(key: string): boolean {
    return this.#values.delete(key);
  }

  first(): readonly [string, Value] | undefined {
    const [oldest] = this.#values;
    return oldest;
  }
}
