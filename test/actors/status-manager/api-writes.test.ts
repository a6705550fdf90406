import { describe, expect, it } from 'vitest';
import { apiPodView } from '../../../src/pod/source/api-pod-view.ts';
import { podUid, type PodUid } from '../../../src/kube/ids.ts';
import type { PodStatus } from '../../../src/kube/pod.ts';
import { aPod, done, podsOf } from '../../embedded/apiserver/api-under-test.ts';
import { condition, pending, running, statusInApi, succeeded } from './status-in-api.ts';

const AWAY = { kind: 'unreachable', message: 'connection refused' } as const;
const refused = (code: number, reason: string) => ({ kind: 'refused', code, reason, message: reason }) as const;

describe('the status of a pod in the API', () => {
  it('is the newest status, written once', async () => {
    const { bound, say, read, pass, verbs, calls, seen } = await statusInApi();
    const uid = await bound('a');
    await say('a', pending);
    await say('a', running);
    await pass(60_000);
    expect(verbs()).toEqual(['patch a/status']);
    expect(calls[0]).toMatchObject({ priority: 'status', patchType: 'strategic-merge', body: { metadata: { uid } } });
    const { status } = await read('a');
    expect(status).toMatchObject({ phase: 'Running', podIP: '10.0.0.7', containerStatuses: running.containerStatuses });
    await seen('a');
    await say('a', { ...running });
    await pass(60_000);
    expect(verbs()).toHaveLength(1);
  });

  it('is written at once when readiness or the phase changes, and soon otherwise', async () => {
    const { bound, say, verbs, pass } = await statusInApi();
    await bound('a');
    await say('a', pending);
    expect(verbs()).toEqual([]);
    await pass(200);
    expect(verbs()).toHaveLength(1);
    await say('a', running);
    expect(verbs()).toHaveLength(2);
  });

  it.each([
    { what: 'the end of the pod', was: 'ContainersNotReady', reason: 'PodFailed', sandbox: ['True', 'True'] as const },
    {
      what: 'the loss of the sandbox',
      was: 'ContainersNotReady',
      reason: 'ContainersNotReady',
      sandbox: ['True', 'False'] as const,
    },
  ])('is written at once for a pod that was not ready: $what', async ({ was, reason, sandbox }) => {
    const { bound, say, verbs, pass } = await statusInApi();
    await bound('a');
    const unready = (why: string, is: 'True' | 'False') => ({
      ...pending,
      conditions: [condition('PodReadyToStartContainers', is), condition('Ready', 'False', { reason: why })],
    });
    await say('a', unready(was, sandbox[0]));
    await pass(200);
    await say('a', unready(reason, sandbox[1]));
    expect(verbs()).toHaveLength(2);
  });

  it('is not written to another pod of the same name, and that rejection is not logged', async () => {
    const { bound, say, server, read, verbs, pass, logged } = await statusInApi();
    await bound('a');
    await done(server.api.delete(`${podsOf()}/a`, { gracePeriodSeconds: 0 }));
    await done(server.api.create(podsOf(), aPod('a', { spec: { nodeName: 'n1' } })));
    await say('a', running);
    await pass(60_000);
    expect(verbs()).toEqual(['patch a/status', 'get a']);
    expect((await read('a')).status?.phase).toBe('Pending');
    expect(logged.filter((line) => line.startsWith('warn'))).toEqual([]);
  });

  it('is sent as a patch of the changes only', async () => {
    const { bound, say, calls, pass } = await statusInApi();
    await bound('a');
    await say('a', running);
    await say('a', {
      ...running,
      conditions: [
        condition('PodScheduled', 'True'),
        condition('Ready', 'False', { reason: 'ContainersNotReady', lastTransitionTime: '2026-05-01T12:30:00Z' }),
      ],
    });
    await pass(1_000);
    expect(calls[1]?.body).toMatchObject({
      status: {
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason: 'ContainersNotReady',
            lastTransitionTime: '2026-05-01T12:30:00Z',
          },
        ],
      },
    });
    expect(Object.keys((calls[1]?.body as { status: object } | undefined)?.status ?? {})).toEqual(['conditions']);
  });

  it('leaves the conditions of others alone', async () => {
    const { bound, say, read, server, pass, seen, calls } = await statusInApi();
    await bound('a');
    await say('a', running);
    const gate = { status: { conditions: [{ type: 'example.test/gate', status: 'True' }] } };
    await done(server.api.patch(`${podsOf()}/a/status`, { type: 'strategic-merge', body: gate }));
    await say('a', succeeded);
    await seen('a');
    await pass(60_000);
    const types = ((await read('a')).status?.conditions ?? []).map(({ type }) => type);
    expect(types).toContain('example.test/gate');
    expect(types).toContain('Ready');
    expect(calls).toHaveLength(2);
  });

  it('is corrected ten seconds after another client has changed it', async () => {
    const { bound, say, read, server, pass, seen, verbs } = await statusInApi();
    await bound('a');
    await say('a', running);
    const wrong = { status: { podIP: '10.9.9.9', message: 'nonsense' } };
    await done(server.api.patch(`${podsOf()}/a/status`, { type: 'strategic-merge', body: wrong }));
    await seen('a');
    await pass(9_000);
    expect(verbs()).toHaveLength(1);
    await pass(1_000);
    expect(verbs()).toHaveLength(2);
    expect((await read('a')).status).toMatchObject({ podIP: '10.0.0.7' });
    expect((await read('a')).status?.message).toBeUndefined();
  });

  it('never comes back from a terminal phase', async () => {
    const { bound, say, read, pass, uidOf } = await statusInApi();
    await bound('a');
    await say('a', { ...succeeded, phase: 'Failed', reason: 'Evicted', message: 'node was low' });
    await pass(1_000);
    expect(uidOf.size).toBe(1);
    await say('a', succeeded);
    await pass(60_000);
    expect((await read('a')).status).toMatchObject({ phase: 'Failed', reason: 'Evicted', message: 'node was low' });
  });

  it('is not confused by an old object from the watch', async () => {
    const { bound, say, tell, read, pass, verbs } = await statusInApi();
    const uid = await bound('a');
    const old = apiPodView(await read('a'));
    await say('a', running);
    await tell({ type: 'api-pod-changed', podUid: podUid(uid), object: old });
    await pass(60_000);
    expect(verbs()).toHaveLength(1);
  });
});

