import type { Pressures } from '../object/node-conditions.ts';
import type { Observations } from './figures.ts';
import { pressureOf, type Signal } from './signals.ts';
import { amountNano, thresholdKey, type Threshold } from './thresholds.ts';

/** What is remembered from one look at the node to the next. Instants are milliseconds on the agent's steady clock. */
export interface EvictionHistory {
  /** Since when each threshold has been met, by key. */
  readonly metSince: ReadonlyMap<string, number>;
  /** When the node was last short of each resource. */
  readonly shortAt: Readonly<Partial<Record<keyof Pressures, number>>>;
  /** Thresholds that pods may be evicted for: they stay met until the least amount has been freed as well. */
  readonly acting: readonly Threshold[];
  /** When what was last seen of a signal had been measured, on the clock of those who measured. */
  readonly measuredAt: ReadonlyMap<Signal, number>;
}

export const NO_HISTORY: EvictionHistory = { metSince: new Map(), shortAt: {}, acting: [], measuredAt: new Map() };

/** As it may be taken up by one who knows nothing but what the node was said to be short of: it is taken to be so still. */
export const resumedHistory = (pressures: Pressures, now: number): EvictionHistory => ({
  ...NO_HISTORY,
  shortAt: Object.fromEntries(KINDS.filter((kind) => pressures[kind]).map((kind) => [kind, now])),
});

export interface Look {
  readonly thresholds: readonly Threshold[];
  readonly observations: Observations;
  readonly history: EvictionHistory;
  readonly now: number;
  /** How long a condition outlasts what it is about. */
  readonly transitionMs: number;
}

export interface Judgement {
  readonly history: EvictionHistory;
  /** What the node says it is short of. */
  readonly pressures: Pressures;
  /** Thresholds to do something about now, the first first. */
  readonly due: readonly Threshold[];
}

/**
 * What follows from a look at the node. Conditions do not wait for grace periods, and outlast what they are about. Only what
 * has been measured anew since the last look counts against pods: an eviction must have had the time to show.
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

/** Whether less is available than may be, or than the least amount that an eviction must free makes of it. */
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

/** Whether what the node freed by itself was enough: nothing is too low, least amounts included. */
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

const measuredAt = (observations: Observations): ReadonlyMap<Signal, number> =>
  new Map([...observations].flatMap(([signal, { at }]) => (at === undefined ? [] : [[signal, at] as const])));

/** Memory runs out fastest. */
function memoryFirst(thresholds: readonly Threshold[]): readonly Threshold[] {
  const isMemory = ({ signal }: Threshold): boolean => pressureOf(signal) === 'memory';
  return [...thresholds.filter(isMemory), ...thresholds.filter((each) => !isMemory(each))];
}
