import type { MonotonicMs, WallMs } from '../../actor/clock.ts';
import type { Pressures } from '../object/node-conditions.ts';
import type { Observations } from './figures.ts';
import { pressureOf, type Signal } from './signals.ts';
import { amountNano, thresholdKey, type Threshold } from './thresholds.ts';

/** State kept between two observations of the node. Instants are milliseconds on the agent's steady clock. */
export interface EvictionHistory {
  /** By key: since when each threshold has been met. */
  readonly metSince: ReadonlyMap<string, MonotonicMs>;
  /** When the node last lacked each resource. */
  readonly shortAt: Readonly<Partial<Record<keyof Pressures, MonotonicMs>>>;
  /** Thresholds under eviction: they stay met until the minimum reclaim has been freed as well. */
  readonly acting: readonly Threshold[];
  /** When the last observation of each signal was measured, on the clock of the measuring side. */
  readonly measuredAt: ReadonlyMap<Signal, WallMs>;
}

export const NO_HISTORY: EvictionHistory = { metSince: new Map(), shortAt: {}, acting: [], measuredAt: new Map() };

/**
 * Returns the history after a restart, known only by the node's conditions: the reported pressures are taken to last
 * still.
 */
export const resumedHistory = (pressures: Pressures, now: MonotonicMs): EvictionHistory => ({
  ...NO_HISTORY,
  shortAt: Object.fromEntries(KINDS.filter((kind) => pressures[kind]).map((kind) => [kind, now])),
});

export interface Look {
  readonly thresholds: readonly Threshold[];
  readonly observations: Observations;
  readonly history: EvictionHistory;
  readonly now: MonotonicMs;
  /** How long a condition outlasts its pressure. */
  readonly transitionMs: number;
}

export interface Judgement {
  readonly history: EvictionHistory;
  /** The pressures that the node reports. */
  readonly pressures: Pressures;
  /** Thresholds to act on now, in order. */
  readonly due: readonly Threshold[];
}

/**
 * Decides after an observation of the node. Conditions do not wait for grace periods, and outlast their pressure. Only signals
 * measured since the last observation count against pods, because an eviction needs time to show an effect.
 */
export function judge({ thresholds, observations, history, now, transitionMs }: Look): Judgement {
  const met = merged(
    thresholds.filter((each) => isMet(each, observations, 'value')),
    history.acting.filter((each) => isMet(each, observations, 'value and least amount')),
  );
  const metSince = new Map(met.map((each) => [thresholdKey(each), history.metSince.get(thresholdKey(each)) ?? now]));
  const shortAt = { ...history.shortAt };
  for (const { signal } of met) shortAt[pressureOf(signal)] = now;
  const acting = met.filter((each) => now - (metSince.get(thresholdKey(each)) ?? now) >= each.graceMs);
  return {
    history: { metSince, shortAt, acting, measuredAt: measuredAt(observations) },
    pressures: pressuresAt(shortAt, { now, transitionMs }),
    due: memoryFirst(acting.filter(({ signal }) => isNew(signal, observations, history))),
  };
}

/**
 * `true` if less is available than the threshold allows. While pods are evicted for it, the minimum reclaim is added.
 */
export function isMet(
  { signal, value, minReclaim }: Threshold,
  observations: Observations,
  by: 'value' | 'value and least amount',
): boolean {
  const observed = observations.get(signal);
  if (observed === undefined) return false;
  const more = by === 'value' || minReclaim === undefined ? 0n : amountNano(minReclaim, observed.capacity);
  return observed.available * NANO < amountNano(value, observed.capacity) + more;
}

/** `true` if the node freed enough by itself: no threshold is met, minimum reclaims included. */
export const isRelieved = (thresholds: readonly Threshold[], observations: Observations): boolean =>
  !thresholds.some((each) => isMet(each, observations, 'value and least amount'));

const NANO = 1_000_000_000n;
const KINDS = ['memory', 'disk', 'pid'] as const;

function pressuresAt(
  shortAt: EvictionHistory['shortAt'],
  { now, transitionMs }: Pick<Look, 'now' | 'transitionMs'>,
): Pressures {
  const isShort = (kind: keyof Pressures): boolean => {
    const at = shortAt[kind];
    return at !== undefined && now - at < transitionMs;
  };
  return { memory: isShort('memory'), disk: isShort('disk'), pid: isShort('pid') };
}

function merged(met: readonly Threshold[], stillMet: readonly Threshold[]): readonly Threshold[] {
  const keys = new Set(met.map(thresholdKey));
  return [...met, ...stillMet.filter((each) => !keys.has(thresholdKey(each)))];
}

function isNew(signal: Signal, observations: Observations, { measuredAt: before }: EvictionHistory): boolean {
  const [at, last] = [observations.get(signal)?.at, before.get(signal)];
  return observations.has(signal) && (at === undefined || last === undefined || at > last);
}

const measuredAt = (observations: Observations): ReadonlyMap<Signal, WallMs> =>
  new Map([...observations].flatMap(([signal, { at }]) => (at === undefined ? [] : [[signal, at] as const])));

/** Memory runs out fastest. */
function memoryFirst(thresholds: readonly Threshold[]): readonly Threshold[] {
  const isMemory = ({ signal }: Threshold): boolean => pressureOf(signal) === 'memory';
  return [...thresholds.filter(isMemory), ...thresholds.filter((each) => !isMemory(each))];
}
