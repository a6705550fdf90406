import type { WallMs } from '../../../src/actor/clock.ts';
import { assertNever } from '../../../src/kube/text/assert-never.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { isStaticPod } from '../../../src/kube/manifest/static-pod.ts';
import { isTerminalPhase } from '../../../src/pod/status/api-status.ts';
import { continuing } from '../../../src/pod/status/earlier-status.ts';
import { MINIMUM_STOP_SECONDS, podGracePeriod } from '../../../src/pod/sync/grace-period.ts';
import { hasVolumes } from '../../../src/pod/values/has-volumes.ts';
import type { PodWorkerProtocol } from '../protocol.ts';
import type { Decision, Effect, PodWorkerState, Terminating } from '../worker-state.ts';

/** The pod is wanted as given. A pod that is being removed continues to be removed. */
export function wantPod(state: PodWorkerState, pod: Pod, now: WallMs): Decision {
  switch (state.phase.type) {
    case 'waiting-for-pod':
    case 'syncing': {
      if (pod.metadata.deletionTimestamp !== undefined) return deleted(state, pod, now);
      // A new spec may cure the failures: the container is tried at once, and the failure stays visible until the
      // result.
      const failures = new Map(
        [...state.memory.failures].map(([name, failure]) => [name, { ...failure, until: undefined }]),
      );
      const memory = { ...state.memory, failures, podFailure: undefined };
      const wanted: Decision = {
        next: { ...state, phase: { type: 'syncing', pod }, memory },
        // A new pod requests its volumes when it starts. A pod already present continues with its volumes.
        effects: state.isNew && state.phase.type === 'waiting-for-pod' ? [] : wantVolumes(pod),
      };
      const earlyTermination = state.phase.type === 'waiting-for-pod' ? state.phase.earlyTermination : undefined;
      if (earlyTermination === undefined) return wanted;
      const { next, effects } = terminate(wanted.next, earlyTermination.asked);
      return { next, effects: [...wanted.effects, ...effects] };
    }
    case 'terminating':
    case 'terminated':
      // Deleted again with a shorter grace period, or deleted after it had ended by itself.
      if (pod.metadata.deletionTimestamp === undefined) return { next: wantedAgain(state, pod), effects: [] };
      return terminate(state, pod.metadata.deletionGracePeriodSeconds);
    default:
      return assertNever(state.phase, 'pod phase');
  }
}

/** A static pod whose file is back. */
function wantedAgain(state: PodWorkerState, pod: Pod): PodWorkerState {
  const { phase } = state;
  if (phase.type !== 'terminating' || phase.target.wanted !== 'gone' || !isStaticPod(pod)) return state;
  return { ...state, phase: { ...phase, target: { ...phase.target, wantedAgain: true } } };
}

/** The node ends the pod. A pod that is already being removed ends sooner. The last reason counts. */
export function evict(
  state: PodWorkerState,
  { gracePeriodSeconds, ending }: Extract<PodWorkerProtocol['command'], { type: 'evict-pod' }>,
): Decision {
  // Every request gets the notice, even if it was sent before.
  if (state.phase.type === 'terminated')
    return { next: state, effects: [{ type: 'report-terminated', removed: false }] };
  const wasWanted = state.phase.type === 'syncing' ? 'ended' : undefined;
  const { next, effects } = terminate(state, gracePeriodSeconds);
  if (next.phase.type !== 'terminating') return { next, effects };
  const { target } = next.phase;
  const before = state.phase.type === 'terminating' ? state.phase.target.wanted : 'gone';
  const ended: Terminating = { ...target, wanted: wasWanted ?? before, ending };
  return { next: { ...next, phase: { ...next.phase, target: ended } }, effects };
}

/** The pod is being deleted in the API. Nothing it still waits for delays that, and nothing more begins. */
function deleted(state: PodWorkerState, pod: Pod, now: WallMs): Decision {
  const { seconds } = podGracePeriod({ pod, stored: undefined });
  const left = state.phase.type === 'waiting-for-pod' && !state.isNew ? secondsLeft(pod, now) : seconds;
  const target: Terminating = { pod, ...named(pod), graceSeconds: Math.min(seconds, left), wanted: 'gone' };
  return {
    next: { ...state, phase: { type: 'terminating', target, stopRequested: false } },
    effects: state.work.acting ? [{ type: 'cancel-acting' }] : [],
  };
}

