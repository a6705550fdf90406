import type { MonotonicMs } from '../../actor/clock.ts';
import { canonicalJson } from '../../kube/text/canonical-json.ts';
import type { Container, Pod } from '../../kube/pod.ts';
import { podFullName } from '../../kube/pod.ts';
import { containerHash } from '../values/container-hash.ts';
import { durationText } from '../values/duration-text.ts';
import { advanced, backOffUntil, type SeriesLimits } from './exponential-back-off.ts';
import type { BackOffEntry } from './exponential-back-off.ts';
import type { RuntimeContainer, RuntimePodStatus } from '../values/runtime-pod-status.ts';
import { backOffMs } from '../../actor/back-off.ts';

/**
 * The kubelet's defaults: 10 s, doubling to 300 s. `crashLoopBackOff.maxContainerRestartPeriod` replaces `maxMs`. A
 * container that ran for ten minutes begins a new series, whatever that setting.
 */
export const CRASH_LOOP_LIMITS: SeriesLimits = { initialMs: 10_000, maxMs: 300_000, forgetAfterMs: 600_000 };

/**
 * The key of a container's back-off. Another image or other resources may cure the crash, so the back-off then starts
 * from the beginning.
 */
export const crashLoopKey = ({ metadata }: Pod, container: Container): string =>
  [
    metadata.uid,
    container.name,
    container.image ?? '',
    container.resources === undefined ? '' : canonicalJson(container.resources),
  ].join('/');

/**
 * Returns a container's place in its back-off when no entry is stored: from the count of its restarts. A changed
 * definition, or a last run that was long enough, starts the series from the beginning.
 */
export function recoveredEntry({ status, container, limits, exitedAt }: PastInput): BackOffEntry | undefined {
  const { containers } = status;
  const newest = containers.find(({ name }) => name === container.name);
  if (newest === undefined || newest.restartCount === 0 || newest.hash !== containerHash(container)) return undefined;
  const delayMs = backOffMs(newest.restartCount, limits);
  const exited = newestExit(status, container.name);
  if (exited === undefined) return undefined;
  // The runtime reports the duration of the run, measured by one clock.
  return { delayMs, advancedAt: exitedAt(exited) - (exited.finishedAt - newest.createdAt) };
}

/** Instants are on the scale of `exitedAt`, which must not step. The runtime's own instants are wall-clock time. */
interface PastInput {
  readonly container: Container;
  readonly status: RuntimePodStatus;
  readonly limits: SeriesLimits;
  /** Returns the instant at which this container exited, as far as known. */
  readonly exitedAt: (exited: RuntimeContainer) => MonotonicMs;
}

export type CrashLoopDecision =
  /** Start now, and store the entry. `undefined` when the container never exited: there is nothing to store. */
  | { readonly type: 'start'; readonly entry: BackOffEntry | undefined }
  | {
      readonly type: 'back-off';
      /** When the container may be started; the worker syncs again then. */
      readonly until: MonotonicMs;
      readonly reason: 'CrashLoopBackOff';
      /** Shown as the container's waiting message. */
      readonly message: string;
      /** Text of the Warning event `BackOff`. */
      readonly eventMessage: string;
    };

export interface CrashLoopInput extends PastInput {
  readonly pod: Pod;
  /** The entry stored under `crashLoopKey`. */
  readonly entry: BackOffEntry | undefined;
  readonly now: MonotonicMs;
}

/**
 * Decides whether a container is held back before its next start. The first restart comes at once. From the second on
 * the wait doubles, counted from the last exit, whatever the exit code.
 */
export function crashLoopDecision({ pod, container, status, entry, now, ...past }: CrashLoopInput): CrashLoopDecision {
  const { limits, exitedAt } = past;
  const exited = newestExit(status, container.name);
  if (exited === undefined) return { type: 'start', entry };
  const since = { failedAt: exitedAt(exited), now };
  const until = backOffUntil(entry, since, limits);
  if (until === undefined) return { type: 'start', entry: advanced(entry, since, limits) };
  const named = `${podFullName(pod)}(${pod.metadata.uid})`;
  const waits = durationText(until - since.failedAt);
  return {
    type: 'back-off',
    until,
    reason: 'CrashLoopBackOff',
    message: `back-off ${waits} restarting failed container=${container.name} pod=${named}`,
    eventMessage: `Back-off restarting failed container ${container.name} in pod ${named}`,
  };
}

const newestExit = ({ containers }: RuntimePodStatus, name: string): RuntimeContainer | undefined =>
  containers.find((container) => container.name === name && container.state === 'exited');
