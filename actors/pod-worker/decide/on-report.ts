import { sandboxMade } from '../../../src/pod/sync/sandbox-back-off.ts';
import { terminateStatus } from '../../../src/pod/status/terminate-status.ts';
import { afterRound } from './resizing.ts';
import { goOn, look } from './observe-first.ts';
import { holdsSomething } from './has-containers.ts';
import { told } from './reported-status.ts';
import type { ObservedPod } from '../../pleg/protocol.ts';
import type { ActResult, PodWorkerCommand, Touched } from '../protocol.ts';
import type { Decision, Moment, NodeSettings, PodWorkerState } from '../worker-state.ts';

type At = Moment & NodeSettings;

/** After a call that was lost, the runtime is given this long to come to rest before it is looked at again. */
export const SETTLE_MS = 1_000;
/** After an error that the runtime or the node gave, at the least; up to half as long again, lest many come at once. */
const ERROR_DELAY_MS = 10_000;
/** A pod whose stop failed is tried again after this. */
const STOP_AGAIN_MS = 1_000;

export function observed(state: PodWorkerState, seen: ObservedPod): PodWorkerState {
  // Answers and notices travel on different paths within this thread: the record that was changed last is the truth.
  const known = state.observed;
  const [earlier, later] = known === undefined || known.revision < seen.revision ? [known, seen] : [seen, known];
  const observedAt = Math.max(earlier?.observedAt ?? later.observedAt, later.observedAt);
  const cgroupGone = state.cgroupGone && later.status.containers.some((each) => each.state === 'running');
  return { ...state, cgroupGone, observed: { ...later, observedAt } };
}

export function acted(state: PodWorkerState, result: ActResult, at: At): Decision {
  const retryAt = at.monotonic + ERROR_DELAY_MS * (1 + at.chance / 2);
  const failures = new Map([...state.memory.failures].filter(([name]) => !result.tried.has(name)));
  for (const [name, failure] of result.failures) failures.set(name, { ...failure, until: failure.until ?? retryAt });
  const crashLoops = new Map(state.memory.crashLoops);
  for (const [name, { key, entry }] of state.advances) {
    // One that was not come to, or only perhaps, has not used up its turn.
    if (result.tried.has(name) && !result.inDoubt) crashLoops.set(key, entry);
  }
  const podFailure =
    result.podFailure === undefined || result.inDoubt ? undefined : { message: result.podFailure, until: retryAt };
  const sandboxes =
    result.madeSandbox === true ? sandboxMade(state.memory.sandboxes, at.monotonic) : state.memory.sandboxes;
  const resize = afterRound(state, result, retryAt);
  const { next, effects } = lookAfterRound(
    {
      ...state,
      work: { ...state.work, acting: false },
      unfinishedHook: undefined,
      advances: new Map(),
      memory: { ...state.memory, failures, crashLoops, failedPulls: result.failedPulls, sandboxes, podFailure },
      resizing: resize.resizing,
    },
    result,
    at,
  );
  return { next, effects: [...resize.effects, ...effects] };
}

function lookAfterRound(next: PodWorkerState, result: ActResult, at: At): Decision {
  if (result.inDoubt) return look(next, { newerThan: at.monotonic + SETTLE_MS, afterMs: SETTLE_MS });
  const { touched } = result;
  if (touched.sandboxes.length + touched.containers.length === 0)
    return goOn(result.seen === undefined ? next : observed(next, result.seen), at);
  return look(next, { newerThan: at.monotonic, touched });
}

export function stopped(
  state: PodWorkerState,
  { touched, failed }: { readonly touched: Touched; readonly failed: string | undefined },
  at: At,
): Decision {
  const { phase, work } = state;
  const next: PodWorkerState = {
    ...state,
    phase: phase.type === 'terminating' && failed === undefined ? { ...phase, stopTold: true } : phase,
    work: { ...work, stopping: Math.max(0, work.stopping - 1) },
  };
  if (failed === undefined) {
    const ended = seenEnded(next, touched);
    return ended === undefined ? look(next, { newerThan: at.monotonic, touched }) : goOn(ended, at);
  }
  // The next look decides whether it was stopped all the same.
  const event = { type: 'Warning', reason: 'FailedKillPod', message: `error killing pod: ${failed}` } as const;
  const again = look(next, { newerThan: at.monotonic + STOP_AGAIN_MS, afterMs: STOP_AGAIN_MS, touched });
  return { next: again.next, effects: [{ type: 'tell-event', event }, ...again.effects] };
}

/**
 * The state, where the runtime's events have told already that all containers have ended: none of them can begin again, and a
 * sandbox whose stop has succeeded is not ready, so that a newer look would say the same. Two calls less for each pod that
 * goes. Undefined: something may still run, or is not known.
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
  return stoppedNow.size > 0 || holdsSomething(status) ? undefined : { ...state, observed: { ...seen, status } };
}

export function removed(
  state: PodWorkerState,
  { what, failed }: Extract<PodWorkerCommand, { type: 'removed' }>,
  at: At,
): Decision {
  const next = { ...state, work: { ...state.work, removing: false } };
  if (what === 'dead') {
    // Whatever was not removed is found again at the next occasion. A pod that has ended meanwhile has waited for this.
    return state.phase.type === 'terminated' ? goOn(next, at) : { next, effects: [] };
  }
  if (failed !== undefined) return look(next, { newerThan: at.monotonic + STOP_AGAIN_MS, afterMs: STOP_AGAIN_MS });
  const last = toldLast(next, at);
  return { next: last.next, effects: [...last.effects, { type: 'report-terminated', removed: true }] };
}

export function runtimeChanged(
  state: PodWorkerState,
  { health }: Extract<PodWorkerCommand, { type: 'runtime-health-changed' }>,
  at: At,
): Decision {
  if (health.state !== 'up') return { next: state, effects: [] };
  const { name, networkNotReady } = health.runtime;
  // What failed while the runtime was away is worth another try now.
  const memory = { ...state.memory, podFailure: undefined };
  return goOn({ ...state, runtimeName: name, networkNotReady, memory }, at);
}

/** Nothing is left that could say more: what has not ended by now is lost. */
function toldLast(state: PodWorkerState, at: At): Decision {
  const { phase, status } = state;
  const pod = phase.type === 'terminated' ? phase.target.pod : undefined;
  if (pod === undefined || status === undefined) return { next: state, effects: [] };
  return told(state, pod, { status: terminateStatus(pod, status), at });
}
