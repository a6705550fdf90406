import { describe, expect, it } from 'vitest';
import { PodSourceApi } from '../../../actors/pod-source-api/actor.ts';
import type { PodSourceApiProtocol } from '../../../actors/pod-source-api/protocol.ts';
import type { Tagged } from '../../../src/actor/messages/message.ts';
import type { EventToRecord } from '../../../src/kube/event.ts';
import type { PodSourceChange } from '../../../src/pod/source/pod-source-change.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';

const pod = (name: string, version: string, more: object = {}) => ({
  metadata: {
    name,
    namespace: 'shop',
    uid: `uid-${name}`,
    resourceVersion: version,
    managedFields: [{ manager: 'kubectl' }],
    ...more,
  },
  spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'web' }] },
  status: { phase: 'Pending' },
});

async function source() {
  const troubles: string[] = [];
  const recorded: EventToRecord[] = [];
  const test = await actorUnderTest<PodSourceApiProtocol>({
    address: 'pod-source-api',
    others: { 'api-gateway': () => undefined, 'pod-manager': () => undefined },
    make: (context) =>
      new PodSourceApi(context, {
        nodeName: 'node-1',
        count: (what) => void troubles.push(what),
        recordEvent: (event) => void recorded.push(event),
      }),
  });
  const gateway = (): readonly (Tagged & { watch?: string; path?: string })[] => test.take('api-gateway');
  const opened = gateway().find(({ type }) => type === 'open-watch');
  const events = (...some: readonly { type: string; object: unknown }[]) =>
    test.tell({ type: 'watch-events', watch: opened?.watch ?? '', events: some as never });
  /** Omits heartbeats of the source. */
  const told = () =>
    (test.take('pod-manager') as readonly PodSourceChange[]).filter(({ set, gone, number, complete }) => {
      const isNews = set.length + gone.length > 0 || number === 1 || complete !== known;
      known = complete;
      return isNews;
    });
  let known = false;
  return { ...test, opened, events, told, troubles, recorded };
}

const END = {
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } } },
};

interface Malformed {
  readonly what: string;
  readonly object: object;
}

