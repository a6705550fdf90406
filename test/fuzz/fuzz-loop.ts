import * as fc from 'fast-check';
import type { Clock } from '../../src/actor/clock.ts';
import { withTimeBound } from './oracle.ts';
import type { Bench, Problem, Target, Verdict } from './target.ts';

export interface FieldViolation {
  readonly target: string;
  readonly problem: Problem;
  /** Seed, number and path of the first case of the finding; `undefined` for a lost thread, which is not shrunk. */
  readonly found: { readonly seed: number; readonly number: number; readonly path: string };
  /** The smallest case with the same finding. */
  readonly case: unknown;
}

export interface TargetReport {
  readonly target: string;
  readonly cases: number;
  readonly outcomes: number;
  readonly slowestMs: number;
  readonly slowest: string;
  readonly findings: readonly FieldViolation[];
}

export interface LoopOptions {
  readonly seed: number;
  readonly ms: number;
  /** A single case, as named by a finding. */
  readonly path?: string | undefined;
  readonly clock: Clock;
  /** Called before each case: the thread may not survive the case. */
  readonly began?: (given: unknown) => void;
}

/** The longest time for shrinking a finding. */
const SHRINK_MS = 8_000;
/** The most different findings of one run. Further findings show nothing new. */
const MOST_FINDINGS = 25;
/** The most outcomes that are kept to count different ones. */
const MOST_OUTCOMES = 5_000;
/** The event loop turns at least this often. */
const TURN_EVERY_MS = 20;

/** Findings with the same signature are the same finding. */
export const signatureOf = ({ kind, where }: Problem): string => `${kind} ${where}`;

/** Feeds a target with cases until its time is over. Each kind of finding is reported once, shrunk. */
export async function fuzzTarget<Case>(target: Target<Case>, options: LoopOptions): Promise<TargetReport> {
  const { seed, clock } = options;
  const until = clock.monotonic() + options.ms;
  const bench = await target.open();
  const run = new Run(target, { bench, clock, until, began: options.began });
  const findings: FieldViolation[] = [];
  try {
    for (let round = 0; clock.monotonic() < until && findings.length < MOST_FINDINGS; round++) {
      // A round ends with a finding; the next round uses another seed.
      const found = await run.round({ seed: (seed + round * 1_000_003) | 0, path: options.path });
      if (found !== undefined) findings.push(found);
      if (found === undefined || options.path !== undefined) break;
    }
  } finally {
    await bench.close();
  }
  return { target: target.name, ...run.figures, findings };
}

class Run<Case> {
  readonly #target: Target<Case>;
  readonly #bench: Bench<Case>;
  readonly #clock: Clock;
  readonly #until: number;
  readonly #began: (given: unknown) => void;
  readonly #known = new Set<string>();
  readonly #outcomes = new Set<string>();
  #cases = 0;
  #slowestMs = 0;
  #slowest = '';
  #turnedAt = 0;

  constructor(
    target: Target<Case>,
    options: {
      readonly bench: Bench<Case>;
      readonly clock: Clock;
      readonly until: number;
      readonly began: ((given: unknown) => void) | undefined;
    },
  ) {
    this.#target = target;
    this.#bench = options.bench;
    this.#clock = options.clock;
    this.#until = options.until;
    this.#began = options.began ?? (() => {});
  }

  get figures(): Omit<TargetReport, 'target' | 'findings'> {
    return {
      cases: this.#cases,
      outcomes: this.#outcomes.size,
      slowestMs: Math.round(this.#slowestMs * 10) / 10,
      slowest: this.#slowest,
    };
  }

  async round({
    seed,
    path,
  }: {
    readonly seed: number;
    readonly path: string | undefined;
  }): Promise<FieldViolation | undefined> {
    let failing: Problem | undefined;
    let shrinkUntil = Infinity;
    const property = fc.asyncProperty(this.#target.cases, async (given) => {
      if (this.#clock.monotonic() > shrinkUntil) return true;
      await this.#turn();
      const { problems } = await this.one(given);
      if (failing !== undefined) return !problems.some((each) => isSame(each, failing));
      failing = problems.find((each) => !this.#known.has(signatureOf(each)));
      if (failing !== undefined) shrinkUntil = this.#clock.monotonic() + SHRINK_MS;
      return failing === undefined;
    });
    const { counterexample, counterexamplePath, numRuns } = await fc.check(property, {
      seed,
      numRuns: 1_000_000_000,
      interruptAfterTimeLimit: Math.max(1, this.#until - this.#clock.monotonic()),
      ...(path !== undefined && { path }),
    });
    if (failing === undefined) return undefined;
    this.#known.add(signatureOf(failing));
    const found = { seed, number: numRuns, path: counterexamplePath ?? '' };
    return { target: this.#target.name, problem: failing, found, case: counterexample?.[0] };
  }

  /** Runs one case. A slow handler must be slow in two of three runs, since machines are busy at times. */
  async one(given: Case): Promise<Verdict> {
    this.#began(given);
    this.#cases++;
    const first = await this.#judge(given);
    if (this.#outcomes.size < MOST_OUTCOMES) this.#outcomes.add(first.outcome);
    const isSlow = ({ kind, where }: Problem): boolean => kind === 'slow' && !this.#known.has(`slow ${where}`);
    if (!first.problems.some(isSlow)) {
      this.#noteTime(first);
      return first;
    }
    const again = [await this.#judge(given), await this.#judge(given)];
    const repeated = again.find(({ problems }) => problems.some(isSlow));
    this.#noteTime(repeated === undefined ? (again[0] ?? first) : first);
    const others = first.problems.filter((each) => !isSlow(each));
    return repeated === undefined ? { ...first, problems: others } : { ...first, problems: first.problems };
  }

  async #judge(given: Case): Promise<Verdict> {
    return withTimeBound(await this.#bench.run(given), this.#target.allowedMs);
  }

  #noteTime({ slowest, slowestMs }: Verdict): void {
    if (slowestMs <= this.#slowestMs) return;
    this.#slowestMs = slowestMs;
    this.#slowest = slowest;
  }

  /** Lets timers fire, including the timer that ends this run. */
  async #turn(): Promise<void> {
    const now = this.#clock.monotonic();
    if (now - this.#turnedAt < TURN_EVERY_MS) return;
    this.#turnedAt = now;
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

const isSame = (one: Problem, other: Problem | undefined): boolean =>
  other !== undefined && signatureOf(one) === signatureOf(other);
