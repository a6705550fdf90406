import type { MonotonicMs } from '../../actor/clock.ts';
import type { Random } from '../../actor/random.ts';
import type { ApiFault } from '../api-request.ts';
import { backOffMs, withJitter } from '../../actor/back-off.ts';

/**
 * Follows one kind of object: a complete list first, then its changes, and the recovery from interruptions. Pure;
 * the effects are in `reflector.ts`. Serial numbers tell answers to the latest step from answers to earlier steps.
 */
export interface ReflectorState {
  readonly phase: ReflectorPhase;
  /** Serial number of the latest step. */
  readonly serial: number;
  /** Steps that failed since the last news from the server. */
  readonly failures: number;
  /** When the last complete list was begun. `undefined` before the first. */
  readonly listedAt: MonotonicMs | undefined;
  /** Complete lists of which each began soon after the one before it, the last one included. */
  readonly listsInARow: number;
  /**
   * From this monotonic instant on, watches with initial events (KEP-3157) may be requested. It moves on when the
   * server refuses one.
   */
  readonly streamFrom: number;
}

export type ReflectorPhase =
  | { readonly name: 'idle' }
  /** Reading pages. `began`: when the first page was requested. */
  | { readonly name: 'listing'; readonly began: MonotonicMs }
  /** A watch whose initial events have not all arrived yet. */
  | { readonly name: 'streaming'; readonly began: MonotonicMs }
  /** `version` is where the next watch resumes. */
  | { readonly name: 'watching'; readonly version: string; readonly since: MonotonicMs }
  /** `isRefused`: a running server refused the call. Its being available is no reason to retry sooner. */
  | { readonly name: 'waiting'; readonly next: NextStep; readonly isRefused: boolean };

export type NextStep = { readonly type: 'list' } | { readonly type: 'watch'; readonly version: string };

export type ReflectorInput =
  | { readonly type: 'begin' }
  | {
      readonly type: 'page';
      readonly serial: number;
      readonly outcome:
        | { readonly ok: true; readonly version: string; readonly more: string | undefined }
        | { readonly ok: false; readonly fault: ApiFault };
    }
  /** Events have arrived, up to `version`. `initialEnd`: the initial events are complete. */
  | {
      readonly type: 'events-received';
      readonly serial: number;
      readonly version: string | undefined;
      readonly initialEnd: boolean;
    }
  /** The watch has ended. An `ERROR` event also ends it with its fault. */
  | { readonly type: 'ended'; readonly serial: number; readonly fault: ApiFault | undefined }
  /** The timer of the latest step. */
  | { readonly type: 'due'; readonly serial: number }
  /** The server answers again. */
  | { readonly type: 'server-up' };

export type ReflectorEffect =
  /** `undefined` for the first page. */
  | { readonly type: 'list'; readonly serial: number; readonly more: string | undefined }
  | {
      readonly type: 'watch';
      readonly serial: number;
      readonly version: string | undefined;
      readonly timeoutSeconds: number;
    }
  | { readonly type: 'close-watch'; readonly serial: number }
  /** Starts the timer that brings `due` with this serial; it replaces an earlier timer. */
  | { readonly type: 'wait'; readonly serial: number; readonly ms: number }
  /** From here on, all objects are named again. */
  | { readonly type: 'begin-replace' }
  /** All objects have been named: any other object is gone. */
  | { readonly type: 'end-replace' }
  | { readonly type: 'count'; readonly what: ReflectorInterruption; readonly fault: ApiFault | undefined };

/** The interruptions that are counted, by kind. */
export type ReflectorInterruption =
  /** The server refused a watch with initial events. An ordinary list follows at once. */
  | 'stream-refused'
  | 'list-failed'
  | 'watch-failed'
  | 'expired'
  | 'bad-event'
  | 'silent'
  /** An unreadable object was left out; the others of its kind are followed as before. */
  | 'bad-object';

export interface Decided {
  readonly state: ReflectorState;
  readonly effects: readonly ReflectorEffect[];
}

export const newReflector: ReflectorState = {
  phase: { name: 'idle' },
  serial: 0,
  failures: 0,
  listedAt: undefined,
  listsInARow: 0,
  streamFrom: 0,
};

