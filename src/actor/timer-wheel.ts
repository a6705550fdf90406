import { later, type Clock, type MonotonicMs, type WallMs } from './clock.ts';

/** A timer in the wheel: a link in the ring of its slot. Callers keep it to cancel the timer. */
export interface WheelTimer {
  at: MonotonicMs;
  order: number;
  fire: (() => void) | undefined;
  previous: WheelTimer;
  next: WheelTimer;
}

const SLOT_BITS = 6;
const SLOTS = 2 ** SLOT_BITS;
/**
 * Six levels of 64 slots, the lowest of a millisecond: two years. A timer further away waits in the last slot and is
 * placed again.
 */
const LEVELS = 6;
const LONGEST_MS = SLOTS ** LEVELS - SLOTS ** (LEVELS - 1);
/**
 * The longest first nap of a wheel that was empty, before it sleeps to the next timer. Most questions cancel their
 * timer at once. With the nap, such timers cost the clock below one timer per nap instead of one each.
 */
const NAP_MS = 50;

function ring(): WheelTimer {
  // A ring of one: its own neighbour on both sides.
  const slot = { at: 0, order: 0, fire: undefined } as unknown as WheelTimer;
  slot.previous = slot;
  slot.next = slot;
  return slot;
}

/**
 * The timers of one thread in a hierarchical wheel. Arming and cancelling take constant time, and the clock below gets
 * one timer for all. Timers fire in order of time, then of arming; up to a millisecond late, never early. A throw from
 * `fire` reaches the clock below, and the other timers are not lost.
 */
