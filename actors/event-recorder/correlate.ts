import { TokenBucket, type Rate } from '../../src/kube/token-bucket.ts';
import type { EventToRecord } from '../../src/kube/event.ts';

/** The limits of Kubernetes' own event library: they are what users and their tools are used to. */
const SIMILAR_AT_MOST = 10;
const SIMILAR_WITHIN_MS = 600_000;
const SPAM_RATE: Rate = { perSecond: 1 / 300, burst: 25 };
/** How many of each kind of thing are remembered; the longest unused is forgotten first. */
const REMEMBERED = 4_096;

/** What an event comes to once those like it are counted together. */
export type Correlated =
  | { readonly type: 'spam' }
  /** `key`: events with the same key are one object in the API, counted. */
  | { readonly type: 'event'; readonly key: string; readonly message: string };

interface Similar {
  readonly messages: Set<string>;
  lastAt: number;
}

/**
 * Finds what is the same: an event repeated word for word is counted; more than ten that differ only in their text are
 * counted as one; and one object may have no more than a burst of 25, and one every five minutes.
 */
export class EventCorrelator {
  readonly #similar = new Recent<Similar>(REMEMBERED);
  readonly #spam = new Recent<TokenBucket>(REMEMBERED);

  correlate(event: EventToRecord, at: number): Correlated {
    const { object, type, reason, message } = event;
    const about = [object.kind, object.namespace, object.name, object.uid].join('\0');
    const alike = [about, type, reason].join('\0');
    const similar = this.#similar.get(alike, (known) => at - known.lastAt <= SIMILAR_WITHIN_MS) ?? {
      messages: new Set<string>(),
      lastAt: at,
    };
    similar.messages.add(message);
    similar.lastAt = at;
    this.#similar.set(alike, similar);
    const isOneOfMany = similar.messages.size >= SIMILAR_AT_MOST;
    // Only that there are many has to be remembered, not what each of them said.
    if (isOneOfMany) similar.messages.delete(message);

    const bucket = this.#spam.get(about) ?? new TokenBucket(SPAM_RATE, at);
    this.#spam.set(about, bucket);
    if (!bucket.take(at)) return { type: 'spam' };
    return isOneOfMany
      ? { type: 'event', key: alike, message: `(combined from similar events): ${message}` }
      : { type: 'event', key: [alike, object.fieldPath, message].join('\0'), message };
  }
}

/** A map that forgets what has not been used for longest. */
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

  /** Says what was forgotten for it. */
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
