import type { Container, Pod } from '../../kube/pod.ts';
import type { KillReason } from './pod-actions.ts';

/** Below this no container is ever stopped, not even by force: the runtime needs a moment to deliver the signal. */
export const MINIMUM_STOP_SECONDS = 2;

export interface PodGraceInput {
  readonly pod: Pod;
  /** What was decided before; `undefined` the first time. */
  readonly stored: number | undefined;
  /** What whoever has the pod killed asks for: an eviction, a shutdown. */
  readonly override?: number;
}

export interface PodGrace {
  readonly seconds: number;
  /** Less than was decided before: an attempt under way is to be cut short. */
  readonly shortened: boolean;
}

/** A terminating pod's grace period. It only ever shrinks, and is 1 s at least. */
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
  /** Why it is killed; a failed probe may bring a grace period of its own (KEP-2238). */
  readonly reason?: KillReason;
  /** The pod's, when the whole pod is killed. */
  readonly override?: number;
}

/** A container's grace period in seconds, before pre-stop hook and ordering take their share. May be 0: no pre-stop hook. */
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

/** The timeout for the runtime's stop call, once `elapsedMs` of the grace went to the pre-stop hook and to waiting. */
export const stopTimeoutSeconds = (graceSeconds: number, elapsedMs: number): number =>
  Math.max(graceSeconds - Math.floor(elapsedMs / 1000), MINIMUM_STOP_SECONDS);
