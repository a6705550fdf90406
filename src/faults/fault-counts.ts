import type { BlastRadius, FaultPlan } from './fault-plan.ts';

/** The counts of one rule. */
export interface RuleCounts {
  readonly matched: number;
  readonly acted: number;
}

/** The effects of a plan so far. */
export interface PlanCounts {
  readonly rules: readonly RuleCounts[];
  readonly actors: number;
  readonly threads: number;
}

const ACTORS = 0;
const THREADS = 1;
const HEAD = 2;
const PER_RULE = 2;

/**
 * Returns the memory of a plan's counts. All threads share it: the plan's limits hold over all threads and their
 * deaths.
 */
export const countsMemory = ({ rules }: FaultPlan): SharedArrayBuffer =>
  new SharedArrayBuffer(4 * (HEAD + rules.length * PER_RULE));

/** Counts the effects of a plan on any thread, and enforces the plan's limits. */
export class FaultCounts {
  readonly #cells: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Int32Array(memory);
  }

  /** Counts a match. Returns its number, from 1. */
  match(rule: number): number {
    return Atomics.add(this.#cells, this.#matched(rule), 1) + 1;
  }

  acted(rule: number): number {
    return Atomics.load(this.#cells, this.#matched(rule) + 1);
  }

  /** Takes one of the remaining actions of the rule. Returns `false` when none is left. */
  takeAct(rule: number, atMost: number): boolean {
    return this.#change(this.#matched(rule) + 1, (acted) => (acted < atMost ? acted + 1 : undefined));
  }

  /** Returns an action that was not used after all. */
  giveActBack(rule: number): void {
    Atomics.sub(this.#cells, this.#matched(rule) + 1, 1);
  }

  /** Takes the place of one more actor within the blast radius. Returns `false` when it is full. */
  takeActor({ maxActors }: BlastRadius): boolean {
    return this.#change(ACTORS, (actors) => (actors < maxActors ? actors + 1 : undefined));
  }

  /** As `takeActor`, for a thread by its number from 0 to 29. A thread that has its place already keeps it. */
  takeThread(thread: number, { maxThreads }: BlastRadius): boolean {
    return this.#change(THREADS, (mask) => {
      const next = mask | (1 << thread);
      return next === mask || bitsIn(next) <= maxThreads ? next : undefined;
    });
  }

  figures(): PlanCounts {
    const rules = Array.from({ length: (this.#cells.length - HEAD) / PER_RULE }, (_, rule) => ({
      matched: Atomics.load(this.#cells, this.#matched(rule)),
      acted: this.acted(rule),
    }));
    return { rules, actors: Atomics.load(this.#cells, ACTORS), threads: bitsIn(Atomics.load(this.#cells, THREADS)) };
  }

  #matched(rule: number): number {
    return HEAD + rule * PER_RULE;
  }

  /** Retries when another thread changes the cell at the same time. */
  #change(cell: number, next: (value: number) => number | undefined): boolean {
    for (;;) {
      const before = Atomics.load(this.#cells, cell);
      const after = next(before);
      if (after === undefined) return false;
      if (after === before || Atomics.compareExchange(this.#cells, cell, before, after) === before) return true;
    }
  }
}

function bitsIn(mask: number): number {
  let bits = 0;
  for (let left = mask; left !== 0; left &= left - 1) bits++;
  return bits;
}
