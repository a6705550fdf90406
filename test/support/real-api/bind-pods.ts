import { systemClock } from '../../../src/actor/clock.ts';
import type { ApiTransport } from '../../../src/api/api-transport.ts';

interface Named {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const LOOK_EVERY_MS = 200;
const CALL_MS = 5_000;

/** Replaces a scheduler: binds every pod without a node to the first ready node. The returned function ends it. */
export function bindPods(api: ApiTransport): () => Promise<void> {
  const end = new AbortController();
  const list = async (path: string): Promise<readonly Named[]> => {
    const outcome = await api.call({ verb: 'list', path, priority: 'object' }, CALL_MS);
    return outcome.ok ? (outcome.value as { readonly items: readonly Named[] }).items : [];
  };
  const look = async (): Promise<void> => {
    const pods = await list('/api/v1/pods?fieldSelector=spec.nodeName%3D');
    if (pods.length === 0) return;
    const node = (await list('/api/v1/nodes')).find(({ status }) =>
      status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    );
    if (node === undefined) return;
    for (const { metadata } of pods) {
      const target = { apiVersion: 'v1', kind: 'Node', name: node.metadata.name };
      const body = { apiVersion: 'v1', kind: 'Binding', metadata, target };
      const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}/binding`;
      // Another client that bound or deleted the pod first is right.
      await api.call({ verb: 'create', path, body, priority: 'object' }, CALL_MS);
    }
  };
  const run = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await look();
      await new Promise<void>((resolve) => systemClock.after(LOOK_EVERY_MS, resolve));
    }
  };
  const running = run();
  return async () => {
    end.abort();
    await running;
  };
}
