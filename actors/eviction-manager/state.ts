import { later, type MonotonicMs } from '../../src/actor/clock.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { podUid, type PodUid } from '../../src/kube/ids.ts';
import { reclaimSteps, type FileSystems, type ReclaimStep } from '../../src/node/eviction/file-systems.ts';
import { observationsOf, type Observations } from '../../src/node/eviction/figures.ts';
import { isRelieved, judge, NO_HISTORY, resumedHistory, type EvictionHistory } from '../../src/node/eviction/judge.ts';
import { pressureOf, resourceOf, type StarvedResource } from '../../src/node/eviction/signals.ts';
import { withContainerFs, type Threshold } from '../../src/node/eviction/thresholds.ts';
import type { Pressures } from '../../src/node/object/node-conditions.ts';
import { chooseVictim, overLimits, type Victim } from './choose-victims.ts';
import type { EvictionManagerProtocol, NodeObservation } from './protocol.ts';

export interface EvictionManagerSettings {
  readonly thresholds: readonly Threshold[];
  /** How long a node condition outlasts its cause, in milliseconds. */
  readonly transitionMs: number;
  /** The longest grace period of a pod evicted for a soft threshold. */
  readonly maxPodGraceSeconds: number;
  /** `true` if pods are evicted for exceeding their limits on local storage. */
  readonly storageLimits: boolean;
}

/**
 * A pass evicts one pod, and the next pass begins when that pod is gone. `pass` separates late messages from expected
 * messages.
 */
export interface EvictionManagerState {
  readonly phase: Phase;
  readonly pass: number;
  readonly history: EvictionHistory;
  /** `undefined` before the first observation. */
  readonly pressures: Pressures | undefined;
  /** Evicted pods that did not end in time: other pods may be evicted meanwhile. */
  readonly overdue: ReadonlySet<PodUid>;
}

type Phase =
  /** No pod is evicted until it is known which evictions an earlier incarnation began. */
  | { readonly type: 'resuming' }
  | { readonly type: 'idle' }
  | { readonly type: 'observing' }
  | ({ readonly type: 'reclaiming' } & Due)
  | ({ readonly type: 'choosing' } & Due)
  | {
      readonly type: 'waiting-for-the-end';
      readonly evicted: readonly PodUid[];
      /** The evicted pods that this incarnation chose. */
      readonly victims: readonly Victim[];
      /** The evicted pods for which the pod manager has not answered yet. */
      readonly unanswered: ReadonlySet<PodUid>;
      /** The end of the wait; set once the pod manager has answered for all pods. */
      readonly until: MonotonicMs | undefined;
    };

interface Due {
  readonly due: readonly Threshold[];
  readonly first: Threshold;
  readonly fileSystems: FileSystems;
  readonly observations: Observations;
}

export type EvictionEffect =
  | { readonly type: 'resume'; readonly afterMs: number }
  | { readonly type: 'wait-for-pass'; readonly pass: number; readonly afterMs: number }
  | { readonly type: 'observe-node'; readonly pass: number; readonly storageLimits: boolean }
  | { readonly type: 'tell-pressures'; readonly pressures: Pressures }
  | { readonly type: 'tell-attempt'; readonly resource: StarvedResource }
  | { readonly type: 'reclaim'; readonly pass: number; readonly steps: readonly ReclaimStep[] }
  /** `byDisk`: the pods are ranked by disk usage, which must be known for all of them. */
  | { readonly type: 'find-candidates'; readonly pass: number; readonly byDisk: boolean }
  /** Records the age of the figures on which a pod is evicted. */
  | { readonly type: 'count-stats-age'; readonly due: readonly Threshold[]; readonly observations: Observations }
  | { readonly type: 'evict'; readonly pass: number; readonly victim: Victim }
  /** Repeated for a pod manager that does not know of the eviction. */
  | { readonly type: 'evict-again'; readonly victim: Victim }
  | {
      readonly type: 'find-leftovers';
      readonly pass: number;
      readonly of: readonly PodUid[];
      readonly afterMs: number;
    };

export interface EvictionDecision {
  readonly next: EvictionManagerState;
  readonly effects: readonly EvictionEffect[];
}

const PASS_EVERY_MS = 10_000;
const RESUME_AGAIN_MS = 1_000;
/** How long the manager waits for an evicted pod before the next pass. */
const CLEANUP_WITHIN_MS = 30_000;
const CLEANUP_CHECK_MS = 1_000;

export const initialState: EvictionManagerState = {
  phase: { type: 'resuming' },
  pass: 0,
  history: NO_HISTORY,
  pressures: undefined,
  overdue: new Set(),
};

