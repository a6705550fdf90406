import type { Container, Pod } from '../../kube/pod.ts';
import type { KillReason } from './pod-actions.ts';

/** The shortest timeout of any stop, even a forced one: the runtime needs a moment to deliver the signal. */
export const MINIMUM_STOP_SECONDS = 2;

export interface PodGraceInput {
  readonly pod: Pod;
  /** The grace period decided before; `undefined` the first time. */
  readonly stored: number | undefined;
  /** The grace period that the caller asks for: an eviction, a shutdown. */
  readonly override?: number;
}

export interface PodGrace {
  readonly seconds: number;
  /** `true` if the grace period is shorter than the one decided before: a stop under way must be cut short. */
  readonly shortened: boolean;
}

/** Returns the grace period of a terminating pod. It only ever shrinks, and is at least 1 s. */
export function podGracePeriod({ pod, stored, override }: PodGraceInput): PodGrace {
  const { deletionGracePeriodSeconds } = pod.metadata;
  const asked = [stored, deletionGracePeriodSeconds, override].filter((seconds) => seconds !== undefined);
  const wanted = asked.length > 0 ? Math.min(...asked) : (pod.spec.terminationGracePeriodSeconds ?? 0);
  const seconds = Math.max(wanted, 1);
  return { seconds, shortened: stored !== undefined && stored !== seconds };
}

export interface ContainerGraceInput {
  readonly pod: Pod;
  readonly container: Container;
  /** The reason for the kill. A failed probe may bring a grace period of its own (KEP-2238). */
  readonly reason?: KillReason;
  /** The pod's grace period, when the whole pod is killed. */
  readonly override?: number;
}

/**
 * Returns a container's grace period in seconds, of which the preStop hook and the stop order take their share. With 0 the
 * preStop hook is not run.
 */
export function containerGracePeriod({ pod, container, reason, override }: ContainerGraceInput): number {
  if (override !== undefined) return override;
  const { deletionGracePeriodSeconds } = pod.metadata;
  if (deletionGracePeriodSeconds !== undefined) return deletionGracePeriodSeconds;
  return probeGracePeriod(container, reason) ?? pod.spec.terminationGracePeriodSeconds ?? MINIMUM_STOP_SECONDS;
}

function probeGracePeriod({ livenessProbe, startupProbe }: Container, reason?: KillReason): number | undefined {
  if (reason === 'liveness-probe') return livenessProbe?.terminationGracePeriodSeconds;
  if (reason === 'startup-probe') return startupProbe?.terminationGracePeriodSeconds;
  return undefined;
}

/**
 * Returns the timeout for the runtime's stop call, after the preStop hook and waiting took `elapsedMs` of the grace
 * period. The hook may take all of it (`actors/pod-worker/act/pre-stop.ts`); the container has two seconds at least.
 */
export const stopTimeoutSeconds = (graceSeconds: number, elapsedMs: number): number =>
  Math.max(graceSeconds - Math.floor(elapsedMs / 1000), MINIMUM_STOP_SECONDS);
