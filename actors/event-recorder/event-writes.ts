import { later, type MonotonicMs, type WallMs } from '../../src/actor/clock.ts';
import { isAlreadyExists, isNotFound, type ApiFault, type ApiOutcome } from '../../src/api/api-request.ts';
import type { EventToRecord } from '../../src/kube/event.ts';
import { EventCorrelator, Recent } from './correlate.ts';
import { trimEndOf } from '../../src/kube/text/trim-run.ts';
import type { EventFigures, EventWrite, RecordedEvent } from './protocol.ts';
import { nextBackOffMs } from '../../src/actor/back-off.ts';

export interface EventLimits {
  /** The most events that wait for the API; one more drops the oldest. */
  readonly waiting: number;
  /** Age in milliseconds after which a waiting event is dropped. */
  readonly staleAfterMs: number;
  readonly atOnce: number;
}

/**
 * Sized for the three events of a clean start of 5,000 pods at once. (The kubelet queues a thousand events and drops
 * the rest; its pods start so slowly that the API keeps up.)
 */
export const defaultEventLimits: EventLimits = { waiting: 20_000, staleAfterMs: 600_000, atOnce: 4 };

/** How many written events are kept to count repetitions. */
const REMEMBERED = 4_096;
const PAUSE = { initialMs: 1_000, maxMs: 15_000 };

/**
 * Decides which events are written, and when. Mutated in place: the cost of an event does not depend on the number of
 * events.
 */
export class EventWrites {
  readonly #limits: EventLimits;
  readonly #correlator = new EventCorrelator();
  readonly #known = new Recent<RecordedEvent>(REMEMBERED);
  /** In order of arrival. */
  readonly #waiting = new Map<string, RecordedEvent>();
  readonly #underWay = new Set<string>();
  #pauseUntil: MonotonicMs = 0;
  #pauseMs = 0;
  #serial = 0;
  #counts = { recorded: 0, written: 0, spam: 0, dropped: 0 };

  constructor(limits: EventLimits) {
    this.#limits = limits;
  }

  /** `at` is the wall-clock instant of the event; `now` and all other instants here are monotonic. */
  record(event: EventToRecord, at: WallMs, now: MonotonicMs): void {
    this.#counts.recorded += 1;
    const correlated = this.#correlator.correlate(event, now);
    if (correlated.type === 'spam') {
      this.#counts.spam += 1;
      return;
    }
    const { key, message } = correlated;
    // More events may wait than `known` holds.
    const recorded = this.#known.get(key) ??
      this.#waiting.get(key) ?? {
        key,
        event,
        name: this.#nameFor(event, at),
        message,
        count: 0,
        firstAt: at,
        lastAt: at,
        inApi: 'no',
        waitingSince: undefined,
      };
    recorded.count += 1;
    recorded.message = message;
    recorded.lastAt = at;
    this.#known.set(key, recorded);
    this.#wait(recorded, now);
  }

  /** The writes that may start now. The caller must report each write once through `written`. */
  next(now: MonotonicMs): readonly EventWrite[] {
    const writes: EventWrite[] = [];
    const room = this.#pauseMs > 0 ? 1 : this.#limits.atOnce;
    if (now < this.#pauseUntil) return writes;
    for (const [key, recorded] of this.#waiting) {
      if (this.#isStale(recorded, now)) {
        this.#giveUp(recorded);
        continue;
      }
      if (this.#underWay.size >= room) break;
      if (this.#underWay.has(key)) continue;
      this.#waiting.delete(key);
      this.#underWay.add(key);
      writes.push({ verb: recorded.inApi === 'yes' ? 'patch' : 'create', recorded, count: recorded.count });
    }
    return writes;
  }

  /** The instant at which `next` may return more; `undefined` when only another event or outcome can change that. */
  nextAt(now: MonotonicMs): MonotonicMs | undefined {
    if (this.#waiting.size === 0) return undefined;
    return now < this.#pauseUntil ? this.#pauseUntil : undefined;
  }

  written({ verb, recorded, count }: EventWrite, outcome: ApiOutcome<unknown>, now: MonotonicMs): void {
    this.#underWay.delete(recorded.key);
    if (outcome.ok || (recorded.inApi === 'perhaps' && isAlreadyExists(outcome.fault))) {
      this.#pauseMs = 0;
      this.#counts.written += 1;
      // The lost attempt may have written an older count.
      const isCurrent = outcome.ok && recorded.count === count;
      recorded.waitingSince = undefined;
      recorded.inApi = 'yes';
      if (!isCurrent) this.#wait(recorded, now);
      return;
    }
    const { fault } = outcome;
    if (isWorthRetrying(fault)) {
      if (verb === 'create' && fault.kind !== 'not-sent' && fault.kind !== 'refused') recorded.inApi = 'perhaps';
      this.#pauseMs = nextBackOffMs(this.#pauseMs, PAUSE);
      const asked = fault.kind === 'refused' ? (fault.retryAfterMs ?? 0) : 0;
      this.#pauseUntil = later(now, Math.max(this.#pauseMs, asked));
      return this.#wait(recorded, now);
    }
    this.#pauseMs = 0;
    if (verb === 'patch' && isNotFound(fault)) {
      // The API has expired the event object: the next write creates another.
      recorded.inApi = 'no';
      recorded.name = this.#nameFor(recorded.event, recorded.lastAt);
      return this.#wait(recorded, now);
    }
    if (verb === 'create' && isAlreadyExists(fault)) {
      recorded.name = this.#nameFor(recorded.event, recorded.lastAt);
      return this.#wait(recorded, now);
    }
    this.#giveUp(recorded);
  }

  figures(): EventFigures {
    return { ...this.#counts, waiting: this.#waiting.size };
  }

  #wait(recorded: RecordedEvent, now: MonotonicMs): void {
    if (this.#waiting.has(recorded.key)) return;
    recorded.waitingSince ??= now;
    this.#waiting.set(recorded.key, recorded);
    if (this.#waiting.size <= this.#limits.waiting) return;
    const [oldest] = this.#waiting.values();
    if (oldest !== undefined) this.#giveUp(oldest);
  }

  #isStale({ waitingSince }: RecordedEvent, now: MonotonicMs): boolean {
    return waitingSince !== undefined && now - waitingSince > this.#limits.staleAfterMs;
  }

  #giveUp(recorded: RecordedEvent): void {
    this.#counts.dropped += 1;
    this.#waiting.delete(recorded.key);
    recorded.waitingSince = undefined;
    // If the event happens again, it is recorded as a new event.
    if (recorded.inApi !== 'yes') this.#known.delete(recorded.key);
  }

  /**
   * A name unique among an object's events: the time plus a serial number within a millisecond. Object names may be as
   * long as event names; then the object's name is cut to fit.
   */
  #nameFor({ object }: EventToRecord, at: WallMs): string {
    this.#serial = (this.#serial + 1) % 1_000_000;
    const suffix = `.${(BigInt(Math.trunc(at)) * 1_000_000n + BigInt(this.#serial)).toString(16)}`;
    const room = object.name.slice(0, LONGEST_NAME - suffix.length);
    return `${room === object.name ? room : trimEndOf(room, '-.')}${suffix}`;
  }
}

/** `true` for failures that are not about this one event. */
function isWorthRetrying(fault: ApiFault): boolean {
  return fault.kind !== 'refused' || fault.code === 429 || fault.code >= 500;
}

/** Longest name of any API object (DNS subdomain). */
const LONGEST_NAME = 253;
