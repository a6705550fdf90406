import type { Pod } from '../../src/kube/pod.ts';
import { MINIMUM_STOP_SECONDS, podGracePeriod } from '../../src/pod/grace-period.ts';
import type { Decision, PodWorkerState, Terminating } from './state.ts';

/** The pod is wanted, as given. What is going away already goes on going. */
export function wantPod(state: PodWorkerState, pod: Pod): PodWorkerState {
  switch (state.phase.type) {
    case 'waiting-for-pod':
    case 'syncing': {
      // Another definition may cure what failed; what is remembered by image or container stays.
      const memory = { ...state.memory, failures: new Map(), podFailure: undefined };
      return { ...state, phase: { type: 'syncing', pod }, memory };
    }
    case 'terminating':
    case 'terminated':
      return state;
  }
}

/** The pod is to go. */
export function terminate(state: PodWorkerState, asked: number | undefined): Decision {
  const { phase } = state;
  switch (phase.type) {
    case 'waiting-for-pod':
      return { next: state, effects: [] };
    case 'syncing': {
      const { pod } = phase;
      const { seconds } = podGracePeriod({
        pod,
        stored: undefined,
        ...(asked === undefined ? {} : { override: asked }),
      });
      const target: Terminating = { pod, ...named(pod), graceSeconds: seconds, wanted: 'gone' };
      return {
        next: { ...state, phase: { type: 'terminating', target } },
        effects: state.work.acting ? [{ type: 'cancel-acting' }] : [],
      };
    }
    case 'terminating':
    case 'terminated': {
      const graceSeconds =
        asked === undefined ? phase.target.graceSeconds : Math.min(phase.target.graceSeconds, Math.max(asked, 1));
      const shortened = graceSeconds < phase.target.graceSeconds;
      const target: Terminating = { ...phase.target, graceSeconds, wanted: 'gone' };
      const next: PodWorkerState = { ...state, phase: { type: phase.type, target } };
      const runtime = state.observed?.status;
      if (phase.type === 'terminating' && shortened && state.work.stopping > 0 && runtime !== undefined) {
        return {
          next: { ...next, work: { ...state.work, stopping: state.work.stopping + 1 } },
          effects: [{ type: 'stop-pod', target, runtime }],
        };
      }
      return { next, effects: [] };
    }
  }
}

const named = (pod: Pod) => ({ name: pod.metadata.name, namespace: pod.metadata.namespace });

/** A pod that only the runtime knows. */
export const runtimeOnly = ({ name, namespace }: { name: string; namespace: string }): Terminating => ({
  pod: undefined,
  name,
  namespace,
  graceSeconds: MINIMUM_STOP_SECONDS,
  wanted: 'gone',
});
