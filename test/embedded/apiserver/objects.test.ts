import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../../src/embedded/apiserver/store/api-object.ts';
import { aPod, apiUnderTest, done, podsOf, refusal } from './api-under-test.ts';

const member = (object: ApiObject, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], object);

describe('an object that is created', () => {
  it('gets the metadata that only the server may set', async () => {
    const { api } = apiUnderTest();
    const pod = await done(api.create(podsOf(), aPod('a', { metadata: { uid: 'mine', generation: 7 } })));
    expect(pod.metadata).toMatchObject({
      name: 'a',
      namespace: 'default',
      generation: 1,
      creationTimestamp: '2026-05-01T12:00:00Z',
    });
    expect(pod.metadata.uid).toMatch(/^0{8}-/);
    expect(Number(pod.metadata.resourceVersion)).toBeGreaterThan(1);
  });

  it('gets a generated name with generateName', async () => {
    const { api } = apiUnderTest();
    const make = () => done(api.create(podsOf(), aPod('', { metadata: { generateName: 'job-' } })));
    const [one, other] = [await make(), await make()];
    expect(one.metadata.name).toMatch(/^job-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(other.metadata.name).not.toBe(one.metadata.name);
  });

  it.each([
    {
      rule: 'needs a name',
      path: podsOf(),
      body: aPod(''),
      says: '422 Invalid: Pod "" is invalid: metadata.name: Required value: name or generateName is required',
    },
    {
      rule: 'needs an existing namespace',
      path: podsOf('nowhere'),
      body: aPod('a'),
      says: '404 NotFound: namespaces "nowhere" not found',
    },
    {
      rule: 'is in the namespace of its path',
      path: podsOf(),
      body: aPod('a', { metadata: { namespace: 'other' } }),
      says: '400 BadRequest: the namespace of the provided object does not match the namespace sent on the request',
    },
    {
      rule: 'is of the kind of its path',
      path: podsOf(),
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
      says: '400 BadRequest: Secret in version "v1" cannot be handled as a Pod: unexpected kind',
    },
    {
      rule: 'has an image',
      path: podsOf(),
      body: aPod('a', { spec: { containers: [{ name: 'main' }] } }),
      says: '422 Invalid: Pod "a" is invalid: spec.containers[0].image: Required value',
    },
    {
      rule: 'has no resource version',
      path: podsOf(),
      body: aPod('a', { metadata: { resourceVersion: '5' } }),
      says: '500 InternalError: resourceVersion should not be set on objects to be created',
    },
    {
      rule: 'has only known fields under strict field validation',
      path: `${podsOf()}?fieldValidation=Strict`,
      body: aPod('a', { spec: { containers: [{ name: 'main', image: 'a', imagee: 'b' }], foo: 1 } }),
      says:
        '400 BadRequest: Pod in version "v1" cannot be handled as a Pod: strict decoding error: ' +
        'unknown field "spec.containers[0].imagee", unknown field "spec.foo"',
    },
  ])('$rule', async ({ path, body, says }) => {
    const { api } = apiUnderTest();
    expect(await refusal(api.create(path, body))).toBe(says);
  });

  it('exists only once', async () => {
    const { api } = apiUnderTest();
    await done(api.create(podsOf(), aPod('a')));
    expect(await refusal(api.create(podsOf(), aPod('a')))).toBe('409 AlreadyExists: pods "a" already exists');
  });

  it('is not stored by a dry run', async () => {
    const { api } = apiUnderTest();
    await done(api.create(`${podsOf()}?dryRun=All`, aPod('a')));
    expect(await refusal(api.get(`${podsOf()}/a`))).toBe('404 NotFound: pods "a" not found');
  });
});

describe('a pod that is created', () => {
  it('gets the defaults and the additions of admission', async () => {
    const { api } = apiUnderTest();
    const pod = await done(api.create(podsOf(), aPod('a', { spec: { nodeName: 'n' } })));
    expect(pod.spec).toEqual({
      nodeName: 'n',
      containers: [
        {
          name: 'main',
          image: 'app:1',
          imagePullPolicy: 'IfNotPresent',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
        },
      ],
      dnsPolicy: 'ClusterFirst',
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
      priority: 0,
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      tolerations: ['not-ready', 'unreachable'].map((trouble) => ({
        key: `node.kubernetes.io/${trouble}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
    });
    expect(pod.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
  });

  it('has the priority of its class', async () => {
    const { api } = apiUnderTest();
    const spec = { priorityClassName: 'system-node-critical' };
    expect(member(await done(api.create(podsOf(), aPod('a', { spec }))), 'spec', 'priority')).toBe(2_000_001_000);
    expect(await refusal(api.create(podsOf(), aPod('b', { spec: { priorityClassName: 'none' } })))).toBe(
      '403 Forbidden: pods "b" is forbidden: no PriorityClass with name none was found',
    );
  });

  it('has the overhead of its runtime class', async () => {
    const { api } = apiUnderTest();
    await done(
      api.create('/apis/node.k8s.io/v1/runtimeclasses', {
        metadata: { name: 'kata' },
        handler: 'kata',
        overhead: { podFixed: { memory: '120Mi' } },
      }),
    );
    const pod = await done(api.create(podsOf(), aPod('a', { spec: { runtimeClassName: 'kata' } })));
    expect(member(pod, 'spec', 'overhead')).toEqual({ memory: '120Mi' });
    expect(await refusal(api.create(podsOf(), aPod('b', { spec: { runtimeClassName: 'none' } })))).toBe(
      '403 Forbidden: pods "b" is forbidden: pod rejected: RuntimeClass "none" not found',
    );
  });

  it('has a token of its account only if the account mounts one', async () => {
    const volumes = async (serviceAccountAdmission: boolean) =>
      member(await done(apiUnderTest({ serviceAccountAdmission }).api.create(podsOf(), aPod('a'))), 'spec', 'volumes');
    expect(await volumes(false)).toBeUndefined();
    expect(await volumes(true)).toHaveLength(1);
  });
});

describe('an object that is updated', () => {
  it('gets a new revision, and a generation if its spec has changed', async () => {
    const { api } = apiUnderTest();
    const made = await done(api.create(podsOf(), aPod('a')));
    const labelled = { ...made, metadata: { ...made.metadata, labels: { a: 'b' } } };
    const after = await done(api.update(`${podsOf()}/a`, labelled));
    expect(after.metadata.generation).toBe(1);
    expect(Number(after.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
    const image = aPod('a', { spec: { ...(after.spec as object), containers: [{ name: 'main', image: 'app:2' }] } });
    expect((await done(api.update(`${podsOf()}/a`, image))).metadata.generation).toBe(2);
  });

  it('is not written when nothing changes', async () => {
    const { api } = apiUnderTest();
    const made = await done(api.create(podsOf(), aPod('a')));
    const again = await done(api.update(`${podsOf()}/a`, made));
    expect(again.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
  });

  it('rejects an update of an older revision', async () => {
    const { api } = apiUnderTest();
    const made = await done(api.create(podsOf(), aPod('a')));
    await done(api.update(`${podsOf()}/a`, { ...made, metadata: { ...made.metadata, labels: { a: 'b' } } }));
    expect(await refusal(api.update(`${podsOf()}/a`, made))).toBe(
      '409 Conflict: Operation cannot be fulfilled on pods "a": the object has been modified; please apply your ' +
        'changes to the latest version and try again',
    );
  });

  it('rejects an update with another UID', async () => {
    const { api } = apiUnderTest();
    await done(api.create(podsOf(), aPod('a')));
    const patch = {
      type: 'strategic-merge',
      body: { metadata: { uid: 'other' }, status: { phase: 'Failed' } },
    } as const;
    expect(await refusal(api.patch(`${podsOf()}/a/status`, patch))).toMatch(
      /^422 Invalid: .*metadata\.uid: Invalid value: "other": field is immutable/,
    );
  });

  it('keeps its spec when the status is written, and its status when the spec is', async () => {
    const { api } = apiUnderTest();
    const made = await done(api.create(podsOf(), aPod('a')));
    const both = { spec: { activeDeadlineSeconds: 5 }, status: { phase: 'Running' } };
    const status = await done(api.patch(`${podsOf()}/a/status`, { type: 'merge', body: both }));
    expect(status.spec).toEqual(made.spec);
    expect(status.metadata.generation).toBe(1);
    const spec = await done(
      api.patch(`${podsOf()}/a`, { type: 'merge', body: { ...both, status: { phase: 'Failed' } } }),
    );
    expect(spec.status).toEqual(status.status);
    expect(member(spec, 'spec', 'activeDeadlineSeconds')).toBe(5);
  });

  it('keeps the immutable fields of a pod', async () => {
    const { api } = apiUnderTest();
    await done(api.create(podsOf(), aPod('a')));
    const body = { spec: { hostNetwork: true } };
    expect(await refusal(api.patch(`${podsOf()}/a`, { type: 'merge', body }))).toMatch(
      /^422 Invalid: Pod "a" is invalid: spec: Forbidden: pod updates may not change fields other than/,
    );
  });
});

describe('views of the same events', () => {
  it('shows an event of one version in the other', async () => {
    const { api } = apiUnderTest();
    await done(
      api.create('/api/v1/namespaces/default/events', {
        metadata: { name: 'e' },
        involvedObject: { kind: 'Pod', name: 'a' },
        message: 'hello',
        source: { component: 'kubelet' },
      }),
    );
    const other = await done(api.get('/apis/events.k8s.io/v1/namespaces/default/events/e'));
    expect(other).toMatchObject({ apiVersion: 'events.k8s.io/v1', regarding: { name: 'a' }, note: 'hello' });
  });

  it('expires events after an hour', async () => {
    const { api, clock } = apiUnderTest();
    const event = (name: string) =>
      api.create('/api/v1/namespaces/default/events', { metadata: { name }, involvedObject: {} });
    await done(event('old'));
    clock.advance(3_601_000);
    await done(event('new'));
    const list = (await done(api.get('/api/v1/events'))) as unknown as { items: readonly ApiObject[] };
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['new']);
  });
});
