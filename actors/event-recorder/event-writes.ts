import { isAlreadyExists, isNotFound, type ApiFault, type ApiOutcome } from '../../src/api/api-request.ts';
import type { EventToRecord } from '../../src/kube/event.ts';
import { EventCorrelator, Recent } from './correlate.ts';
import { trimEndOf } from '../../src/kube/text/trim-run.ts';
import type { EventFigures, EventWrite, RecordedEvent } from './protocol.ts';

export interface EventLimits {
  /** Events that wait for the API at most; the oldest goes for one more. */
  readonly waiting: number;
  /** How long one is worth writing. */
  readonly staleAfterMs: number;
  readonly atOnce: number;
}

/**
 * The three events of a clean start, of 5,000 pods at once, find room. (The kubelet queues a thousand and drops what comes
 * beyond; it starts pods so slowly that the API keeps up.)
 */
export const defaultEventLimits: EventLimits = { waiting: 20_000, staleAfterMs: 600_000, atOnce: 4 };

/** How many written events are remembered, to count what comes again. */
const REMEMBERED = 4_096;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

/** Which events are to be written, and when. Mutated in place: each event costs the same, however many there were. */
export class EventWrites {
  readonly #limits: EventLimits;
  readonly #correlator = new EventCorrelator();
  readonly #known = new Recent<RecordedEvent>(REMEMBERED);
  /** In order of arrival. */
  readonly #waiting = new Map<string, RecordedEvent>();
  readonly #underWay = new Set<string>();
  #pauseUntil = 0;
  #pauseMs = 0;
  #serial = 0;
  #counts = { recorded: 0, written: 0, spam: 0, dropped: 0 };

  constructor(limits: EventLimits) {
    this.#limits = limits;
  }

  /** `at`: when it happened (wall clock); `now` and all other instants here never step. */
  record(event: EventToRecord, at: number, now: number): void {
    this.#counts.recorded += 1;
    const correlated = this.#correlator.correlate(event, at);
    if (correlated.type === 'spam') {
      this.#counts.spam += 1;
      return;
    }
    const { key, message } = correlated;
    // More may wait than are remembered.
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

  /** What may be written now. Each that is handed out is to be `written` once. */
  next(now: number): readonly EventWrite[] {
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

  /** When `next` may have more; undefined: only when something else happens. */
  nextAt(now: number): number | undefined {
    if (this.#waiting.size === 0) return undefined;
    return now < this.#pauseUntil ? this.#pauseUntil : undefined;
  }

  written({ verb, recorded, count }: EventWrite, outcome: ApiOutcome<unknown>, now: number): void {
    this.#underWay.delete(recorded.key);
    if (outcome.ok || (recorded.inApi === 'perhaps' && isAlreadyExists(outcome.fault))) {
      this.#pauseMs = 0;
      this.#counts.written += 1;
      // What the lost attempt has written may be older than this.
      const isCurrent = outcome.ok && recorded.count === count;
      recorded.waitingSince = undefined;
      recorded.inApi = 'yes';
      if (!isCurrent) this.#wait(recorded, now);
      return;
    }
    const { fault } = outcome;
    if (isWorthRetrying(fault)) {
      if (verb === 'create' && fault.kind !== 'not-sent' && fault.kind !== 'refused') recorded.inApi = 'perhaps';
      this.#pauseMs = Math.min(Math.max(this.#pauseMs * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
      const asked = fault.kind === 'refused' ? (fault.retryAfterMs ?? 0) : 0;
      this.#pauseUntil = now + Math.max(this.#pauseMs, asked);
      return this.#wait(recorded, now);
    }
    this.#pauseMs = 0;
    if (verb === 'patch' && isNotFound(fault)) {
      // It has outlived its time in the API: what is counted now begins anew.
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

  #wait(recorded: RecordedEvent, now: number): void {
    if (this.#waiting.has(recorded.key)) return;
    recorded.waitingSince ??= now;
    this.#waiting.set(recorded.key, recorded);
    if (this.#waiting.size <= this.#limits.waiting) return;
    const [oldest] = this.#waiting.values();
    if (oldest !== undefined) this.#giveUp(oldest);
  }

  #isStale({ waitingSince }: RecordedEvent, now: number): boolean {
    return waitingSince !== undefined && now - waitingSince > this.#limits.staleAfterMs;
  }

  #giveUp(recorded: RecordedEvent): void {
    this.#counts.dropped += 1;
    this.#waiting.delete(recorded.key);
    recorded.waitingSince = undefined;
    // Should it come again, it is told as if it were new.
    if (recorded.inApi !== 'yes') this.#known.delete(recorded.key);
  }

  /**
   * Unique among the events of an object: the time, told apart within a millisecond. An object may have as long a name as an
   * event may: then as much of it as there is room for.
   */
  #nameFor({ object }: EventToRecord, at: number): string {
    this.#serial = (this.#serial + 1) % 1_000_000;
    const suffix = `.${(BigInt(Math.trunc(at)) * 1_000_000n + BigInt(this.#serial)).toString(16)}`;
    const room = object.name.slice(0, LONGEST_NAME - suffix.length);
    return `${room === object.name ? room : trimEndOf(room, '-.')}${suffix}`;
  }
}

/** Trouble that is not about this one event. */
function isWorthRetrying(fault: ApiFault): boolean {
  return fault.kind !== 'refused' || fault.code === 429 || fault.code >= 500;
}

/** Of any object of the API (DNS subdomain). */
const LONGEST_NAME = 253;