/** Pods with one malformed field. */
const malformed: readonly Malformed[] = (() => {
  const { metadata, spec, status } = pod('bad', '7');
  const main = { name: 'main', image: 'web' };
  const withMeta = (what: string, more: object): Malformed => ({
    what,
    object: { metadata: { ...metadata, ...more }, spec, status },
  });
  const withSpec = (what: string, more: object): Malformed => ({
    what,
    object: { metadata, spec: { ...spec, ...more }, status },
  });
  const withMain = (what: string, more: object): Malformed => withSpec(what, { containers: [{ ...main, ...more }] });
  return [
    { what: 'it has no metadata', object: { spec } },
    { what: 'its metadata is a list', object: { metadata: [], spec } },
    { what: 'it has no spec', object: { metadata } },
    { what: 'its spec is null', object: { metadata, spec: null } },
    { what: 'its status is text', object: { metadata, spec, status: 'Running' } },
    { what: 'a condition is null', object: { metadata, spec, status: { conditions: [null] } } },
    ...['', '.', '..', '../../etc', 'a/b', 'a\0b', 'A', 'x'.repeat(254)].flatMap((name) => [
      withMeta(`its name is ${JSON.stringify(name).slice(0, 20)}`, { name }),
      withMeta(`its namespace is ${JSON.stringify(name).slice(0, 20)}`, { namespace: name }),
      withMain(`a container's name is ${JSON.stringify(name).slice(0, 20)}`, { name }),
      withSpec(`a volume's name is ${JSON.stringify(name).slice(0, 20)}`, { volumes: [{ name, emptyDir: {} }] }),
    ]),
    ...['', '.', '..', '../x', 'a/b', 'a\0', 'x'.repeat(129)].map((uid) =>
      withMeta(`its UID is ${JSON.stringify(uid).slice(0, 20)}`, { uid }),
    ),
    withMeta('its name is missing', { name: undefined }),
    withMeta('its namespace is null', { namespace: null }),
    withMeta('its UID is a number', { uid: 7 }),
    withMeta('its labels are a list', { labels: ['a'] }),
    withMeta('a label is a number', { labels: { a: 1 } }),
    withMeta('an annotation is an object', { annotations: { a: {} } }),
    withMeta('its deletion is at no moment', { deletionTimestamp: 'soon' }),
    withMeta('its deletion is at a number', { deletionTimestamp: 5 }),
    withMeta('its deletion grace period is text', { deletionGracePeriodSeconds: '5' }),
    withMeta('its generation has a fraction', { generation: 1.5 }),
    withSpec('it is bound to another node', { nodeName: 'node-2' }),
    withSpec('it has no containers', { containers: undefined }),
    withSpec('its containers are empty', { containers: [] }),
    withSpec('its containers are a mapping', { containers: { main } }),
    withSpec('a container is null', { containers: [null] }),
    withSpec('an init container is text', { initContainers: ['init'] }),
    withSpec('two containers share a name', { containers: [main], initContainers: [main] }),
    withSpec('a volume is null', { volumes: [null] }),
    withSpec('its volumes are a number', { volumes: 3 }),
    withSpec('two volumes share a name', { volumes: [{ name: 'a' }, { name: 'a' }] }),
    withSpec('a source of a volume is text', { volumes: [{ name: 'a', configMap: 'web' }] }),
    withSpec('a projected source is null', { volumes: [{ name: 'a', projected: { sources: [null] } }] }),
    withSpec('a toleration is null', { tolerations: [null] }),
    withSpec('a term of its affinity is null', {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [null] } } },
    }),
    withSpec('its grace period is text', { terminationGracePeriodSeconds: '30' }),
    withSpec('its deadline is negative', { activeDeadlineSeconds: -1 }),
    withSpec('its host network is text', { hostNetwork: 'true' }),
    withSpec('a host alias has no address', { hostAliases: [{ hostnames: ['a'] }] }),
    withMain('a command is text', { command: 'sh' }),
    withMain('an argument is null', { args: [null] }),
    withMain('a variable is null', { env: [null] }),
    withMain('a variable has no name', { env: [{ value: 'x' }] }),
    withMain('a port has no number', { ports: [{ name: 'http' }] }),
    withMain('a mount has no path', { volumeMounts: [{ name: 'a' }] }),
    withMain('an amount is none', { resources: { limits: { cpu: 'much' } } }),
    withMain('an amount has a thousand digits', { resources: { limits: { cpu: '9'.repeat(1_000) } } }),
    withMain('a probe has no pause', { livenessProbe: { periodSeconds: 0 } }),
    withMain('a probe waits for ever', { livenessProbe: { initialDelaySeconds: 1e12 } }),
    withMain('a probe asks at no port', { readinessProbe: { httpGet: { path: '/' } } }),
    withMain('a hook sleeps a negative time', { lifecycle: { preStop: { sleep: { seconds: -1 } } } }),
  ];
})();

