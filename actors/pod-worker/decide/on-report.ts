import { later } from '../../../src/actor/clock.ts';
import { sandboxMade } from '../../../src/pod/sync/sandbox-back-off.ts';
import { terminateStatus } from '../../../src/pod/status/terminate-status.ts';
import { afterAttempt } from './resizing.ts';
import { LEFT_DEAD } from './decide-step.ts';
import { retryAfterError } from './retry-time.ts';
import { continueSync, requestStatus } from './observe-first.ts';
import { holdsAnything } from './has-containers.ts';
import { reportStatus } from './reported-status.ts';
import type { ObservedPod } from '../../pleg/protocol.ts';
import type { ActResult, PodWorkerProtocol, Touched } from '../protocol.ts';
import type { Decision, KnownFailure, Moment, NodeSettings, PodWorkerState } from '../worker-state.ts';

type At = Moment & NodeSettings;

/** After a lost call, the runtime gets this long to settle before it is inspected again. */
export const SETTLE_MS = 1_000;
/** Delay before a failed stop is retried. */
const STOP_AGAIN_MS = 1_000;

export function observed(state: PodWorkerState, seen: ObservedPod): PodWorkerState {
  // Answers and notices travel on different paths within this thread: the record with the largest revision is the
  // latest.
  const known = state.observed;
  const [earlier, later] = known === undefined || known.revision < seen.revision ? [known, seen] : [seen, known];
  const observedAt = Math.max(earlier?.observedAt ?? later.observedAt, later.observedAt);
  const cgroupGone = state.cgroupGone && later.status.containers.some((each) => each.state === 'running');
  return { ...state, cgroupGone, observed: { ...later, observedAt } };
}

export function acted(state: PodWorkerState, result: ActResult, at: At): Decision {
  const retry = retryAfterError(state.decidedOn, at);
  const failures = new Map([...state.memory.failures].filter(([name]) => !result.tried.has(name)));
  for (const [name, failure] of result.failures)
    failures.set(name, failure.until === undefined ? { ...failure, ...retry } : spread(failure, at));
  const crashLoops = new Map(state.memory.crashLoops);
  for (const [name, { key, entry }] of state.advances) {
    // A container that the sync attempt did not reach, or only perhaps, keeps its back-off step.
    if (result.tried.has(name) && !result.inDoubt) crashLoops.set(key, entry);
  }
  const podFailure =
    result.podFailure === undefined || result.inDoubt ? undefined : { message: result.podFailure, ...retry };
  const sandboxes =
    result.createdSandbox === true ? sandboxMade(state.memory.sandboxes, at.monotonic) : state.memory.sandboxes;
  const resize = afterAttempt(state, result, at);
  const { next, effects } = lookAfterAttempt(
    {
      ...state,
      work: { ...state.work, acting: false },
      unfinishedHook: result.unfinishedHook,
      advances: new Map(),
      decidedOn: undefined,
      memory: { ...state.memory, failures, crashLoops, failedPulls: result.failedPulls, sandboxes, podFailure },
      resizing: resize.resizing,
    },
    result,
    at,
  );
  return { next, effects: [...resize.effects, ...effects] };
}

/** Pods that wait for one registry do not all return at the end of the same back-off. */
const spread = (failure: KnownFailure, { monotonic, chance }: At): KnownFailure =>
  failure.waitsFor === undefined || failure.until === undefined
    ? failure
    : { ...failure, until: later(failure.until, ((failure.until - monotonic) * chance) / 2) };

function lookAfterAttempt(next: PodWorkerState, result: ActResult, at: At): Decision {
  if (result.inDoubt) return requestStatus(next, { newerThan: later(at.monotonic, SETTLE_MS), afterMs: SETTLE_MS });
  const { touched } = result;
  if (touched.sandboxes.length + touched.containers.length === 0)
    return continueSync(result.seen === undefined ? next : observed(next, result.seen), at);
  return requestStatus(next, { newerThan: at.monotonic, touched });
}

