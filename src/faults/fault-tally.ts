import type { BlastRadius, FaultPlan } from './fault-plan.ts';

/** How far one rule has come. */
export interface RuleTally {
  readonly matched: number;
  readonly acted: number;
}

/** What a plan has done so far. */
export interface PlanTally {
  readonly rules: readonly RuleTally[];
  readonly actors: number;
  readonly threads: number;
}

const ACTORS = 0;
const THREADS = 1;
const HEAD = 2;
const PER_RULE = 2;

/** The memory of a plan's tally. Shared by all threads: the plan's limits hold over all of them, and over their deaths. */
export const tallyMemory = ({ rules }: FaultPlan): SharedArrayBuffer =>
  new SharedArrayBuffer(4 * (HEAD + rules.length * PER_RULE));

/** Counts what a plan does, on any thread, and never lets it do more than it may. */
export class FaultTally {
  readonly #cells: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Int32Array(memory);
  }

  /** Counts a match; which one it is, from 1. */
  match(rule: number): number {
    return Atomics.add(this.#cells, this.#matched(rule), 1) + 1;
  }

  acted(rule: number): number {
    return Atomics.load(this.#cells, this.#matched(rule) + 1);
  }

  /** Takes one of the times that the rule may act. False: there is none left. */
  takeAct(rule: number, atMost: number): boolean {
    return this.#change(this.#matched(rule) + 1, (acted) => (acted < atMost ? acted + 1 : undefined));
  }

  /** It has not acted after all. */
  giveActBack(rule: number): void {
    Atomics.sub(this.#cells, this.#matched(rule) + 1, 1);
  }

  /** Takes the place of one more actor within the blast radius. False: it is full. */
  takeActor({ maxActors }: BlastRadius): boolean {
    return this.#change(ACTORS, (actors) => (actors < maxActors ? actors + 1 : undefined));
  }

  /** As `takeActor`, for a thread by its number from 0 to 29; a thread that has its place already keeps it. */
  takeThread(thread: number, { maxThreads }: BlastRadius): boolean {
    return this.#change(THREADS, (mask) => {
      const next = mask | (1 << thread);
      return next === mask || bitsIn(next) <= maxThreads ? next : undefined;
    });
  }

  figures(): PlanTally {
    const rules = Array.from({ length: (this.#cells.length - HEAD) / PER_RULE }, (_, rule) => ({
      matched: Atomics.load(this.#cells, this.#matched(rule)),
      acted: this.acted(rule),
    }));
    return { rules, actors: Atomics.load(this.#cells, ACTORS), threads: bitsIn(Atomics.load(this.#cells, THREADS)) };
  }

  #matched(rule: number): number {
    return HEAD + rule * PER_RULE;
  }

  /** Other threads may change the cell at the same time: then it is looked at again. */
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