describe('the API source', () => {
  it('follows the pods of this node', async () => {
    const { opened } = await source();
    expect(opened?.path).toContain('/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1');
  });

  it('reports each pod, marked as the API’s and without unread fields, and then that the list is complete', async () => {
    const { events, told } = await source();
    await events({ type: 'ADDED', object: pod('a', '5') });
    expect(told()).toEqual([
      {
        type: 'source-changed',
        source: 'api',
        session: [expect.any(Number), 0],
        number: 1,
        set: [
          {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: {
              name: 'a',
              namespace: 'shop',
              uid: 'uid-a',
              resourceVersion: '5',
              annotations: { 'kubernetes.io/config.seen': expect.any(String), 'kubernetes.io/config.source': 'api' },
            },
            spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'web' }] },
            status: { phase: 'Pending' },
          },
        ],
        gone: [],
        complete: false,
      },
    ]);
    await events(END);
    expect(told()).toMatchObject([{ number: 2, set: [], gone: [], complete: true }]);
  });

  it("keeps the instant of a pod's first observation", async () => {
    const { events, told, pass } = await source();
    const seen = () => told().flatMap(({ set }) => set.map(({ metadata }) => metadata.annotations));
    await events({ type: 'ADDED', object: pod('a', '5') });
    const [first] = seen();
    await pass(5_000);
    await events({ type: 'MODIFIED', object: pod('a', '10') }, { type: 'ADDED', object: pod('b', '11') });
    const [later, other] = seen();
    expect(later).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it('reports a deletion timestamp as a change, and the deleted object as a removal', async () => {
    const { events, told } = await source();
    await events({ type: 'ADDED', object: pod('a', '5') }, END);
    told();
    await events({ type: 'MODIFIED', object: pod('a', '10', { deletionTimestamp: '2026-01-01T00:00:00Z' }) });
    expect(told()).toMatchObject([{ set: [{ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }], gone: [] }]);
    await events({ type: 'DELETED', object: pod('a', '11') });
    expect(told()).toMatchObject([{ set: [], gone: ['uid-a'] }]);
  });

  it('starts a session with all known pods when the pod manager restarts', async () => {
    const { events, told, tell } = await source();
    await events({ type: 'ADDED', object: pod('a', '5') }, END);
    const [before] = told();
    await tell({ type: 'send-all' });
    const [again] = told();
    expect(again).toMatchObject({ number: 1, complete: true, set: [{ metadata: { uid: 'uid-a' } }] });
    expect(again?.session).not.toEqual(before?.session);
  });

  it('reports no removals when the server goes away', async () => {
    const { events, told, tell, opened, pass } = await source();
    await events({ type: 'ADDED', object: pod('a', '5') }, END);
    told();
    await tell({ type: 'watch-ended', watch: opened?.watch ?? '', fault: { kind: 'unreachable', message: '' } });
    await pass(600_000);
    expect(told()).toEqual([]);
  });

  describe('given a malformed pod', () => {
    const good = pod('good', '8');
    const namesOf = (changes: readonly PodSourceChange[]) =>
      changes.flatMap(({ set }) => set.map(({ metadata }) => metadata.name));

    it.each(malformed)('leaves out only that pod when $what', async ({ object }) => {
      const { events, told, logged, troubles } = await source();
      await events({ type: 'ADDED', object }, { type: 'ADDED', object: good });
      expect(namesOf(told())).toEqual(['good']);
      expect(troubles).toEqual(['bad-object']);
      expect(logged.filter((line) => line.includes('cannot be read'))).toHaveLength(1);
      expect(logged.filter((line) => line.includes('ended'))).toEqual([]);
    });

    it('reports the pod once for each problem, also when the server sends the pod again', async () => {
      const { events, logged, troubles } = await source();
      const bad = (version: string, volumes: unknown) => ({
        type: 'MODIFIED',
        object: { ...pod('a', version), spec: { ...pod('a', version).spec, volumes } },
      });
      await events(bad('5', [null]), bad('6', [null]), bad('7', 3));
      expect(troubles).toHaveLength(3);
      expect(logged.filter((line) => line.includes('cannot be read'))).toHaveLength(2);
    });

    it('records an event about the pod, where it can be named', async () => {
      const { events, recorded } = await source();
      const { metadata, spec } = pod('a', '5');
      await events(
        { type: 'ADDED', object: { metadata, spec: { ...spec, volumes: [null] } } },
        { type: 'ADDED', object: { metadata: { ...metadata, name: '../a', uid: 'uid-b' }, spec } },
      );
      expect(recorded).toEqual([
        {
          object: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'a', uid: 'uid-a' },
          type: 'Warning',
          reason: 'FailedValidation',
          message: 'Error validating pod a from api, ignoring: spec.volumes[0]: must not be empty (found null)',
        },
      ]);
    });

    it('accepts the pod as soon as the server sends a valid version', async () => {
      const { events, told } = await source();
      await events({ type: 'ADDED', object: { ...pod('a', '5'), spec: { containers: [null] } } });
      expect(told()).toEqual([]);
      await events({ type: 'MODIFIED', object: pod('a', '6') });
      expect(namesOf(told())).toEqual(['a']);
    });

    it('keeps the last good version of a pod, through a new list too', async () => {
      const { events, told, tell, opened, pass, take } = await source();
      const broken = { ...pod('a', '10'), spec: { containers: 'none' } };
      await events({ type: 'ADDED', object: pod('a', '5') }, END);
      told();
      await events({ type: 'MODIFIED', object: broken });
      const fault = { kind: 'refused', code: 410, reason: 'Expired', message: '' } as const;
      await tell({ type: 'watch-ended', watch: opened?.watch ?? '', fault });
      await pass(120_000);
      const again = take('api-gateway').findLast(({ type }) => type === 'open-watch');
      const watch = (again as { readonly watch?: string } | undefined)?.watch ?? '';
      expect(watch).not.toBe(opened?.watch);
      const all = [{ type: 'ADDED', object: broken }, { ...END }];
      await tell({ type: 'watch-events', watch, events: all as never });
      expect(told().flatMap(({ set, gone }) => [...set, ...gone])).toEqual([]);
      await tell({ type: 'send-all' });
      expect(told()).toMatchObject([{ set: [{ metadata: { resourceVersion: '5' } }], gone: [] }]);
    });

    it('removes the pod when its object is deleted', async () => {
      const { events, told } = await source();
      await events({ type: 'ADDED', object: pod('a', '5') }, END);
      told();
      await events({ type: 'DELETED', object: { metadata: { uid: 'uid-a', resourceVersion: '11' }, spec: 5 } });
      expect(told()).toMatchObject([{ set: [], gone: ['uid-a'] }]);
    });

    it.each([
      { what: 'name', object: pod('a', '10', { name: 'b' }), says: 'metadata.name: was a (found "b")' },
      {
        what: 'namespace',
        object: pod('a', '10', { namespace: 'bank' }),
        says: 'metadata.namespace: was shop (found "bank")',
      },
    ])('rejects a pod with the UID of another pod and a different $what', async ({ object, says }) => {
      const { events, told, tell, troubles, recorded } = await source();
      await events({ type: 'ADDED', object: pod('a', '5') }, END);
      told();
      await events({ type: 'MODIFIED', object }, { type: 'ADDED', object: good });
      expect(namesOf(told())).toEqual(['good']);
      expect(troubles).toEqual(['bad-object']);
      expect(recorded.map(({ message }) => message)).toEqual([
        `Error validating pod ${object.metadata.name} from api, ignoring: ${says}`,
      ]);
      await tell({ type: 'send-all' });
      const [all] = told();
      expect(all?.set.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual(['shop/a', 'shop/good']);
    });

    it('accepts a pod of another name under a UID once the earlier pod is gone', async () => {
      const { events, told } = await source();
      await events({ type: 'ADDED', object: pod('a', '5') }, END);
      await events({ type: 'DELETED', object: pod('a', '9') });
      told();
      await events({ type: 'ADDED', object: pod('a', '10', { name: 'b' }) });
      expect(namesOf(told())).toEqual(['b']);
    });

    it('counts values that are no objects', async () => {
      const { events, told, troubles } = await source();
      await events({ type: 'ADDED', object: [] }, { type: 'ADDED', object: good });
      expect(namesOf(told())).toEqual(['good']);
      expect(troubles).toEqual(['bad-object']);
    });
  });

  it('reads null where the API allows a member to be absent', async () => {
    const { events, told } = await source();
    const { metadata, spec } = pod('a', '5');
    const object = {
      metadata: { ...metadata, creationTimestamp: null, labels: null },
      spec: { ...spec, volumes: null, securityContext: null, containers: [{ name: 'main', resources: null }] },
      status: null,
    };
    await events({ type: 'ADDED', object });
    const [read] = told().flatMap(({ set }) => set);
    expect(read?.spec).toEqual({ nodeName: 'node-1', containers: [{ name: 'main' }] });
    expect(read).not.toHaveProperty('status');
  });
});
