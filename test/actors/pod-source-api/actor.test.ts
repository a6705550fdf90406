import { describe, expect, it } from 'vitest';
import { PodSourceApi } from '../../../actors/pod-source-api/actor.ts';
import type { PodSourceApiProtocol } from '../../../actors/pod-source-api/protocol.ts';
import type { Tagged } from '../../../src/actor/message.ts';
import type { PodSourceChange } from '../../../src/pod/pod-source-change.ts';
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
  const test = await actorUnderTest<PodSourceApiProtocol>({
    address: 'pod-source-api',
    others: { 'api-gateway': () => undefined, 'pod-manager': () => undefined },
    make: (context) => new PodSourceApi(context, { nodeName: 'node-1', count() {} }),
  });
  const gateway = (): readonly (Tagged & { watch?: string; path?: string })[] => test.take('api-gateway');
  const opened = gateway().find(({ type }) => type === 'open-watch');
  const events = (...some: readonly { type: string; object: unknown }[]) =>
    test.tell({ type: 'watch-events', watch: opened?.watch ?? '', events: some as never });
  /** Without what only shows that the source lives. */
  const told = () =>
    (test.take('pod-manager') as readonly PodSourceChange[]).filter(({ set, gone, number, complete }) => {
      const isNews = set.length + gone.length > 0 || number === 1 || complete !== known;
      known = complete;
      return isNews;
    });
  let known = false;
  return { ...test, opened, events, told };
}

const END = {
  type: 'BOOKMARK',
  object: { metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } } },
};

describe('the API source', () => {
  it('follows the pods of this node', async () => {
    const { opened } = await source();
    expect(opened?.path).toContain('/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1');
  });

  it('tells each pod as it comes, marked as the API’s and without what nobody reads, and then that this is all', async () => {
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

  it('keeps the moment at which it has seen a pod first', async () => {
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

  it('tells a deletion asked for as a change, and the end of the object as its going', async () => {
    const { events, told } = await source();
    await events({ type: 'ADDED', object: pod('a', '5') }, END);
    told();
    await events({ type: 'MODIFIED', object: pod('a', '10', { deletionTimestamp: '2026-01-01T00:00:00Z' }) });
    expect(told()).toMatchObject([{ set: [{ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }], gone: [] }]);
    await events({ type: 'DELETED', object: pod('a', '11') });
    expect(told()).toMatchObject([{ set: [], gone: ['uid-a'] }]);
  });

  it('begins a session with all it knows when the pod manager starts anew', async () => {
    const { events, told, tell } = await source();
    await events({ type: 'ADDED', object: pod('a', '5') }, END);
    const [before] = told();
    await tell({ type: 'send-all' });
    const [again] = told();
    expect(again).toMatchObject({ number: 1, complete: true, set: [{ metadata: { uid: 'uid-a' } }] });
    expect(again?.session).not.toEqual(before?.session);
  });

  it('says nothing of pods going when the server goes away', async () => {
    const { events, told, tell, opened, pass } = await source();
    await events({ type: 'ADDED', object: pod('a', '5') }, END);
    told();
    await tell({ type: 'watch-ended', watch: opened?.watch ?? '', fault: { kind: 'unreachable', message: '' } });
    await pass(600_000);
    expect(told()).toEqual([]);
  });

  it('leaves out what is no pod and says so once', async () => {
    const { events, told, logged } = await source();
    await events({ type: 'ADDED', object: { metadata: { uid: 'x' } } }, { type: 'ADDED', object: pod('a', '5') });
    expect(told().flatMap(({ set }) => set.map(({ metadata }) => metadata.name))).toEqual(['a']);
    expect(logged.filter((line) => line.includes('pods that are none'))).toHaveLength(1);
  });
});
