import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../../../src/embedded/apiserver/store/api-object.ts';
import type { ApiUnderTest } from '../api-under-test.ts';
import { aPod, apiUnderTest, done, podsOf, refusal } from '../api-under-test.ts';

const A = `${podsOf()}/a`;

async function withPod(spec: object = {}): Promise<ApiUnderTest> {
  const under = apiUnderTest();
  await done(under.api.create(podsOf(), aPod('a', { spec })));
  return under;
}

const aNode = (name: string, ready: 'True' | 'False', spec: object = {}): object => ({
  metadata: { name },
  spec,
  status: { conditions: [{ type: 'Ready', status: ready }] },
});
const nodeOf = async ({ api }: ApiUnderTest): Promise<unknown> =>
  ((await done(api.get(A))).spec as { nodeName?: string }).nodeName;

describe('binding', () => {
  it('sets a pod’s node, once, and leaves the generation as it is', async () => {
    const { api } = await withPod();
    const bind = (name: string) => api.create(`${A}/binding`, { target: { kind: 'Node', name } });
    expect(await done(bind('n'))).toMatchObject({ kind: 'Status', status: 'Success' });
    expect(await done(api.get(A))).toMatchObject({
      metadata: { generation: 1 },
      spec: { nodeName: 'n' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
    expect(await refusal(bind('m'))).toBe(
      '409 Conflict: Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n"',
    );
  });

  it('binds pending pods as soon as a node is ready', async () => {
    const under = await withPod();
    await done(under.api.create('/api/v1/nodes', aNode('cordoned', 'True', { unschedulable: true })));
    await done(under.api.create('/api/v1/nodes', aNode('n', 'False')));
    expect(await nodeOf(under)).toBeUndefined();
    const body = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
    await done(under.api.patch('/api/v1/nodes/n/status', { type: 'strategic-merge', body }));
    expect(await nodeOf(under)).toBe('n');
    await done(under.api.create(podsOf(), aPod('b')));
    expect(((await done(under.api.get(`${podsOf()}/b`))).spec as { nodeName: string }).nodeName).toBe('n');
  });

  it.each([{ schedulerName: 'other' }, { schedulingGates: [{ name: 'g' }] }])(
    'does not bind a pod with %o',
    async (spec) => {
      const under = await withPod(spec);
      await done(under.api.create('/api/v1/nodes', aNode('n', 'True')));
      expect(await nodeOf(under)).toBeUndefined();
    },
  );
});

describe('the other subresources of a pod', () => {
  it('an eviction deletes the pod with its grace period', async () => {
    const { api } = await withPod({ nodeName: 'n' });
    await done(api.create(`${A}/eviction`, { deleteOptions: { gracePeriodSeconds: 9 } }));
    expect((await done(api.get(A))).metadata.deletionGracePeriodSeconds).toBe(9);
  });

  it('a resize changes the resources of its containers, and the generation', async () => {
    const { api } = await withPod({
      containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu: '100m' } } }],
    });
    const patch = (requests: object) =>
      ({
        type: 'strategic-merge',
        body: { spec: { containers: [{ name: 'main', resources: { requests } }] } },
      }) as const;
    const resized = await done(api.patch(`${A}/resize`, patch({ cpu: '200m' })));
    expect(resized.metadata.generation).toBe(2);
    expect(resized.spec).toMatchObject({ containers: [{ resources: { requests: { cpu: '200m' } } }] });
    expect(await refusal(api.patch(A, patch({ cpu: '300m' })))).toMatch(/^422 Invalid: .*spec: Forbidden/);
    expect(await refusal(api.patch(`${A}/resize`, patch({ 'example.test/gpu': '1' })))).toMatch(
      /only cpu and memory resources are mutable/,
    );
  });

  it('a resize beyond the node’s capacity is rejected', async () => {
    const { api } = await withPod({
      nodeName: 'n',
      containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu: '1' } } }],
    });
    await done(api.create('/api/v1/nodes', { metadata: { name: 'n' }, status: { allocatable: { cpu: '2' } } }));
    const resize = (cpu: string) =>
      api.patch(`${A}/resize`, {
        type: 'strategic-merge',
        body: { spec: { containers: [{ name: 'main', resources: { requests: { cpu } } }] } },
      });
    await done(resize('2'));
    expect(await refusal(resize('2500m'))).toMatch(/^403 Forbidden: pods "a" is forbidden: /);
  });

  it('ephemeral containers are added and never changed', async () => {
    const { api } = await withPod({ nodeName: 'n' });
    const add = (image: string) =>
      api.patch(`${A}/ephemeralcontainers`, {
        type: 'strategic-merge',
        body: { spec: { ephemeralContainers: [{ name: 'debug', image }] } },
      });
    const pod = await done(add('busybox:1'));
    expect(pod.metadata.generation).toBe(2);
    expect(pod.spec).toMatchObject({
      ephemeralContainers: [{ name: 'debug', image: 'busybox:1', terminationMessagePolicy: 'File' }],
    });
    expect(await refusal(add('busybox:2'))).toMatch(/existing ephemeral containers "debug" may not be changed/);
  });

  it.each(['log', 'exec', 'attach', 'portforward'])('%s is answered by the node', async (subresource) => {
    const { api } = await withPod();
    expect(await refusal(api.get(`${A}/${subresource}`))).toMatch(/^501 NotImplemented: /);
  });
});

describe('reviews', () => {
  const ask = async ({ api }: ApiUnderTest, path: string, spec: object): Promise<Record<string, unknown>> =>
    (await done(api.create(path, { spec }))).status as Record<string, unknown>;

  it('a user’s access comes from roles, and a new user has none', async () => {
    const under = apiUnderTest();
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    expect(await ask(under, path, { user: 'x' })).toMatchObject({ allowed: false });
    expect(await ask(under, path, { user: 'x', groups: ['system:masters'] })).toMatchObject({ allowed: true });
  });

  it('a token names its user and the object that it is bound to, until it expires', async () => {
    const under = await withPod({ nodeName: 'n' });
    const { uid } = (await done(under.api.get(A))).metadata;
    const token = async (reference: object): Promise<unknown> => {
      const answer = (await done(
        under.api.create('/api/v1/namespaces/default/serviceaccounts/default/token', {
          spec: { audiences: ['api'], expirationSeconds: 600, boundObjectRef: reference },
        }),
      )) as ApiObject & { status: { token: string; expirationTimestamp: string } };
      expect(answer.status.expirationTimestamp).toBe('2026-05-01T12:10:00Z');
      return answer.status.token;
    };
    const bound = await token({ kind: 'Pod', name: 'a', uid });
    const review = () =>
      ask(under, '/apis/authentication.k8s.io/v1/tokenreviews', { token: bound, audiences: ['api', 'other'] });
    expect(await review()).toEqual({
      authenticated: true,
      audiences: ['api'],
      user: {
        username: 'system:serviceaccount:default:default',
        uid: expect.any(String) as string,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
        extra: {
          'authentication.kubernetes.io/pod-name': ['a'],
          'authentication.kubernetes.io/pod-uid': [uid],
        },
      },
    });
    under.clock.advance(600_000);
    expect(await review()).toMatchObject({ error: '[invalid bearer token]' });
    await expect(token({ kind: 'Pod', name: 'a', uid: 'other' })).rejects.toThrow(/does not match the UID in record/);
  });
});
