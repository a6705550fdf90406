import { assertNever } from '../../../src/kube/text/assert-never.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import type { PodPhase } from '../worker-state.ts';

/** Returns the worker's pod. `undefined` while it has none, and for a pod that only the runtime knows. */
export function podOf(phase: PodPhase): Pod | undefined {
  switch (phase.type) {
    case 'waiting-for-pod':
      return undefined;
    case 'syncing':
      return phase.pod;
    case 'terminating':
    case 'terminated':
      return phase.target.pod;
    default:
      return assertNever(phase, 'pod phase');
  }
}

/** Returns the name of the worker's pod; empty while it has none. */
export function namesOf(phase: PodPhase): { readonly name: string; readonly namespace: string } {
  if (phase.type === 'waiting-for-pod') return { name: '', namespace: '' };
  const { name, namespace } = phase.type === 'syncing' ? phase.pod.metadata : phase.target;
  return { name, namespace };
}
