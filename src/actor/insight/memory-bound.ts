import type { Clock } from '../clock.ts';

/** How much of the machine's memory a process may hold. */
export interface MemoryBound {
  readonly limitBytes: number;
  /** Above this the process is over its limit at the first check. */
  readonly atOnceBytes: number;
  /**
   * Number of consecutive checks above the limit after which the process is over it. Garbage may be collected meanwhile.
   */
  readonly looksOver: number;
}

/** State kept from one check to the next. */
export interface BoundHistory {
  readonly isNear: boolean;
  readonly looksOver: number;
}

export const farFromBound: BoundHistory = { isNear: false, looksOver: 0 };

export type BoundVerdict =
  | 'fine'
  /** The process has come near its limit. Reported once, until it has eased. */
  | 'near'
  /** The process is no longer near its limit. */
  | 'eased'
  | 'over';

/** Shares of the limit. `eased` is lower than `near`, so that memory that goes up and down is reported once. */
const NEAR = 0.8;
const EASED = 0.7;
const BUSY = 0.5;

/** A process below half its limit is measured rarely. It can fill the other half within half a second. */
const AT_REST_MS = 500;
const BUSY_MS = 100;

/** Returns the state after a measurement of `residentBytes`, its verdict, and when to measure again. */
export function judgeResident(
  history: BoundHistory,
  residentBytes: number,
  { limitBytes, atOnceBytes, looksOver: patience }: MemoryBound,
): { readonly history: BoundHistory; readonly verdict: BoundVerdict; readonly againMs: number } {
  const againMs = residentBytes > BUSY * limitBytes ? BUSY_MS : AT_REST_MS;
  const looksOver = residentBytes > limitBytes ? history.looksOver + 1 : 0;
  if (looksOver >= patience || residentBytes > atOnceBytes)
    return { history: { isNear: true, looksOver }, verdict: 'over', againMs };
  const isNear = residentBytes > (history.isNear ? EASED : NEAR) * limitBytes;
  const verdict = isNear === history.isNear ? 'fine' : isNear ? 'near' : 'eased';
  return { history: { isNear, looksOver }, verdict, againMs };
}

export interface BoundSeams {
  readonly clock: Clock;
  readonly bound: MemoryBound;
  /** Returns the memory of the process in use, in bytes. `undefined` when it is unknown at the moment. */
  resident(): number | undefined;
  near(residentBytes: number): void;
  eased(residentBytes: number): void;
  /** Called when the process is over its limit. The watch has ended. */
  over(residentBytes: number): void;
}

/** Watches how much memory a process holds, until it holds too much. Returns a function that ends the watch. */
export function watchMemoryBound({ clock, bound, ...seams }: BoundSeams): () => void {
  let history = farFromBound;
  let cancel = (): void => {};
  const check = (): void => {
    const residentBytes = seams.resident();
    const judged =
      residentBytes === undefined
        ? ({ history, verdict: 'fine', againMs: AT_REST_MS } as const)
        : judgeResident(history, residentBytes, bound);
    history = judged.history;
    if (judged.verdict === 'over') return seams.over(residentBytes ?? 0);
    cancel = clock.after(judged.againMs, check);
    if (judged.verdict !== 'fine') seams[judged.verdict](residentBytes ?? 0);
  };
  cancel = clock.after(AT_REST_MS, check);
  return () => cancel();
}