export interface ReflectorWorld {
  /** Monotonic milliseconds. */
  readonly now: MonotonicMs;
  readonly random: Random;
}

/**
 * The pause between two lists doubles with each list, up to one list a minute. A server that restarts forgets its
 * versions: the first list afterwards must not wait, as no pod would start meanwhile. A server that forgets again and
 * again must not be asked by each node for everything.
 */
const LIST_PAUSE = { initialMs: 800, maxMs: 60_000 };
/** After so long without a list, the pause is short again. */
const LIST_PAUSE_RESET_MS = 120_000;
/** The server ends a watch after five to ten minutes: the watches of a node do not all end at once. */
const WATCH_SECONDS = { least: 300, spread: 300 };
/** A watch that is silent for longer than its lifetime on the server was lost on the way. */
const SILENT_MS = (WATCH_SECONDS.least + WATCH_SECONDS.spread + 60) * 1000;
/** How long the answer to a list is awaited. The call's own deadline comes well before. */
const LIST_LOST_MS = 180_000;
/** A server without initial events opens a watch that never reports their end. */
const INITIAL_WITHIN_MS = 30_000;
/** A server that refused initial events may be replaced by one that supports them. */
const STREAM_AGAIN_MS = 30 * 60_000;
const BACK_OFF = { initialMs: 800, maxMs: 30_000 };
/**
 * After so many refusals in a row where it left off, the reflector begins again: the server may never know that version
 * again. After so many streams without an end of the initial events, it lists.
 */
const REFUSALS_BEFORE_LIST = 3;
/** A watch that lived this long was no failure, even if it brought no event. */
const HEALTHY_MS = 10_000;

/** Returns the next state and the effects of one input. An input of an earlier step changes nothing. */
export function decideReflector(state: ReflectorState, input: ReflectorInput, world: ReflectorWorld): Decided {
  switch (input.type) {
    case 'begin':
      return state.phase.name === 'idle' ? beginList(state, world) : unchanged(state);
    case 'page':
      return input.serial === state.serial && state.phase.name === 'listing'
        ? page(state, state.phase, { outcome: input.outcome, world })
        : unchanged(state);
    case 'events-received':
      return input.serial === state.serial ? received(state, input, world) : unchanged(state);
    case 'ended':
      return input.serial === state.serial ? ended(state, input.fault, world) : unchanged(state);
    case 'due':
      return input.serial === state.serial ? due(state, world) : unchanged(state);
    case 'server-up':
      return serverUp(state, world);
    default:
      return input satisfies never;
  }
}

const unchanged = (state: ReflectorState): Decided => ({ state, effects: [] });

// ---- steps
// -----------------------------------------------------------------------------------------------------------

function beginList(state: ReflectorState, { now, random }: ReflectorWorld): Decided {
  const serial = state.serial + 1;
  if (now >= state.streamFrom) {
    return {
      state: { ...state, serial, phase: { name: 'streaming', began: now } },
      effects: [
        { type: 'begin-replace' },
        { type: 'watch', serial, version: undefined, timeoutSeconds: watchSeconds(random) },
        { type: 'wait', serial, ms: INITIAL_WITHIN_MS },
      ],
    };
  }
  return {
    state: { ...state, serial, phase: { name: 'listing', began: now } },
    effects: [
      { type: 'begin-replace' },
      { type: 'list', serial, more: undefined },
      { type: 'wait', serial, ms: LIST_LOST_MS },
    ],
  };
}

function beginWatch(state: ReflectorState, version: string, { now, random }: ReflectorWorld): Decided {
  const serial = state.serial + 1;
  return {
    state: { ...state, serial, phase: { name: 'watching', version, since: now } },
    effects: [
      { type: 'watch', serial, version, timeoutSeconds: watchSeconds(random) },
      { type: 'wait', serial, ms: SILENT_MS },
    ],
  };
}

interface Wait {
  readonly next: NextStep;
  readonly ms: number;
  /** `undefined` when the watch ended in good order, or was silent. */
  readonly fault: ApiFault | undefined;
}

