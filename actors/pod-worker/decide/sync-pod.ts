import { later, type MonotonicMs } from '../../../src/actor/clock.ts';
import type { ContainerId } from '../../../src/kube/ids.ts';
import type { Pod, PodStatus } from '../../../src/kube/pod.ts';
import { activeDeadline, isTerminalPhase } from '../../../src/pod/status/api-status.ts';
import { isIdle } from '../../../src/pod/sync/pod-actions.ts';
import { surplusOf } from '../../../src/pod/sync/replaced-containers.ts';
import { nextRestarts } from '../../../src/pod/sync/restart-count-floor.ts';
import type { RuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';
import type { Decision, Effect, Moment, NodeSettings, PodMemory, PodWorkerState } from '../worker-state.ts';
import { allowedActions } from './allowed-actions.ts';
import { withExits } from './container-exits.ts';
import { deadlineWhileActing } from './overdue-deadline.ts';
import { statusOf, reportStatus, progressReport, withheld } from './reported-status.ts';
import { completed, resizeDueAt, shownSince } from './resizing.ts';

type At = Moment & NodeSettings;

/** A container's waiting reason is shown this long after its cause: an exit is visible before its back-off. */
const EXIT_SHOWN_MS = 250;

/** On the whole second: syncing pods of a thread together costs half of syncing each alone. */
const RESYNC_STEP_MS = 1_000;

/** Once in 1 to 1.5 times `syncFrequency`, however little happens. Monotonic, in milliseconds. */
const resyncAt = ({ monotonic, syncFrequencyMs, chance }: At): MonotonicMs =>
  Math.ceil((monotonic + syncFrequencyMs * (1 + chance / 2)) / RESYNC_STEP_MS) * RESYNC_STEP_MS;

/** Compares the wanted state with the observed one. `undefined` when the pod has ended by itself. */
export function syncStep(before: PodWorkerState, pod: Pod, at: At): Decision | undefined {
  const state = withExits(before, at);
  if (state.work.acting || state.observed === undefined) {
    const meanwhile = progressReport(withheld(statusOf(state, pod, { at }), state.status), state.status);
    const step =
      meanwhile === undefined ? { next: state, effects: [] } : reportStatus(state, pod, { status: meanwhile, at });
    return state.work.acting
      ? { ...step, effects: [...step.effects, ...deadlineWhileActing(pod, state.status, at)] }
      : step;
  }
  const runtime = state.observed.status;
  const { actions, memory, advances, until, events } = allowedActions(state, { pod, runtime, at });
  const status = statusOf(state, pod, { at });
  if (isTerminalPhase(status.phase)) return undefined;
  // A pod that starts again without any status is reported with its new sandbox: remains of the old sandbox are no
  // news.
  const isUnreported = state.status === undefined && pod.status?.containerStatuses === undefined;
  const startsOver = isUnreported && actions.createSandbox && actions.sandboxId !== undefined;
  const formerLife = startsOver ? new Set(runtime.containers.map(({ id }) => id)) : state.formerLife;
  const known: PodWorkerState = { ...state, memory, formerLife };
  const step = trimmed(
    startsOver ? { next: known, effects: [] } : reportStatus(known, pod, { status, at }),
    runtime,
    at,
  );
  const next = shownSince(state, step.next, at.monotonic);
  const effects: readonly Effect[] = [
    ...step.effects,
    ...completed(state.status, next.status ?? status, pod),
    ...events.map((event) => ({ type: 'tell-event', event }) as const),
  ];
  const unfinishedHook = hookToResume(next, pod);
  if (isIdle(actions) && unfinishedHook === undefined) {
    const resync = resyncAt(at);
    const deadline = at.monotonic + (activeDeadline(pod, next.status ?? status) ?? Number.POSITIVE_INFINITY) - at.now;
    const hasMore = !sameReasons(state.memory, memory) || awaitsReadiness(next.status ?? status, pod);
    const shownAt = hasMore ? later(at.monotonic, EXIT_SHOWN_MS) : resync;
    const dueAt = resizeDueAt(state, pod, at.monotonic);
    const resizeAt = dueAt > at.monotonic ? dueAt : resync;
    return {
      next,
      effects: [...effects, { type: 'sync-at', at: Math.min(until, resync, deadline, shownAt, resizeAt) }],
    };
  }
  return {
    next: { ...next, advances, decidedOn: runtime, work: { ...next.work, acting: true } },
    effects: [
      ...effects,
      ...deadlineWhileActing(pod, next.status ?? status, at),
      {
        type: 'act',
        pod,
        runtime,
        actions,
        memory,
        unfinishedHook,
        restarts: nextRestarts(next.status),
        observedAt: state.observed.observedAt,
        resizing: next.resizing,
      },
    ],
  };
}

/** A dropped reason stays visible until the next try has a result. */
const sameReasons = (before: PodMemory, { failures }: PodMemory): boolean =>
  [...failures].every(([name, { reason, message }]) => {
    const known = before.failures.get(name);
    return known?.reason === reason && known.message === message;
  });

/** A container has started and is not reported as ready yet, although it has no readiness probe. */
const awaitsReadiness = ({ containerStatuses = [], initContainerStatuses = [] }: PodStatus, { spec }: Pod): boolean =>
  [...containerStatuses, ...initContainerStatuses].some(({ name, started, ready, state }) => {
    if (state?.running === undefined || started !== true || ready) return false;
    const container = [...spec.containers, ...(spec.initContainers ?? [])].find((each) => each.name === name);
    return container?.startupProbe !== undefined && container.readinessProbe === undefined;
  });

function hookToResume({ unfinishedHook, observed }: PodWorkerState, { spec }: Pod): ContainerId | undefined {
  const running = observed?.status.containers.find(({ id, state }) => id === unfinishedHook && state === 'running');
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  const container = all.find(({ name }) => name === running?.name);
  return container?.lifecycle?.postStart === undefined ? undefined : running?.id;
}

/**
 * Keeps the newest dead instance of each container, or as many as this node keeps: its exit and its log remain
 * readable.
 */
export function trimmed(
  { next, effects }: Decision,
  runtime: RuntimePodStatus,
  { deadContainersKept }: Pick<NodeSettings, 'deadContainersKept'>,
): Decision {
  if (next.work.removing) return { next, effects };
  const surplus = surplusOf(runtime, {
    formerLife: next.formerLife,
    ...(deadContainersKept !== undefined && { keep: deadContainersKept }),
  });
  if (surplus.containers.length + surplus.sandboxes.length === 0) return { next, effects };
  return {
    next: { ...next, work: { ...next.work, removing: true } },
    effects: [...effects, { type: 'remove-dead', ...surplus }],
  };
}
