import { describe, expect, it } from 'vitest';
import type { ApiUnderTest } from './api-under-test.ts';
import { aPod, apiUnderTest, done, podsOf, refusal, watched } from './api-under-test.ts';

const A = `${podsOf()}/a`;

async function withPod(spec: object = {}, metadata: object = {}): Promise<ApiUnderTest> {
  const under = apiUnderTest();
  await done(under.api.create(podsOf(), aPod('a', { spec: { nodeName: 'n', ...spec }, metadata })));
  return under;
}

describe('a deleted pod', () => {
  it.each([
    { rule: 'has the grace period of its spec', spec: { terminationGracePeriodSeconds: 7 }, ask: {}, grace: 7 },
    { rule: 'has half a minute by default', spec: {}, ask: {}, grace: 30 },
    { rule: 'has the requested grace period', spec: {}, ask: { gracePeriodSeconds: 5 }, grace: 5 },
    { rule: 'treats a negative period as one second', spec: {}, ask: { gracePeriodSeconds: -3 }, grace: 1 },
  ])('$rule', async ({ spec, ask, grace }) => {
    const { api } = await withPod(spec);
    const pod = await done(api.delete(A, ask));
    expect(pod.metadata).toMatchObject({
      deletionGracePeriodSeconds: grace,
      deletionTimestamp: `2026-05-01T12:00:${String(grace).padStart(2, '0')}Z`,
      generation: 2,
    });
  });

  it.each([
    { rule: 'the pod is not bound to a node', spec: { nodeName: '' }, status: {}, ask: {} },
    { rule: 'the pod has ended', spec: {}, status: { phase: 'Succeeded' }, ask: { gracePeriodSeconds: 9 } },
    { rule: 'the grace period is 0', spec: {}, status: {}, ask: { gracePeriodSeconds: 0 } },
  ])('is removed at once if $rule, and watchers see the removal', async ({ spec, status, ask }) => {
    const under = await withPod(spec);
    const { api } = under;
    await done(api.patch(`${A}/status`, { type: 'merge', body: { status } }));
    const watch = watched(under, podsOf());
    await done(api.delete(A, ask));
    expect(await watch.seen()).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    expect(await refusal(api.get(A))).toBe('404 NotFound: pods "a" not found');
  });

  it('can have its grace period shortened, never extended', async () => {
    const { api } = await withPod();
    await done(api.delete(A, {}));
    const shorter = await done(api.delete(A, { gracePeriodSeconds: 3 }));
    expect(shorter.metadata).toMatchObject({
      deletionGracePeriodSeconds: 3,
      deletionTimestamp: '2026-05-01T12:00:03Z',
    });
    const longer = await done(api.delete(A, { gracePeriodSeconds: 60 }));
    expect(longer.metadata).toEqual(shorter.metadata);
    await done(api.delete(A, { gracePeriodSeconds: 0 }));
    expect(await refusal(api.get(A))).toMatch(/^404/);
  });

  it('stays while it has a finalizer, and is removed with the last one', async () => {
    const { api } = await withPod({}, { finalizers: ['example.test/hold'] });
    await done(api.delete(A, { gracePeriodSeconds: 5 }));
    await done(api.delete(A, { gracePeriodSeconds: 0 }));
    expect((await done(api.get(A))).metadata.deletionGracePeriodSeconds).toBe(0);
    await done(api.patch(A, { type: 'merge', body: { metadata: { finalizers: null } } }));
    expect(await refusal(api.get(A))).toMatch(/^404/);
  });

  it('is not deleted with another UID', async () => {
    const { api } = await withPod();
    expect(await refusal(api.delete(A, { preconditions: { uid: 'other' } }))).toMatch(
      /^409 Conflict: Operation cannot be fulfilled on Pod "a": the UID in the precondition \(other\) does not match/,
    );
    expect(await refusal(api.delete(A, { preconditions: { resourceVersion: '1' } }))).toMatch(/^409 Conflict/);
  });

  it('blocks its recreation with an error', async () => {
    const { api } = await withPod();
    await done(api.delete(A, {}));
    expect(await refusal(api.create(podsOf(), aPod('a')))).toBe(
      '409 AlreadyExists: object is being deleted: pods "a" already exists',
    );
  });
});

describe('any other deleted object', () => {
  it('is removed at once, and returned', async () => {
    const { api } = apiUnderTest();
    await done(api.create('/api/v1/namespaces/default/configmaps', { metadata: { name: 'c' } }));
    expect(await done(api.delete('/api/v1/namespaces/default/configmaps/c', {}))).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'c', kind: 'configmaps' },
    });
  });

  it('a namespace deletes its content, and waits for the last object', async () => {
    const { api } = apiUnderTest();
    await done(api.create('/api/v1/namespaces', { metadata: { name: 'ns' } }));
    await done(api.create(podsOf('ns'), aPod('a', { spec: { nodeName: 'n' } })));
    await done(api.create('/api/v1/namespaces/ns/configmaps', { metadata: { name: 'c' } }));
    await done(api.delete('/api/v1/namespaces/ns', {}));
    expect((await done(api.get('/api/v1/namespaces/ns'))).status).toEqual({ phase: 'Terminating' });
    expect(await refusal(api.create(podsOf('ns'), aPod('b')))).toBe(
      '403 Forbidden: pods "b" is forbidden: unable to create new content in namespace ns because it is being terminated',
    );
    expect(await refusal(api.get('/api/v1/namespaces/ns/configmaps/c'))).toMatch(/^404/);
    await done(api.delete(`${podsOf('ns')}/a`, { gracePeriodSeconds: 0 }));
    expect(await refusal(api.get('/api/v1/namespaces/ns'))).toBe('404 NotFound: namespaces "ns" not found');
  });

  it('a collection is deleted by its selector', async () => {
    const { api } = apiUnderTest();
    const path = '/api/v1/namespaces/default/configmaps';
    for (const name of ['x', 'y']) await done(api.create(path, { metadata: { name, labels: { name } } }));
    await done(api.delete(`${path}?labelSelector=name%3Dx`, {}));
    expect(await refusal(api.get(`${path}/x`))).toMatch(/^404/);
    await done(api.get(`${path}/y`));
  });
});