export function stopped(
  state: PodWorkerState,
  { touched, failed }: { readonly touched: Touched; readonly failed: string | undefined },
  at: At,
): Decision {
  const { phase, work } = state;
  const next: PodWorkerState = {
    ...state,
    phase: phase.type === 'terminating' && failed === undefined ? { ...phase, stopRequested: true } : phase,
    work: { ...work, stopping: Math.max(0, work.stopping - 1) },
  };
  if (failed === undefined) {
    const ended = seenEnded(next, touched);
    return ended === undefined ? requestStatus(next, { newerThan: at.monotonic, touched }) : continueSync(ended, at);
  }
  // The next observation shows if the container stopped anyway.
  const event = { type: 'Warning', reason: 'FailedKillPod', message: `error killing pod: ${failed}` } as const;
  const again = requestStatus(next, { newerThan: later(at.monotonic, STOP_AGAIN_MS), afterMs: STOP_AGAIN_MS, touched });
  return { next: again.next, effects: [{ type: 'tell-event', event }, ...again.effects] };
}

/**
 * Returns the state when runtime events already show that all containers have ended. None can start again, and a
 * stopped sandbox is not ready, so a newer look would show the same. This saves two calls per removed pod. `undefined`
 * when something may still run, or is unknown.
 */
function seenEnded(state: PodWorkerState, touched: Touched): PodWorkerState | undefined {
  const { phase, observed: seen, needsNewerThan } = state;
  if (phase.type !== 'terminating' || seen === undefined || seen.observedAt <= needsNewerThan) return undefined;
  const { containers } = seen.status;
  if (!touched.containers.every(([id]) => containers.some((container) => container.id === id))) return undefined;
  const stoppedNow = new Set(touched.sandboxes);
  const sandboxes = seen.status.sandboxes.map((sandbox) =>
    stoppedNow.delete(sandbox.id) ? { ...sandbox, state: 'not-ready' as const } : sandbox,
  );
  const status = { ...seen.status, sandboxes };
  return stoppedNow.size > 0 || holdsAnything(status) ? undefined : { ...state, observed: { ...seen, status } };
}

export function removed(
  state: PodWorkerState,
  { what, failed }: Extract<PodWorkerProtocol['command'], { type: 'removed' }>,
  at: At,
): Decision {
  const next = { ...state, work: { ...state.work, removing: false } };
  if (what === 'dead') {
    // Anything not removed is found again on the next occasion. A pod that has ended meanwhile has waited for this.
    return state.phase.type === 'terminated' || isWantedAgain(state) ? continueSync(next, at) : { next, effects: [] };
  }
  if (failed !== undefined)
    return requestStatus(next, { newerThan: later(at.monotonic, STOP_AGAIN_MS), afterMs: STOP_AGAIN_MS });
  if (what === 'volumes') return { next, effects: [LEFT_DEAD] };
  const last = reportFinalStatus(next, at);
  return { next: last.next, effects: [...last.effects, { type: 'report-terminated', removed: true }] };
}

const isWantedAgain = ({ phase }: PodWorkerState): boolean =>
  phase.type === 'terminating' && phase.target.wantedAgain === true;

export function runtimeChanged(
  state: PodWorkerState,
  { health }: Extract<PodWorkerProtocol['command'], { type: 'runtime-health-changed' }>,
  at: At,
): Decision {
  if (health.state !== 'up') return { next: state, effects: [] };
  const { name, networkNotReady } = health.runtime;
  // Failures while the runtime was away are retried now.
  const memory = { ...state.memory, podFailure: undefined };
  return continueSync({ ...state, runtimeName: name, networkNotReady, memory }, at);
}

/** A container whose configuration failed may have lacked an address: it is tried again now. */
export function hostIpsChanged(state: PodWorkerState, hostIps: readonly string[]): PodWorkerState {
  const failures = new Map(
    [...state.memory.failures].filter(([, { reason }]) => reason !== 'CreateContainerConfigError'),
  );
  return { ...state, hostIps, memory: { ...state.memory, failures } };
}

/** No later report can follow: containers that have not ended by now are lost. */
function reportFinalStatus(state: PodWorkerState, at: At): Decision {
  const { phase, status } = state;
  const pod = phase.type === 'terminated' ? phase.target.pod : undefined;
  if (pod === undefined || status === undefined) return { next: state, effects: [] };
  return reportStatus(state, pod, { status: terminateStatus(pod, status), at });
}