describe('a status that cannot be written', () => {
  it('is written in its latest form within seconds after ten minutes without an API', async () => {
    const { bound, say, faults, pass, calls, read, figures } = await statusInApi();
    for (const name of ['a', 'b', 'c']) await bound(name);
    faults.next = () => AWAY;
    for (const name of ['a', 'b', 'c']) await say(name, pending);
    await pass(600_000);
    for (const name of ['a', 'b', 'c']) await say(name, running);
    expect(calls.length).toBeLessThan(200);
    faults.next = () => undefined;
    calls.length = 0;
    await pass(4_500);
    for (const name of ['a', 'b', 'c']) expect((await read(name)).status?.phase).toBe('Running');
    expect(calls).toHaveLength(3);
    expect((await figures()).waiting).toBe(0);
  });

  it("is compared with the API's status after a lost answer", async () => {
    const { bound, say, faults, pass, read, seen, verbs } = await statusInApi();
    await bound('a');
    faults.next = () => ({ kind: 'timed-out', message: 'no answer' });
    await say('a', running);
    faults.next = () => undefined;
    await pass(10_000);
    await seen('a');
    expect((await read('a')).status?.phase).toBe('Running');
    expect(verbs()).toHaveLength(2);
  });

  it('waits as long as the server asks for', async () => {
    const { bound, say, faults, pass, verbs } = await statusInApi();
    await bound('a');
    faults.next = () => ({ ...refused(429, 'TooManyRequests'), retryAfterMs: 3_000 });
    await say('a', running);
    faults.next = () => undefined;
    await pass(2_900);
    expect(verbs()).toHaveLength(1);
    await pass(200);
    expect(verbs()).toHaveLength(2);
  });

  it('is retried every ten seconds when it is rejected, without delaying other pods', async () => {
    const { bound, say, faults, pass, read, logged, calls } = await statusInApi();
    await bound('a');
    await bound('b');
    faults.next = ({ path }) => (path.includes('/a/') ? refused(422, 'Invalid') : undefined);
    await say('a', running);
    await say('b', running);
    expect((await read('b')).status?.phase).toBe('Running');
    expect(logged).toContain('warn: the API server rejects the status or deletion of a pod; retrying in 10 s');
    await pass(60_000);
    expect(calls.length).toBeLessThan(9);
    faults.next = () => undefined;
    await pass(10_000);
    expect((await read('a')).status?.phase).toBe('Running');
  });

  it('is a failing duty while statuses of other pods are written, until its pod is gone', async () => {
    const { bound, say, faults, pass, logged, tell } = await statusInApi();
    const uid = await bound('a');
    await bound('b');
    const lines = () => logged.filter((line) => /can(not)? write pod statuses/.test(line));
    faults.next = ({ path }) => (path.includes('/a/') ? refused(422, 'Invalid') : undefined);
    await say('a', running);
    for (const status of [pending, running, succeeded]) {
      await pass(5_000);
      await say('b', status);
    }
    expect(lines()).toEqual([expect.stringMatching(/^warn: cannot write pod statuses since 10s: Invalid;/)]);
    await tell({ type: 'forget-pod', podUid: podUid(uid) });
    expect(lines().slice(1)).toEqual([expect.stringMatching(/^info: can write pod statuses again/)]);
  });

  it('waits for the watch where the server does not let the node read the pod, as when the pod is gone', async () => {
    const { bound, say, seen, faults, pass, verbs, read, tell, logged } = await statusInApi();
    const uid = await bound('a');
    faults.next = ({ verb }) => (verb === 'get' ? refused(403, 'Forbidden') : refused(409, 'Conflict'));
    await say('a', running);
    await pass(25_000);
    expect(verbs()).toEqual(['patch a/status', 'get a', 'get a', 'get a']);
    expect(logged.filter((line) => line.startsWith('warn'))).toEqual([]);
    await tell({ type: 'api-pod-gone', podUid: podUid(uid), objectUid: uid });
    await pass(60_000);
    expect(verbs()).toHaveLength(4);
    faults.next = () => undefined;
    await seen('a');
    await pass(1_000);
    expect((await read('a')).status?.phase).toBe('Running');
  });

  it('is dropped when its pod does not exist, or has another UID', async () => {
    const { bound, say, server, pass, read, verbs } = await statusInApi();
    await bound('a');
    await done(server.api.delete(`${podsOf()}/a`, { gracePeriodSeconds: 0 }));
    await say('a', running);
    await pass(60_000);
    expect(verbs()).toEqual(['patch a/status']);
    const again = await statusInApi();
    await again.bound('a');
    await done(again.server.api.delete(`${podsOf()}/a`, { gracePeriodSeconds: 0 }));
    const old = again.uidOf.get('a') ?? '';
    await again.bound('a');
    again.uidOf.set('a', old);
    await again.say('a', running);
    await again.pass(60_000);
    expect((await again.read('a')).status?.phase).toBe('Pending');
    expect(await read('a').catch(() => 'gone')).toBe('gone');
  });
});

