import type { MonotonicMs } from '../actor/clock.ts';

/** Work that fails for this long is reported. */
export const TROUBLE_AFTER_MS = 10_000;
/** Trouble of work on demand is over after this long without a demand. */
export const AT_REST_MS = 60_000;

/**
 * `always`: the work is repeated until it succeeds. `on-demand`: a failed piece of work is dropped, and the next one
 * comes only when there is something to do.
 */
export type DutyRhythm = 'always' | 'on-demand';

/** How one kind of repeated work goes. Immutable. */
export interface DutyState {
  /** The first failure since the last success. */
  readonly failing: (Trouble & { readonly lastAt: MonotonicMs }) | undefined;
  /** The attempts under way, by number. */
  readonly attempts: ReadonlyMap<number, Attempt>;
  /** `true` after trouble was reported, until its end is reported. */
  readonly reported: boolean;
}

interface Attempt {
  readonly since: MonotonicMs;
  /** The work of this attempt, such as a call and its object. `undefined` when the duty's name says enough. */
  readonly what: string | undefined;
}

export type DutyInput =
  | { readonly type: 'begun'; readonly attempt: number; readonly what?: string | undefined }
  /** `attempt`: the attempt that ends with it; `undefined` for work that is not timed. */
  | { readonly type: 'worked'; readonly attempt: number | undefined }
  | { readonly type: 'failed'; readonly attempt: number | undefined; readonly why: string }
  /** The attempt has ended without a result of its own, such as a call that was not made. */
  | { readonly type: 'dropped'; readonly attempt: number }
  /** The time for a report may have come. */
  | { readonly type: 'due' };

/** Work that an operator must hear of. */
export interface Trouble {
  readonly since: MonotonicMs;
  readonly why: string;
  /** `true` if there is no result at all, so the actor itself has nothing to log. */
  readonly isHang: boolean;
}

export type DutyEffect =
  | { readonly type: 'report-trouble'; readonly trouble: Trouble; readonly isNew: boolean }
  | { readonly type: 'report-end' };

export const newDuty: DutyState = { failing: undefined, attempts: new Map(), reported: false };

/** Returns the next state and what an operator must hear. */
export function decideDuty(
  state: DutyState,
  input: DutyInput,
  { now, rhythm = 'always' }: { readonly now: MonotonicMs; readonly rhythm?: DutyRhythm },
): { readonly state: DutyState; readonly effects: readonly DutyEffect[] } {
  const next = rested(taken(state, input, now), now, rhythm);
  const trouble = troubleOf(next, now, rhythm);
  if (trouble === undefined) {
    // A failure that is not reported yet keeps the report of an earlier hang until it is over too.
    if (!next.reported || next.failing !== undefined) return { state: next, effects: [] };
    return { state: { ...next, reported: false }, effects: [{ type: 'report-end' }] };
  }
  if (next.reported && input.type !== 'due') return { state: next, effects: [] };
  return {
    state: { ...next, reported: true },
    effects: [{ type: 'report-trouble', trouble, isNew: !next.reported }],
  };
}

function taken(state: DutyState, input: DutyInput, now: MonotonicMs): DutyState {
  switch (input.type) {
    case 'begun':
      return { ...state, attempts: new Map([...state.attempts, [input.attempt, { since: now, what: input.what }]]) };
    case 'worked':
      return { ...state, failing: undefined, attempts: without(state.attempts, input.attempt) };
    case 'failed': {
      const since = state.failing?.since ?? begunAt(state, input.attempt) ?? now;
      const failing = { since, why: input.why, isHang: false, lastAt: now };
      return { ...state, failing, attempts: without(state.attempts, input.attempt) };
    }
    case 'dropped':
      return { ...state, attempts: without(state.attempts, input.attempt) };
    case 'due':
      return state;
    default:
      return input satisfies never;
  }
}

function rested(state: DutyState, now: MonotonicMs, rhythm: DutyRhythm): DutyState {
  const { failing } = state;
  if (rhythm === 'always' || failing === undefined || now - failing.lastAt < AT_REST_MS) return state;
  return { ...state, failing: undefined };
}

const begunAt = ({ attempts }: DutyState, attempt: number | undefined): MonotonicMs | undefined =>
  attempt === undefined ? undefined : attempts.get(attempt)?.since;

function without(attempts: DutyState['attempts'], attempt: number | undefined): DutyState['attempts'] {
  if (attempt === undefined || !attempts.has(attempt)) return attempts;
  return new Map([...attempts].filter(([each]) => each !== attempt));
}

/** Returns the trouble that has lasted long enough: a failure, or an attempt without an end. */
function troubleOf({ failing, attempts }: DutyState, now: MonotonicMs, rhythm: DutyRhythm): Trouble | undefined {
  const hangs = hanging(attempts);
  // A single failure without another try is no lasting trouble.
  const until = rhythm === 'always' ? now : (failing?.lastAt ?? now);
  const fails = failing !== undefined && until - failing.since >= TROUBLE_AFTER_MS ? failing : undefined;
  return fails ?? (hangs !== undefined && now - hangs.since >= TROUBLE_AFTER_MS ? hangs : undefined);
}

/** Returns the oldest attempt as trouble; `undefined` when none is under way. */
function hanging(attempts: DutyState['attempts']): Trouble | undefined {
  // A map keeps its order, and attempts are added as they begin.
  const [oldest] = attempts.values();
  if (oldest === undefined) return undefined;
  const { since, what } = oldest;
  return { since, why: what === undefined ? 'there is no answer yet' : `${what} has no answer yet`, isHang: true };
}

/** Returns when the state must be judged again without another input; `undefined` when it need not be. */
export function nextJudgement({ failing, attempts, reported }: DutyState): MonotonicMs | undefined {
  const since = Math.min(failing?.since ?? Infinity, hanging(attempts)?.since ?? Infinity);
  return reported || since === Infinity ? undefined : since + TROUBLE_AFTER_MS;
}