function wait(state: ReflectorState, { next, ms, fault }: Wait): Decided {
  const serial = state.serial + 1;
  const isRefused = fault?.kind === 'refused';
  return {
    state: { ...state, serial, phase: { name: 'waiting', next, isRefused } },
    effects: [{ type: 'wait', serial, ms }],
  };
}

/** Lists again, but no more often than a server can bear. */
function waitToList(
  state: ReflectorState,
  { now, random }: ReflectorWorld,
  { fault, atLeastMs = 0 }: { readonly fault?: ApiFault | undefined; readonly atLeastMs?: number } = {},
): Decided {
  const pauseEnds = state.listedAt === undefined ? now : state.listedAt + backOffMs(state.listsInARow, LIST_PAUSE);
  const allowedIn = Math.max(0, pauseEnds - now);
  return wait(state, { next: { type: 'list' }, ms: Math.max(atLeastMs, allowedIn + random() * 2_000), fault });
}

/** A list that began at this instant is complete. */
const listed = (
  { listedAt, listsInARow }: ReflectorState,
  began: MonotonicMs,
): Pick<ReflectorState, 'listedAt' | 'listsInARow'> => ({
  listedAt: began,
  listsInARow: listedAt !== undefined && began - listedAt < LIST_PAUSE_RESET_MS ? listsInARow + 1 : 1,
});

const watchSeconds = (random: Random): number => Math.round(WATCH_SECONDS.least + random() * WATCH_SECONDS.spread);

const retryInMs = (failures: number, random: Random): number => withJitter(backOffMs(failures, BACK_OFF), 1, random());

const withEffects = (decided: Decided, ...before: readonly ReflectorEffect[]): Decided => ({
  state: decided.state,
  effects: [...before, ...decided.effects],
});

// ---- what comes
// ------------------------------------------------------------------------------------------------------

function page(
  state: ReflectorState,
  { began }: { readonly began: MonotonicMs },
  {
    outcome,
    world,
  }: { readonly outcome: Extract<ReflectorInput, { type: 'page' }>['outcome']; readonly world: ReflectorWorld },
): Decided {
  if (!outcome.ok) {
    const failed = { ...state, failures: state.failures + 1 };
    const count: ReflectorEffect = { type: 'count', what: 'list-failed', fault: outcome.fault };
    const ms = Math.max(retryInMs(failed.failures, world.random), retryAfterOf(outcome.fault));
    return withEffects(waitToList(failed, world, { fault: outcome.fault, atLeastMs: ms }), count);
  }
  if (outcome.more !== undefined) {
    const serial = state.serial + 1;
    return {
      state: { ...state, serial },
      effects: [
        { type: 'list', serial, more: outcome.more },
        { type: 'wait', serial, ms: LIST_LOST_MS },
      ],
    };
  }
  const watching = beginWatch({ ...state, failures: 0, ...listed(state, began) }, outcome.version, world);
  return withEffects(watching, { type: 'end-replace' });
}

function received(
  state: ReflectorState,
  { version, initialEnd }: Extract<ReflectorInput, { type: 'events-received' }>,
  { now }: ReflectorWorld,
): Decided {
  const { phase, serial } = state;
  const again: ReflectorEffect = { type: 'wait', serial, ms: SILENT_MS };
  if (phase.name === 'streaming') {
    // Initial events are arriving: the reflector waits as long as they continue.
    if (!initialEnd || version === undefined) {
      return { state, effects: [{ type: 'wait', serial, ms: INITIAL_WITHIN_MS }] };
    }
    return {
      state: { ...state, failures: 0, ...listed(state, phase.began), phase: { name: 'watching', version, since: now } },
      effects: [{ type: 'end-replace' }, again],
    };
  }
  if (phase.name !== 'watching') return unchanged(state);
  return {
    state: { ...state, failures: 0, phase: { ...phase, version: version ?? phase.version } },
    effects: [again],
  };
}

