import { later, elapsedMs, type Clock, type MonotonicMs, type WallMs } from '../../src/actor/clock.ts';
import type { ProbeVerdict } from '../../src/pod/values/probe-readiness.ts';
import type { ProbeOutcome } from '../../src/probing/probe-outcome.ts';
import type { ContainerVerdicts, ProbeKind, ProbeSpec } from './protocol.ts';

/** Results of one probe of one container instance so far. */
export interface ProbeState {
  readonly verdict: ProbeVerdict | undefined;
  /** The latest result, and how many runs in a row had it. */
  readonly last: 'success' | 'failure' | undefined;
  readonly inARow: number;
  /** The verdict is final for this instance: no run follows. */
  readonly onHold: boolean;
}

/** Verdict before the first result: no container is ready, started or failed until that is known. */
export const initialVerdict = (kind: ProbeKind): ProbeVerdict | undefined =>
  kind === 'liveness' ? 'success' : kind === 'readiness' ? 'failure' : undefined;

/** Begins a probe, possibly with an earlier verdict on this very instance. */
export function beginProbe(kind: ProbeKind, known: ProbeVerdict | undefined): ProbeState {
  const verdict = known === undefined || known === 'unknown' ? initialVerdict(kind) : known;
  return { verdict, last: undefined, inARow: 0, onHold: known !== undefined && isFinal(kind, verdict) };
}

/** Returns `true` if the verdict kills the container, or ends the probe. */
const isFinal = (kind: ProbeKind, verdict: ProbeVerdict | undefined): boolean =>
  kind === 'startup' ? verdict === 'success' || verdict === 'failure' : kind === 'liveness' && verdict === 'failure';

export type Thresholds = Pick<ProbeSpec, 'successThreshold' | 'failureThreshold'>;

/** Adds the result of a run. A run that could not be made adds nothing: it says nothing about the container. */
export function afterRun(
  state: ProbeState,
  result: ProbeOutcome['result'],
  { kind, successThreshold, failureThreshold }: Thresholds & { readonly kind: ProbeKind },
): ProbeState {
  if (result === 'error' || result === 'unheard') return state;
  const last = result === 'failure' ? 'failure' : 'success';
  const inARow = state.last === last ? state.inARow + 1 : 1;
  const isEnough = inARow >= (last === 'success' ? successThreshold : failureThreshold);
  if (!isEnough) return { ...state, last, inARow };
  return { verdict: last, last, inARow, onHold: isFinal(kind, last) };
}

/** Startup probes run until the container has started, the others from then on. */
export const mayRun = (kind: ProbeKind, isStarted: boolean): boolean => (kind === 'startup') !== isStarted;

/** Returns `true` if the container has started, according to its startup probe. */
export const hasStarted = (probes: readonly Pick<ProbeSpec, 'kind'>[], startup: ProbeVerdict | undefined): boolean =>
  startup === 'success' || !probes.some(({ kind }) => kind === 'startup');

export interface FirstRun {
  /** Start of the container. All instants are monotonic. */
  readonly startedAt: MonotonicMs;
  readonly spec: Pick<ProbeSpec, 'kind' | 'initialDelaySeconds' | 'periodSeconds'>;
  readonly now: MonotonicMs;
  /** Start of this probe manager. Containers that started earlier were probed by an earlier incarnation. */
  readonly bornAt: MonotonicMs;
  /** In [0, 1). */
  readonly chance: number;
  /** The startup probe has just succeeded: probes that waited for it run at once. */
  readonly afterStartup: boolean;
}

/**
 * Converts a container's wall-clock start to the monotonic scale. If the clock was set back since, the container counts
 * as started now, so no probe is delayed beyond its own delay.
 */
export const startInstant = (startedAt: WallMs, clock: Pick<Clock, 'now' | 'monotonic'>): MonotonicMs =>
  later(clock.monotonic(), -Math.max(0, elapsedMs(startedAt, clock.now())));

/**
 * Returns the time of the first run. Readiness is probed at once, because a service waits for it. Other probes wait one
 * period, as the kubelet's ticker does, so that a container is not killed before it had time. Probes of containers from
 * an earlier incarnation are spread over a period: a restart must not probe a whole node within one second.
 */
export function firstRunAt({ startedAt, spec, now, bornAt, chance, afterStartup }: FirstRun): MonotonicMs {
  const periodMs = spec.periodSeconds * 1_000;
  if (startedAt < bornAt && !afterStartup) {
    return now + Math.max(chance * periodMs, startedAt + spec.initialDelaySeconds * 1_000 - now);
  }
  const usualDelay = spec.kind === 'readiness' || afterStartup ? 0 : periodMs;
  const delayMs = spec.initialDelaySeconds > 0 ? spec.initialDelaySeconds * 1_000 : usualDelay;
  return Math.max(now, startedAt + delayMs);
}

/** The next run is one period after the last one was due; missed runs are not repeated. */
export const nextRunAt = (dueAt: MonotonicMs, periodSeconds: number, now: MonotonicMs): MonotonicMs =>
  Math.max(now, dueAt + periodSeconds * 1_000);

/**
 * Probes are batched for this long, so that many run in one turn of the event loop. Waking up for each costs more than
 * the rest of a skipped probe.
 */
const TOGETHER_MS = 50;

/** Returns when a probe due at `dueAt` really runs. */
export const madeAt = (dueAt: MonotonicMs): MonotonicMs => Math.ceil(dueAt / TOGETHER_MS) * TOGETHER_MS;

/** Returns the verdicts that a worker does not know yet. */
export function newVerdicts(
  known: readonly (readonly [ProbeKind, ProbeVerdict | undefined])[],
  told: ContainerVerdicts,
): readonly (readonly [ProbeKind, ProbeVerdict])[] {
  return known.flatMap(([kind, verdict]) =>
    verdict === undefined || verdict === (told[kind] ?? initialVerdict(kind)) ? [] : [[kind, verdict] as const],
  );
}