export class TimerWheel implements Clock {
  readonly #clock: Clock;
  readonly #levels: WheelTimer[][] = Array.from({ length: LEVELS }, () => []);
  /** The last millisecond that was processed. */
  #tick: MonotonicMs;
  #size = 0;
  #order = 0;
  #wakeAt: MonotonicMs = Infinity;
  #napping = false;
  #cancelWake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#tick = Math.floor(clock.monotonic());
  }

  /** How many timers are armed. */
  get size(): number {
    return this.#size;
  }

  now(): WallMs {
    return this.#clock.now();
  }

  monotonic(): MonotonicMs {
    return this.#clock.monotonic();
  }

  after(delayMs: number, fire: () => void): () => void {
    const timer = this.arm(delayMs, fire);
    return () => this.cancel(timer);
  }

  /** As `after`, without a function to cancel it. */
  arm(delayMs: number, fire: () => void): WheelTimer {
    const now = this.#clock.monotonic();
    // With nothing armed, no millisecond had to be processed meanwhile.
    if (this.#size === 0) this.#tick = Math.max(this.#tick, Math.floor(now));
    const timer = ring();
    timer.at = later(now, Math.max(0, delayMs));
    timer.order = ++this.#order;
    timer.fire = fire;
    this.#size++;
    this.#place(timer);
    const at = Math.ceil(timer.at);
    if (at < this.#wakeAt) this.#sleepUntil(at, now);
    return timer;
  }

  /** Idempotent, also after the timer has fired. */
  cancel(timer: WheelTimer): void {
    if (timer.fire === undefined) return;
    timer.fire = undefined;
    unlink(timer);
    this.#size--;
    if (this.#size === 0 && !this.#napping) this.#stayAwake();
  }

  #place(timer: WheelTimer): void {
    // A timer never goes into a slot that is being processed or was processed: it would fire a whole turn of the wheel
    // late.
    const due = Math.max(Math.ceil(timer.at), this.#tick + 1);
    const left = Math.min(due - this.#tick, LONGEST_MS);
    const at = this.#tick + left;
    let level = 0;
    // The level at which the slot of `at` differs from the present slot by less than a turn.
    while (level < LEVELS - 1 && Math.floor(at / SLOTS ** level) - Math.floor(this.#tick / SLOTS ** level) >= SLOTS)
      level++;
    // `level` is below LEVELS.
    const slots = this.#levels[level] as WheelTimer[];
    const head = (slots[Math.floor(at / SLOTS ** level) % SLOTS] ??= ring());
    timer.previous = head.previous;
    timer.next = head;
    head.previous.next = timer;
    head.previous = timer;
  }

  #sleepUntil(at: MonotonicMs, now: MonotonicMs): void {
    this.#cancelWake?.();
    this.#napping = this.#size === 1 && at - now > NAP_MS;
    this.#wakeAt = this.#napping ? Math.ceil(now) + NAP_MS : at;
    this.#cancelWake = this.#clock.after(this.#wakeAt - now, this.#wake);
  }

  #stayAwake(): void {
    this.#cancelWake?.();
    this.#cancelWake = undefined;
    this.#wakeAt = Infinity;
    this.#napping = false;
  }

  readonly #wake = (): void => {
    this.#cancelWake = undefined;
    this.#wakeAt = Infinity;
    this.#napping = false;
    try {
      this.#turnTo(Math.floor(this.#clock.monotonic()));
    } finally {
      this.#sleep();
    }
  };

  #sleep(): void {
    const next = this.#nextTick();
    // A fired timer may have armed another one and thereby set the next wake already.
    if (next >= this.#wakeAt) return;
    this.#cancelWake?.();
    this.#wakeAt = next;
    this.#cancelWake = this.#clock.after(Math.max(0, next - this.#clock.monotonic()), this.#wake);
  }

  /** Fires all due timers, in order. */
  #turnTo(now: MonotonicMs): void {
    while (this.#size > 0) {
      const next = this.#nextTick();
      if (next > now) break;
      this.#tick = next;
      this.#cascade();
      this.#fireSlot();
    }
    if (this.#size === 0) this.#tick = Math.max(this.#tick, now);
  }

  /** The first millisecond at which a timer is due or a slot of a higher level must be spread over lower ones. */
  #nextTick(): MonotonicMs {
    if (this.#size === 0) return Infinity;
    let first = Infinity;
    for (const [level, slots] of this.#levels.entries()) {
      const width = SLOTS ** level;
      const present = Math.floor(this.#tick / width);
      for (let ahead = 1; ahead <= SLOTS; ahead++) {
        const start = (present + ahead) * width;
        if (start >= first) break;
        const head = slots[(present + ahead) % SLOTS];
        if (head !== undefined && head.next !== head) {
          first = start;
          break;
        }
      }
    }
    return first;
  }

  /** Spreads slots of higher levels that begin at this very millisecond over the levels below. */
  #cascade(): void {
    for (let level = LEVELS - 1; level > 0; level--) {
      const width = SLOTS ** level;
      if (this.#tick % width !== 0) continue;
      const head = this.#levels[level]?.[(this.#tick / width) % SLOTS];
      if (head === undefined) continue;
      const timers = takeAll(head);
      // A timer due now belongs into the slot that is fired next, which `#place` avoids.
      for (const timer of timers) {
        if (Math.ceil(timer.at) <= this.#tick) this.#due.push(timer);
        else this.#place(timer);
      }
    }
  }

  readonly #due: WheelTimer[] = [];

  #fireSlot(): void {
    const head = this.#levels[0]?.[this.#tick % SLOTS];
    const timers = head === undefined ? [] : takeAll(head);
    if (this.#due.length > 0) timers.push(...this.#due.splice(0));
    if (timers.length > 1) timers.sort((one, other) => one.at - other.at || one.order - other.order);
    for (const [index, timer] of timers.entries()) {
      const { fire } = timer;
      if (fire === undefined) continue; // cancelled by a timer that fired before it
      timer.fire = undefined;
      this.#size--;
      try {
        fire();
      } catch (reason) {
        for (const late of timers.slice(index + 1)) if (late.fire !== undefined) this.#place(late);
        throw reason;
      }
    }
  }
}

function unlink(timer: WheelTimer): void {
  timer.previous.next = timer.next;
  timer.next.previous = timer.previous;
  timer.previous = timer;
  timer.next = timer;
}

function takeAll(head: WheelTimer): WheelTimer[] {
  const timers: WheelTimer[] = [];
  while (head.next !== head) {
    timers.push(head.next);
    unlink(head.next);
  }
  return timers;
}