function ended(state: ReflectorState, fault: ApiFault | undefined, world: ReflectorWorld): Decided {
  const { phase } = state;
  if (phase.name === 'streaming') return streamEnded(state, fault, world);
  if (phase.name !== 'watching') return unchanged(state);
  const next = { type: 'watch', version: phase.version } as const;
  if (fault === undefined) {
    const isHealthy = world.now - phase.since >= HEALTHY_MS;
    if (isHealthy) return beginWatch({ ...state, failures: 0 }, phase.version, world);
    const failed = { ...state, failures: state.failures + 1 };
    return wait(failed, { next, ms: retryInMs(failed.failures, world.random), fault });
  }
  const what = interruptionOf(fault);
  const count: ReflectorEffect = { type: 'count', what, fault };
  const failed = { ...state, failures: state.failures + 1 };
  // An expired or unreadable answer does not show how busy the server is.
  if (what !== 'watch-failed') return withEffects(waitToList(failed, world), count);
  const ms = Math.max(retryInMs(failed.failures, world.random), retryAfterOf(fault));
  const isRefused = fault.kind === 'refused' && fault.code !== 429;
  if (isRefused && failed.failures >= REFUSALS_BEFORE_LIST) {
    return withEffects(waitToList(failed, world, { fault, atLeastMs: ms }), count);
  }
  return withEffects(wait(failed, { next, ms, fault }), count);
}

function streamEnded(state: ReflectorState, fault: ApiFault | undefined, world: ReflectorWorld): Decided {
  const failed = { ...state, failures: state.failures + 1 };
  if (mustList(fault, failed.failures)) {
    return withEffects(listInstead(failed, world), { type: 'count', what: 'stream-refused', fault });
  }
  const ms = Math.max(retryInMs(failed.failures, world.random), fault === undefined ? 0 : retryAfterOf(fault));
  return withEffects(waitToList(failed, world, { fault, atLeastMs: ms }), {
    type: 'count',
    what: 'list-failed',
    fault,
  });
}

/**
 * `true` if an ordinary list may succeed where the stream failed. Servers refuse streams in many ways: as an invalid
 * request, or as an error in the middle of the answer when their storage lacks a feature. A busy server wants a pause
 * first, and an unreachable one has refused nothing.
 */
function mustList(fault: ApiFault | undefined, failures: number): boolean {
  if (fault?.kind === 'unreachable') return false;
  if (fault?.kind === 'refused' && fault.code !== 429) return true;
  return failures >= REFUSALS_BEFORE_LIST;
}

const listInstead = (state: ReflectorState, world: ReflectorWorld): Decided =>
  beginList({ ...state, streamFrom: world.now + STREAM_AGAIN_MS }, world);

function due(state: ReflectorState, world: ReflectorWorld): Decided {
  const { phase, serial } = state;
  switch (phase.name) {
    case 'idle':
      return unchanged(state);
    case 'waiting':
      return phase.next.type === 'list' ? beginList(state, world) : beginWatch(state, phase.next.version, world);
    case 'listing':
      return withEffects(waitToList({ ...state, failures: state.failures + 1 }, world), silent);
    case 'streaming':
      return withEffects(listInstead(state, world), { type: 'close-watch', serial });
    case 'watching':
      return withEffects(beginWatch(state, phase.version, world), { type: 'close-watch', serial }, silent);
    default:
      return phase satisfies never;
  }
}

const silent: ReflectorEffect = { type: 'count', what: 'silent', fault: undefined };

/** Steps that waited for the server resume soon. The jitter spreads them, and spreads the nodes. */
function serverUp(state: ReflectorState, world: ReflectorWorld): Decided {
  if (state.phase.name !== 'waiting' || state.phase.isRefused) return unchanged(state);
  const { next } = state.phase;
  return next.type === 'list'
    ? waitToList(state, world)
    : wait(state, { next, ms: world.random() * 1_000, fault: undefined });
}

function interruptionOf(fault: ApiFault): 'expired' | 'bad-event' | 'watch-failed' {
  if (fault.kind === 'unreadable') return 'bad-event';
  return isExpired(fault) ? 'expired' : 'watch-failed';
}

/** `true` if the server no longer remembers that version. */
const isExpired = (fault: ApiFault): boolean =>
  fault.kind === 'refused' && (fault.code === 410 || fault.reason === 'Expired' || fault.reason === 'Gone');

const retryAfterOf = (fault: ApiFault): number => (fault.kind === 'refused' ? (fault.retryAfterMs ?? 0) : 0);
