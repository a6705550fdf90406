import type { RuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';

/** Returns `true` if anything of the pod may still run, or hold an address. */
export const holdsAnything = ({ sandboxes, containers }: RuntimePodStatus): boolean =>
  sandboxes.some(({ state }) => state === 'ready') ||
  containers.some(({ state }) => state === 'running' || state === 'unknown');