/** A later worker continues the grace period that has begun: its deadline is the deletion timestamp. */
function secondsLeft({ metadata }: Pod, now: WallMs): number {
  const deadline = Date.parse(metadata.deletionTimestamp ?? '');
  return Number.isNaN(deadline) ? Number.POSITIVE_INFINITY : Math.max(1, Math.ceil((deadline - now) / 1_000));
}

/**
 * Another client has set the pod's readiness, or ended the pod: then the pod is stopped and stays visible. Failures and
 * back-offs do not change.
 */
export function reconcile(state: PodWorkerState, pod: Pod): Decision {
  if (state.phase.type !== 'syncing') return { next: state, effects: [] };
  if (!isTerminalPhase(pod.status?.phase)) return { next: withEarlierStatus(state, pod), effects: [] };
  const { next, effects } = terminate({ ...state, phase: { type: 'syncing', pod } }, undefined);
  if (next.phase.type !== 'terminating') return { next, effects };
  const target: Terminating = { ...next.phase.target, wanted: 'ended' };
  return { next: { ...next, phase: { ...next.phase, target } }, effects };
}

/**
 * The mirror pod holds the status that an earlier agent gave a static pod. It may become known only after this agent has
 * reported the pod.
 */
function withEarlierStatus(state: PodWorkerState, pod: Pod): PodWorkerState {
  const next: PodWorkerState = { ...state, phase: { type: 'syncing', pod } };
  if (!isStaticPod(pod) || pod.status === undefined || state.status === undefined) return next;
  const status = continuing(state.status, pod.status);
  return status === state.status ? next : { ...next, status, reportDue: true };
}

/** The pod is to be removed. */
export function terminate(state: PodWorkerState, asked: number | undefined): Decision {
  const { phase } = state;
  switch (phase.type) {
    case 'waiting-for-pod': {
      const before = phase.earlyTermination?.asked;
      const shortest = asked === undefined || before === undefined ? (asked ?? before) : Math.min(asked, before);
      return {
        next: { ...state, phase: { type: 'waiting-for-pod', earlyTermination: { asked: shortest } } },
        effects: [],
      };
    }
    case 'syncing': {
      const { pod } = phase;
      const { seconds } = podGracePeriod({
        pod,
        stored: undefined,
        ...(asked === undefined ? {} : { override: asked }),
      });
      const target: Terminating = { pod, ...named(pod), graceSeconds: seconds, wanted: 'gone' };
      return {
        next: { ...state, phase: { type: 'terminating', target, stopRequested: false } },
        effects: state.work.acting ? [{ type: 'cancel-acting' }] : [],
      };
    }
    case 'terminating':
    case 'terminated': {
      const graceSeconds =
        asked === undefined ? phase.target.graceSeconds : Math.min(phase.target.graceSeconds, Math.max(asked, 1));
      const shortened = graceSeconds < phase.target.graceSeconds;
      const target: Terminating = { ...phase.target, graceSeconds, wanted: 'gone' };
      const next: PodWorkerState = { ...state, phase: { ...phase, target } };
      const runtime = state.observed?.status;
      if (phase.type === 'terminating' && shortened && state.work.stopping > 0 && runtime !== undefined) {
        return {
          next: { ...next, work: { ...state.work, stopping: state.work.stopping + 1 } },
          effects: [{ type: 'stop-pod', target, runtime }],
        };
      }
      return { next, effects: [] };
    }
    default:
      return assertNever(phase, 'pod phase');
  }
}

const named = (pod: Pod) => ({ name: pod.metadata.name, namespace: pod.metadata.namespace });

/**
 * What the runtime holds of a pod is to be removed. A worker that knows the pod removes it as that pod. Other workers
 * use only the runtime's data.
 */
export function terminateRuntimePod(state: PodWorkerState, pod: { name: string; namespace: string }): Decision {
  if (state.phase.type !== 'waiting-for-pod') return terminate(state, undefined);
  const phase = { type: 'terminating', target: runtimeOnly(pod), stopRequested: false } as const;
  return { next: { ...state, phase, statusKnown: true }, effects: [] };
}

const runtimeOnly = ({ name, namespace }: { name: string; namespace: string }): Terminating => ({
  pod: undefined,
  name,
  namespace,
  graceSeconds: MINIMUM_STOP_SECONDS,
  wanted: 'gone',
});

/** Requests the pod's volumes again, if it has any. */
export const wantVolumes = (pod: Pod): readonly Effect[] => (hasVolumes(pod) ? [{ type: 'want-volumes', pod }] : []);