/** Decides what follows from a message. `now` is a monotonic instant in milliseconds. */
export function decide(
  state: EvictionManagerState,
  command: EvictionManagerProtocol['command'],
  { now, ...settings }: EvictionManagerSettings & { readonly now: MonotonicMs },
): EvictionDecision {
  const stay: EvictionDecision = { next: state, effects: [] };
  const { phase } = state;
  if ('pass' in command && command.pass !== state.pass) return stay;
  switch (command.type) {
    case 'report-pressures':
      return { next: state, effects: reportPressures(state.pressures) };
    case 'resumed':
      return phase.type === 'resuming' ? resumed(state, command, now) : stay;
    case 'pass-due':
    case 'memory-low':
      return phase.type === 'idle' ? startPass(state, settings) : stay;
    case 'signals-observed':
      return phase.type === 'observing' ? observed(state, command.observation, { ...settings, now }) : stay;
    case 'reclaimed': {
      if (phase.type !== 'reclaiming') return stay;
      const observations = command.node && observationsOf(command.node);
      const thresholds = withContainerFs(settings.thresholds, phase.fileSystems);
      if (observations !== undefined && isRelieved(thresholds, observations)) return restUntilNextPass(state);
      return choose(state, phase);
    }
    case 'candidates-found':
      return phase.type === 'choosing' ? chosen(state, { phase, command, settings, now }) : stay;
    case 'eviction-answered':
      return phase.type === 'waiting-for-the-end' ? answered(state, { phase, uid: command.podUid, now }) : stay;
    case 'leftovers-found':
      return phase.type === 'waiting-for-the-end' ? leftovers(state, { phase, command, settings, now }) : stay;
    default:
      return assertNever(command, 'eviction manager command');
  }
}

type Settings = EvictionManagerSettings;
type CommandOf<T extends EvictionManagerProtocol['command']['type']> = Extract<
  EvictionManagerProtocol['command'],
  { type: T }
>;
type In<T extends Phase['type']> = Extract<Phase, { type: T }>;

const reportPressures = (pressures: Pressures | undefined): readonly EvictionEffect[] =>
  pressures === undefined ? [] : [{ type: 'tell-pressures', pressures }];

function resumed(state: EvictionManagerState, { left }: CommandOf<'resumed'>, now: MonotonicMs): EvictionDecision {
  if (left === undefined) return { next: state, effects: [{ type: 'resume', afterMs: RESUME_AGAIN_MS }] };
  const { pressures, evicting } = left;
  const next: EvictionManagerState = {
    ...state,
    pressures,
    history: pressures === undefined ? NO_HISTORY : resumedHistory(pressures, now),
  };
  // Evictions already begun must end before another pod is chosen.
  if (evicting.length > 0) return waitForTheEnd(next, { evicted: evicting, now });
  return {
    next: { ...next, phase: { type: 'idle' } },
    effects: [{ type: 'wait-for-pass', pass: next.pass, afterMs: 0 }],
  };
}

function startPass(state: EvictionManagerState, { storageLimits, thresholds }: Settings): EvictionDecision {
  // Nothing to check.
  if (!storageLimits && thresholds.length === 0) return restUntilNextPass(state);
  const pass = state.pass + 1;
  return {
    next: { ...state, pass, phase: { type: 'observing' } },
    effects: [{ type: 'observe-node', pass, storageLimits }],
  };
}

function restUntilNextPass(state: EvictionManagerState): EvictionDecision {
  const pass = state.pass + 1;
  return {
    next: { ...state, pass, phase: { type: 'idle' } },
    effects: [{ type: 'wait-for-pass', pass, afterMs: PASS_EVERY_MS }],
  };
}

function observed(
  state: EvictionManagerState,
  observation: NodeObservation | undefined,
  { thresholds: set, transitionMs, now }: Settings & { readonly now: MonotonicMs },
): EvictionDecision {
  if (observation === undefined) return restUntilNextPass(state);
  const { fileSystems, limited } = observation;
  const observations = observationsOf(observation.node);
  const thresholds = withContainerFs(set, fileSystems);
  const { history, pressures, due } = judge({ thresholds, observations, history: state.history, now, transitionMs });
  const seen: EvictionManagerState = { ...state, history, pressures };
  const offenders = overLimits(limited, fileSystems);
  if (offenders.length > 0) return withEffectsBefore(reportPressures(pressures), evictAll(seen, offenders));
  const [first] = due;
  if (first === undefined) return withEffectsBefore(reportPressures(pressures), restUntilNextPass(seen));
  const about: Due = { due, first, fileSystems, observations };
  const before: readonly EvictionEffect[] = [
    ...reportPressures(pressures),
    { type: 'tell-attempt', resource: resourceOf(first.signal) },
  ];
  const steps = reclaimSteps(first.signal, fileSystems);
  if (steps.length === 0) return withEffectsBefore(before, choose(seen, about));
  return {
    next: { ...seen, phase: { type: 'reclaiming', ...about } },
    effects: [...before, { type: 'reclaim', pass: seen.pass, steps }],
  };
}

