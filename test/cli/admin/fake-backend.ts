import type { AdminBackend } from '../../../src/cli/admin/admin-backend.ts';
import type { Pod } from '../../../src/kube/pod.ts';

/** A pod with just a name. */
export const namedPod = (name: string, more: Partial<Pod> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: `uid-${name}` },
  spec: { containers: [{ name: 'main' }] },
  ...more,
});

/** Knows one pod, one actor and one thread. */
export const fakeBackend = (more: Partial<AdminBackend> = {}): AdminBackend => ({
  pods: async () => [namedPod('web')],
  threads: async () => [],
  metrics: async () => 'up 1\n',
  runtime: async () => ({ name: 'fake', version: '1', state: 'up' }),
  trace: async (_namespace, name) => (name === 'web' ? { podUid: 'uid-web', steps: [] } : undefined),
  applyFaults: async () => ({ ok: true, id: 1, rules: 1, endsInMs: 600_000 }),
  listFaults: async () => [],
  clearFaults: async () => 0,
  crashActor: async (address) => address === 'pleg',
  provokeThread: async (name) => name === 'pods-0',
  ...more,
});
