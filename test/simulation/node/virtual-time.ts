import type { Clock } from '../../../src/actor/clock.ts';
import type { Random } from '../../../src/actor/random.ts';
import type { Trace } from './trace.ts';

/** The owner of an event: one incarnation of a thread, the runtime, or the world outside. */
export interface Owner {
  readonly name: string;
  dead: boolean;
  /** The postponed events of a hanging owner, in order. */
  stalled: Happening[] | undefined;
}

export const newOwner = (name: string): Owner => ({ name, dead: false, stalled: undefined });

/** An event at an instant of the virtual clock. */
export interface Happening {
  at: number;
  order: number;
  readonly owner: Owner;
  readonly label: string;
  /** `undefined` once the event has run or was cancelled. */
  run: (() => void) | undefined;
}

/** The first instant of every simulation. */
export const EPOCH = Date.UTC(2026, 0, 1);
/** The gap that keeps two events of one queue in order. */
const APART_MS = 1e-5;

/** A queue of events that keep their order, like the messages of one link. */
export class Queue {
  #last = 0;

  /** Returns the instant for an event at `at`, never before earlier events of the queue. */
  after(at: number): number {
    this.#last = Math.max(at, this.#last + APART_MS);
    return this.#last;
  }
}

/**
 * All future events, ordered by a virtual clock that moves only with them. Small seeded delays alone decide which of
 * several events comes first, so one seed is one history.
 */
export class VirtualTime {
  readonly random: Random;
  readonly trace: Trace;
  #now = 0;
  #made = 0;
  #steps = 0;
  #held = 0;
  readonly #heap: Happening[] = [];
  /** The offset by which the machine's clock was set, positive or negative. */
  #wallShiftMs = 0;

  constructor(random: Random, trace: Trace) {
    this.random = random;
    this.trace = trace;
  }

  /** Milliseconds since the simulation began. */
  get now(): number {
    return this.#now;
  }

  /** The number of events so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Sets the machine's clock. Durations and timers are not affected. */
  stepWallClock(byMs: number): void {
    this.#wallShiftMs += byMs;
  }

  at(instant: number, owner: Owner, what: { readonly label: string; readonly run: () => void }): Happening {
    const happening: Happening = { at: Math.max(instant, this.#now), order: this.#made++, owner, ...what };
    push(this.#heap, happening);
    return happening;
  }

  in(delayMs: number, owner: Owner, what: { readonly label: string; readonly run: () => void }): Happening {
    return this.at(this.#now + delayMs, owner, what);
  }

  /** A delay that is usually short, sometimes long, and hardly ever very long. */
  spread(typicalMs: number): number {
    const chance = this.random();
    const factor = chance < 0.9 ? 1 : chance < 0.99 ? 20 : 200;
    return typicalMs * factor * this.random();
  }

  /** Runs the next event. Returns `false` if there is no event before `until`. */
  step(until: number): boolean {
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.at > until) {
        this.#now = Math.max(this.#now, until);
        return false;
      }
      pop(this.#heap);
      const { run, owner } = next;
      if (run === undefined || owner.dead) continue;
      this.#now = next.at;
      if (owner.stalled !== undefined) {
        owner.stalled.push(next);
        continue;
      }
      next.run = undefined;
      this.#steps++;
      this.trace.add(next.at, owner.name, next.label);
      run();
      return true;
    }
  }

  /** Stops virtual time until the returned function is called: real work is under way. */
  hold(): () => void {
    this.#held++;
    return () => void this.#held--;
  }

  get isHeld(): boolean {
    return this.#held > 0;
  }

  /** Suspends the owner until it is woken. Its events are kept. */
  stall(owner: Owner): void {
    owner.stalled ??= [];
  }

  wake(owner: Owner): void {
    const missed = owner.stalled ?? [];
    owner.stalled = undefined;
    for (const happening of missed) {
      happening.at = this.#now;
      happening.order = this.#made++;
      push(this.#heap, happening);
    }
  }

  /** The clock of `owner`. Its timers fire late now and then, never early, and never once the owner is dead. */
  clockOf(owner: Owner): Clock {
    return {
      now: () => EPOCH + Math.floor(this.#now + this.#wallShiftMs),
      monotonic: () => this.#now,
      after: (delayMs, fire) => {
        const happening = this.in(Math.max(0, delayMs) + this.spread(0.2), owner, { label: 'timer', run: fire });
        return () => void (happening.run = undefined);
      },
    };
  }
}

const before = (one: Happening, other: Happening): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

function push(heap: Happening[], entry: Happening): void {
  let index = heap.length;
  heap.push(entry);
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !before(entry, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = entry;
}

function pop(heap: Happening[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = index * 2 + 1;
    let below = heap[child];
    if (below === undefined) break;
    const right = heap[child + 1];
    if (right !== undefined && before(right, below)) {
      below = right;
      child++;
    }
    if (!before(below, last)) break;
    heap[index] = below;
    index = child;
  }
  heap[index] = last;
}
