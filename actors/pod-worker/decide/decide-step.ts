import { assertNever } from '../../../src/kube/text/assert-never.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { isPastDeadline, isTerminalPhase } from '../../../src/pod/status/api-status.ts';
import { evictedStatus } from '../../../src/pod/status/evicted-status.ts';
import { podGracePeriod } from '../../../src/pod/sync/grace-period.ts';
import { terminateStatus } from '../../../src/pod/status/terminate-status.ts';
import { holdsAnything } from './has-containers.ts';
import { hasVolumes } from '../../../src/pod/values/has-volumes.ts';
import type { Decision, Effect, Moment, NodeSettings, PodWorkerState, Terminating } from '../worker-state.ts';
import { syncStep, trimmed } from './sync-pod.ts';
import { statusOf, reportStatus, progressReport, withAddressesOf, withheld } from './reported-status.ts';

type At = Moment & NodeSettings;

/**
 * Decides the next step of a pod whose state is known well enough. Each step is taken once: effects under way are
 * awaited.
 */
export function nextStep(state: PodWorkerState, at: At): Decision {
  const { phase } = state;
  switch (phase.type) {
    case 'waiting-for-pod':
      return { next: state, effects: [] };
    case 'syncing': {
      const { pod } = phase;
      const synced = syncStep(state, pod, at);
      if (synced !== undefined) return synced;
      const { name, namespace } = pod.metadata;
      const { seconds } = podGracePeriod({ pod, stored: undefined });
      const ending = terminatingStep(state, { pod, name, namespace, graceSeconds: seconds, wanted: 'ended' }, at);
      if (!isPastDeadline({ pod, now: at.now }, state.status ?? {})) return ending;
      return { next: ending.next, effects: [DEADLINE_EXCEEDED, ...ending.effects] };
    }
    case 'terminating':
      return terminatingStep(state, phase.target, at);
    case 'terminated':
      return terminatedStep(state, phase.target, at);
    default:
      return assertNever(phase, 'pod phase');
  }
}

const DEADLINE_EXCEEDED: Effect = {
  type: 'tell-event',
  event: {
    type: 'Normal',
    reason: 'DeadlineExceeded',
    message: 'Pod was active on the node longer than the specified deadline',
  },
};

/** A new pod is shown as pending before it was observed. A pod with a history keeps its last status. */
export function publishUnseen(state: PodWorkerState, at: At): Decision {
  return state.isNew && state.status === undefined ? publishProgress(state, at) : { next: state, effects: [] };
}

/** Publishes the noteworthy results of actions still under way. */
export function publishProgress(state: PodWorkerState, at: At): Decision {
  const { phase } = state;
  if (phase.type !== 'syncing') return { next: state, effects: [] };
  const status = withheld(statusOf(state, phase.pod, { at }), state.status);
  return reportStatus(state, phase.pod, { status: withAddressesOf(state.status, status), at });
}

function terminatingStep(before: PodWorkerState, target: Terminating, at: At): Decision {
  const stopRequested = before.phase.type === 'terminating' && before.phase.stopRequested;
  const state: PodWorkerState = { ...before, phase: { type: 'terminating', target, stopRequested } };
  const { work, observed } = state;
  const isBusy = work.acting || work.stopping > 0;
  if (isBusy || observed === undefined) return reportWhileTerminating(state, target, { at, isBusy });
  const runtime = observed.status;
  if (holdsAnything(runtime) || (!stopRequested && runtime.sandboxes.length > 0)) {
    const { next, effects } = reportWhileTerminating(state, target, { at, isBusy });
    return {
      next: { ...next, work: { ...work, stopping: work.stopping + 1 } },
      effects: [...effects, { type: 'stop-pod', target, runtime }],
    };
  }
  if (target.wantedAgain === true) return leaveDead(state, target);
  const ended = terminatedStep({ ...state, phase: { type: 'terminated', target } }, target, at);
  // Once only: an ended pod stays visible, with its newest containers.
  const over = target.wanted === 'ended' ? trimmed(ended, runtime, at) : ended;
  const unmount: readonly Effect[] =
    target.pod !== undefined && hasVolumes(target.pod) ? [{ type: 'unmount-volumes', pod: target.pod }] : [];
  const report: readonly Effect[] =
    target.wanted === 'ended' ? [...unmount, { type: 'report-terminated', removed: false }] : [];
  return { next: over.next, effects: [...over.effects, ...report] };
}

/** The pod's next worker finds the ended containers. Volumes do not stay: the pod starts with new ones. */
function leaveDead(state: PodWorkerState, target: Terminating): Decision {
  const { work } = state;
  if (target.pod === undefined || !hasVolumes(target.pod)) return { next: state, effects: [LEFT_DEAD] };
  if (work.removing) return { next: state, effects: [] };
  return {
    next: { ...state, work: { ...work, removing: true } },
    effects: [{ type: 'remove-volumes' }],
  };
}

export const LEFT_DEAD: Effect = { type: 'report-terminated', removed: true, left: 'dead' };

function reportWhileTerminating(
  state: PodWorkerState,
  { pod }: Terminating,
  { at, isBusy }: { readonly at: At; readonly isBusy: boolean },
): Decision {
  if (pod === undefined) return { next: state, effects: [] };
  const status = statusOf(state, pod, { at });
  // The pod ended under an earlier agent whose status is lost. Showing it as pending until its stop is certain would
  // take that status back.
  if (!state.isNew && state.status === undefined && isTerminalPhase(status.phase)) return { next: state, effects: [] };
  const shown = withheld(status, state.status);
  const meanwhile = isBusy ? progressReport(shown, state.status) : shown;
  return meanwhile === undefined ? { next: state, effects: [] } : reportStatus(state, pod, { status: meanwhile, at });
}

function terminatedStep(state: PodWorkerState, target: Terminating, at: At): Decision {
  const { pod } = target;
  const { next, effects } =
    pod === undefined ? { next: state, effects: [] } : reportTerminated(state, { pod, target }, at);
  const { work, observed } = next;
  if (target.wanted === 'ended' || work.removing || observed === undefined) return { next, effects };
  return {
    next: { ...next, work: { ...work, removing: true } },
    effects: [...effects, { type: 'remove-pod', target, runtime: observed.status }],
  };
}

/**
 * Reports how everything of the pod ended. Containers of a removed pod whose end was never observed are reported as
 * lost once the pod is gone.
 */
function reportTerminated(
  state: PodWorkerState,
  { pod, target }: { readonly pod: Pod; readonly target: Terminating },
  at: At,
): Decision {
  const { wanted, ending } = target;
  const over = statusOf(state, pod, { at, over: true });
  const status = wanted === 'ended' ? terminateStatus(pod, over) : over;
  return reportStatus(state, pod, { status: ending === undefined ? status : evictedStatus(pod, status, ending), at });
}