const withEffectsBefore = (
  before: readonly EvictionEffect[],
  { next, effects }: EvictionDecision,
): EvictionDecision => ({
  next,
  effects: [...before, ...effects],
});

const choose = (state: EvictionManagerState, { due, first, fileSystems, observations }: Due): EvictionDecision => ({
  next: { ...state, phase: { type: 'choosing', due, first, fileSystems, observations } },
  effects: [{ type: 'find-candidates', pass: state.pass, byDisk: pressureOf(first.signal) === 'disk' }],
});

function chosen(
  state: EvictionManagerState,
  {
    phase,
    command: { candidates },
    settings,
    now,
  }: {
    readonly phase: In<'choosing'>;
    readonly command: CommandOf<'candidates-found'>;
    readonly settings: Settings;
    readonly now: MonotonicMs;
  },
): EvictionDecision {
  if (candidates === undefined) return restUntilNextPass(state);
  const { due, first, fileSystems, observations } = phase;
  // Whatever began these evictions, the resources that they free must show first.
  const awaited = candidates.evicting.filter((uid) => !state.overdue.has(uid));
  if (awaited.length > 0) return waitForTheEnd(state, { evicted: awaited, now });
  const pods = candidates.pods.filter(({ pod }) => !state.overdue.has(podUid(pod.metadata.uid)));
  const victim = chooseVictim(pods, { ...settings, due, first, fileSystems, observations });
  if (victim === undefined) return restUntilNextPass(state);
  return withEffectsBefore([{ type: 'count-stats-age', due, observations }], evictAll(state, [victim]));
}

function evictAll(state: EvictionManagerState, victims: readonly Victim[]): EvictionDecision {
  const evicted = victims.map(({ pod }) => podUid(pod.metadata.uid));
  const unanswered = new Set(evicted);
  return {
    next: { ...state, phase: { type: 'waiting-for-the-end', evicted, victims, unanswered, until: undefined } },
    effects: victims.map((victim) => ({ type: 'evict', pass: state.pass, victim })),
  };
}

/** Waits for evictions begun elsewhere. The pod manager sends no answer for them. */
const waitForTheEnd = (
  state: EvictionManagerState,
  { evicted, now }: { readonly evicted: readonly PodUid[]; readonly now: MonotonicMs },
): EvictionDecision => ({
  next: {
    ...state,
    phase: {
      type: 'waiting-for-the-end',
      evicted,
      victims: [],
      unanswered: new Set(),
      until: later(now, CLEANUP_WITHIN_MS),
    },
  },
  effects: [{ type: 'find-leftovers', pass: state.pass, of: evicted, afterMs: CLEANUP_CHECK_MS }],
});

function answered(
  state: EvictionManagerState,
  { phase, uid, now }: { readonly phase: In<'waiting-for-the-end'>; readonly uid: PodUid; readonly now: MonotonicMs },
): EvictionDecision {
  const unanswered = new Set(phase.unanswered);
  unanswered.delete(uid);
  if (unanswered.size > 0) return { next: { ...state, phase: { ...phase, unanswered } }, effects: [] };
  // The answer alone is not trusted: it may come from a pod manager that has just restarted and knows nothing yet.
  return {
    next: { ...state, phase: { ...phase, unanswered, until: later(now, CLEANUP_WITHIN_MS) } },
    effects: [{ type: 'find-leftovers', pass: state.pass, of: phase.evicted, afterMs: 0 }],
  };
}

function leftovers(
  state: EvictionManagerState,
  {
    phase,
    command: { leftovers: found },
    settings,
    now,
  }: {
    readonly phase: In<'waiting-for-the-end'>;
    readonly command: CommandOf<'leftovers-found'>;
    readonly settings: Settings;
    readonly now: MonotonicMs;
  },
): EvictionDecision {
  const left = found?.left ?? phase.evicted;
  if (left.length > 0 && now < (phase.until ?? now)) {
    const again = phase.victims.filter(({ pod }) => found?.forgotten.some((uid) => uid === pod.metadata.uid));
    return {
      next: state,
      effects: [
        ...again.map((victim) => ({ type: 'evict-again', victim }) as const),
        { type: 'find-leftovers', pass: state.pass, of: phase.evicted, afterMs: CLEANUP_CHECK_MS },
      ],
    };
  }
  const overdue = new Set([...state.overdue].filter((uid) => !phase.evicted.includes(uid)));
  for (const uid of left) overdue.add(uid);
  // The next pass follows at once: the node may still be short.
  return startPass({ ...state, overdue, phase: { type: 'idle' } }, settings);
}
