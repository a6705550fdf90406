import type { Clock } from '../../src/actor/clock.ts';
import type { ProbeVerdict } from '../../src/pod/values/probe-readiness.ts';
import type { ProbeOutcome } from '../../src/probing/probe-outcome.ts';
import type { ContainerVerdicts, ProbeKind, ProbeSpec } from './protocol.ts';

/** What one probe of one container instance has found out so far. */
export interface ProbeState {
  readonly verdict: ProbeVerdict | undefined;
  /** What the latest run said, and how many in a row have said so. */
  readonly last: 'success' | 'failure' | undefined;
  readonly inARow: number;
  /** The verdict is final for this instance: nothing is asked until there is another one. */
  readonly onHold: boolean;
}

/** What counts before a probe has spoken: nothing is ready, started or dead until that is known. */
export const initialVerdict = (kind: ProbeKind): ProbeVerdict | undefined =>
  kind === 'liveness' ? 'success' : kind === 'readiness' ? 'failure' : undefined;

/** A probe that begins, perhaps with what was known of this very instance before. */
export function beginProbe(kind: ProbeKind, known: ProbeVerdict | undefined): ProbeState {
  const verdict = known === undefined || known === 'unknown' ? initialVerdict(kind) : known;
  return { verdict, last: undefined, inARow: 0, onHold: known !== undefined && isFinal(kind, verdict) };
}

/** A container is killed for these, or never asked again. */
const isFinal = (kind: ProbeKind, verdict: ProbeVerdict | undefined): boolean =>
  kind === 'startup' ? verdict === 'success' || verdict === 'failure' : kind === 'liveness' && verdict === 'failure';

export type Thresholds = Pick<ProbeSpec, 'successThreshold' | 'failureThreshold'>;

/** What a run adds to what is known. One that could not be made adds nothing: that is no word of the container. */
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

/** Startup probes are asked until the container has started, the others from then on. */
export const mayRun = (kind: ProbeKind, isStarted: boolean): boolean => (kind === 'startup') !== isStarted;

/** Whether a container has started, as far as its startup probe can tell. */
export const hasStarted = (probes: readonly Pick<ProbeSpec, 'kind'>[], startup: ProbeVerdict | undefined): boolean =>
  startup === 'success' || !probes.some(({ kind }) => kind === 'startup');

export interface FirstRun {
  /** Of the container. All instants are monotonic. */
  readonly startedAt: number;
  readonly spec: Pick<ProbeSpec, 'kind' | 'initialDelaySeconds' | 'periodSeconds'>;
  readonly now: number;
  /** When this probe manager began; a container that is older was probed by another before. */
  readonly bornAt: number;
  /** In [0, 1). */
  readonly chance: number;
  /** The startup probe has just succeeded: whatever waited for that has waited long enough. */
  readonly afterStartup: boolean;
}

/**
 * On the monotonic scale, when a container started whose runtime has it by the wall clock. One that was set back since makes
 * it start now, so that no probe is put off beyond its own delay.
 */
export const startInstant = (startedAt: number, clock: Pick<Clock, 'now' | 'monotonic'>): number =>
  clock.monotonic() - Math.max(0, clock.now() - startedAt);

/**
 * When a probe is to be made first. Readiness is asked at once, for somebody waits for it; the others after a
 * period, as the kubelet's ticker does, so that a container is not killed for what it had no time to become. Those of
 * containers that were there before are spread over a period, lest a whole node is probed in the second of a restart.
 */
export function firstRunAt({ startedAt, spec, now, bornAt, chance, afterStartup }: FirstRun): number {
  const periodMs = spec.periodSeconds * 1_000;
  if (startedAt < bornAt && !afterStartup) {
    return now + Math.max(chance * periodMs, startedAt + spec.initialDelaySeconds * 1_000 - now);
  }
  const usualDelay = spec.kind === 'readiness' || afterStartup ? 0 : periodMs;
  const delayMs = spec.initialDelaySeconds > 0 ? spec.initialDelaySeconds * 1_000 : usualDelay;
  return Math.max(now, startedAt + delayMs);
}

/** The next run is a period after the last one was due; runs that were missed are not made up for. */
export const nextRunAt = (dueAt: number, periodSeconds: number, now: number): number =>
  Math.max(now, dueAt + periodSeconds * 1_000);

/**
 * Probes wait for one another that long, so that many are made in one turn of the event loop: waking up for each of them
 * costs more than all else about a probe that is not made.
 */
const TOGETHER_MS = 50;

/** When a probe that is due then is really made. */
export const madeAt = (dueAt: number): number => Math.ceil(dueAt / TOGETHER_MS) * TOGETHER_MS;

/** What a worker does not know yet, of what is known here. */
export function newsFor(
  known: readonly (readonly [ProbeKind, ProbeVerdict | undefined])[],
  told: ContainerVerdicts,
): readonly (readonly [ProbeKind, ProbeVerdict])[] {
  return known.flatMap(([kind, verdict]) =>
    verdict === undefined || verdict === (told[kind] ?? initialVerdict(kind)) ? [] : [[kind, verdict] as const],
  );
}