describe('a finished pod', () => {
  it('is deleted in the API only after its last status was written', async () => {
    const { bound, finish, say, server, seen, verbs, calls, pass, read } = await statusInApi();
    const uid = await bound('a');
    await say('a', running);
    await done(server.api.delete(`${podsOf()}/a`, { gracePeriodSeconds: 30 }));
    await seen('a');
    await pass(60_000);
    expect(verbs()).toEqual(['patch a/status']);
    await finish('a', succeeded);
    await pass(1_000);
    expect(verbs()).toEqual(['patch a/status', 'patch a/status', 'delete a']);
    expect(calls[2]?.body).toEqual({ gracePeriodSeconds: 0, preconditions: { uid } });
    expect(await read('a').catch(() => 'gone')).toBe('gone');
  });

  it('stays until a client deletes it', async () => {
    const { bound, finish, verbs, pass, read } = await statusInApi();
    await bound('a');
    await finish('a', succeeded);
    await pass(60_000);
    expect(verbs()).toEqual(['patch a/status']);
    expect((await read('a')).status?.phase).toBe('Succeeded');
  });

  it('is released once, even if a finalizer keeps it', async () => {
    const { bound, finish, server, seen, verbs, pass, read } = await statusInApi();
    await bound('a', { finalizers: ['example.test/hold'] });
    await done(server.api.delete(`${podsOf()}/a`, { gracePeriodSeconds: 5 }));
    await seen('a');
    await finish('a', succeeded);
    await pass(1_000);
    await seen('a');
    await pass(60_000);
    expect(verbs().filter((verb) => verb.startsWith('delete'))).toHaveLength(1);
    expect((await read('a')).status?.phase).toBe('Succeeded');
  });

  it('is not deleted again when only finalizers keep it', async () => {
    const { bound, finish, server, seen, verbs, pass } = await statusInApi();
    await bound('a', { finalizers: ['example.test/hold'] });
    await finish('a', succeeded);
    await done(server.api.delete(`${podsOf()}/a`, { gracePeriodSeconds: 0 }));
    await seen('a');
    await pass(60_000);
    expect(verbs()).toEqual(['patch a/status']);
  });

  it('writes the status of a pod restarted under its UID to the same object, in either order of messages', async () => {
    const { bound, tell, read, pass } = await statusInApi();
    const podUid = (await bound('a')) as PodUid;
    const say = (version: number, status: PodStatus) =>
      tell({ type: 'pod-status-changed', podUid, pod: 'default/a', status, version });
    await say(1, pending);
    await pass(1_000);
    await tell({ type: 'forget-pod', podUid, version: 2, stays: true });
    await say(3, running);
    await pass(1_000);
    expect((await read('a')).status?.phase).toBe('Running');
    await tell({ type: 'forget-pod', podUid, version: 2, stays: true });
    await say(4, succeeded);
    await pass(1_000);
    expect((await read('a')).status?.phase).toBe('Succeeded');
  });

  it('accepts no status from a worker that was too late', async () => {
    const { bound, finish, say, read, pass } = await statusInApi();
    await bound('a');
    await finish('a', succeeded);
    await say('a', running);
    await pass(60_000);
    expect((await read('a')).status?.phase).toBe('Succeeded');
  });
});

describe('a restarted status manager', () => {
  it('asks workers for statuses and the pod manager for objects, and writes no unchanged status', async () => {
    const { bound, say, crash, take, seen, verbs, pass, figures } = await statusInApi();
    await bound('a');
    await say('a', running);
    await crash();
    expect(take('pod-manager')).toMatchObject([{ type: 'report-api-pods' }]);
    await say('a', running);
    await seen('a');
    await pass(60_000);
    expect(verbs()).toEqual(['patch a/status']);
    expect(await figures()).toMatchObject({ patches: 0, waiting: 0 });
  });
});
