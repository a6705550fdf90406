import { describe, expect, it } from 'vitest';
import { withMetadata } from '../../../src/embedded/apiserver/store/api-object.ts';
import type { PodStatus } from '../../../src/kube/pod.ts';
import { running, statusInApi } from './status-in-api.ts';

const status: PodStatus = { ...running, hostIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] };
/** The error of a server before v1.29, which cannot merge an unknown list. */
const unknownField = {
  kind: 'refused',
  code: 500,
  reason: 'InternalError',
  message: 'unable to find api field in struct PodStatus for the json field "hostIPs"',
} as const;

describe('an API server that is older than the agent', () => {
  it('gets every status without the unknown field, at once and for every pod', async () => {
    const { bound, say, faults, read, calls, pass, logged } = await statusInApi();
    await bound('a');
    await bound('b');
    faults.next = ({ body }) => (JSON.stringify(body).includes('hostIPs') ? unknownField : undefined);
    await say('a', status);
    await pass(1_000);
    expect((await read('a')).status).toMatchObject({ phase: 'Running', podIP: '10.0.0.7' });
    expect(calls).toHaveLength(2);
    expect(logged.filter((line) => line.includes('older'))).toEqual([
      'warn: the API server is older than this agent and does not know this field; dropping it from the status of every pod',
    ]);
    await say('b', status);
    await pass(60_000);
    expect((await read('b')).status?.phase).toBe('Running');
    expect(calls).toHaveLength(3);
  });

  it('does not get a dropped field again, but gets changes', async () => {
    const { bound, say, server, calls, seen, pass, read } = await statusInApi();
    await bound('a');
    // The server accepts the field, and drops it.
    const { store } = server.core;
    const put = store.put.bind(store);
    store.put = (storedAs, object) => {
      const { hostIPs: _, ...kept } = (object.status ?? {}) as PodStatus;
      return put(storedAs, storedAs === 'pods' ? { ...object, status: kept } : object);
    };
    await say('a', status);
    await pass(60_000);
    await seen('a');
    await pass(60_000);
    expect(calls).toHaveLength(1);
    await say('a', { ...status, podIP: '10.0.0.8' });
    await pass(60_000);
    expect(calls).toHaveLength(2);
    // Another client has written the object, so its content is unknown.
    store.put('pods', withMetadata(store.collection('pods').get('default/a') ?? never(), { labels: { x: 'y' } }));
    await seen('a');
    await pass(60_000);
    expect(calls).toHaveLength(3);
    expect((await read('a')).status?.podIP).toBe('10.0.0.8');
  });

  it('can still delete a pod', async () => {
    const { bound, finish, server, seen, verbs, pass } = await statusInApi();
    await bound('a');
    const { store } = server.core;
    const put = store.put.bind(store);
    store.put = (storedAs, object) => {
      const { hostIPs: _, ...kept } = (object.status ?? {}) as PodStatus;
      return put(storedAs, storedAs === 'pods' ? { ...object, status: kept } : object);
    };
    await server.api.delete('/api/v1/namespaces/default/pods/a', {});
    await seen('a');
    await finish('a', { ...status, phase: 'Succeeded' });
    await pass(60_000);
    expect(verbs()).toEqual(['patch a/status', 'delete a']);
  });
});

function never(): never {
  throw new Error('there is no such pod');
}
