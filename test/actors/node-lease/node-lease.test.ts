import { describe, expect, it } from 'vitest';
import { NodeLease } from '../../../actors/node-lease/actor.ts';
import type { NodeLeaseProtocol } from '../../../actors/node-lease/protocol.ts';
import { renewalTime } from '../../../actors/node-lease/state.ts';
import { leasePath } from '../../../src/api/api-path.ts';
import { apiClient } from '../../../src/api/api-client.ts';
import type { ApiFault } from '../../../src/api/api-request.ts';
import type { Lease } from '../../../src/kube/lease.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { conflict, fakeNodeApi, notFound, tooMany, unreachable } from '../../support/fake-node-api.ts';

const START = Date.UTC(2026, 0, 2, 3, 4, 5);
const PATH = leasePath('node-1');
const CREATE = `create ${PATH.slice(0, PATH.lastIndexOf('/'))}`;

async function nodeLease(options: { readonly uid?: () => string | undefined } = {}) {
  const { uid = () => 'node-uid' } = options;
  const api = fakeNodeApi();
  const actor = await actorUnderTest<NodeLeaseProtocol>({
    address: 'node-lease',
    make: (context) =>
      new NodeLease(context, { api: apiClient(api.call), settings: { nodeName: 'node-1', durationSeconds: 40 } }),
    others: { 'node-status': () => (uid() === undefined ? { metadata: {} } : { metadata: { uid: uid() } }) },
    startMs: START,
  });
  // The test's API holds what the actor has sent as a Lease.
  const lease = () => api.objects.get(PATH) as unknown as Lease;
  return { ...actor, api, lease };
}

describe('the instant in a lease', () => {
  it.each([
    { rule: 'is now at first', before: undefined, after: '2026-01-02T03:04:05.000000Z' },
    {
      rule: 'is now after an earlier one',
      before: '2026-01-02T03:03:55.123456Z',
      after: '2026-01-02T03:04:05.000000Z',
    },
    { rule: 'is later than the same one', before: '2026-01-02T03:04:05.000000Z', after: '2026-01-02T03:04:05.000001Z' },
    { rule: 'never goes back', before: '2026-01-02T09:00:00.999999Z', after: '2026-01-02T09:00:01.000000Z' },
    { rule: 'ignores an earlier one that cannot be read', before: 'soon', after: '2026-01-02T03:04:05.000000Z' },
  ])('$rule', ({ before, after }) => {
    expect(renewalTime(before, START)).toBe(after);
  });
});

describe('the node lease', () => {
  it('is created for its node, and renewed every quarter of its duration with one write', async () => {
    const { api, lease, pass } = await nodeLease();
    expect(api.requests.every(({ priority }) => priority === 'lease')).toBe(true);
    expect(api.take()).toEqual([`get ${PATH}`, CREATE]);
    expect(lease()).toMatchObject({
      metadata: {
        name: 'node-1',
        namespace: 'kube-node-lease',
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'node-1', uid: 'node-uid' }],
      },
      spec: { holderIdentity: 'node-1', leaseDurationSeconds: 40, renewTime: '2026-01-02T03:04:05.000000Z' },
    });
    await pass(30_000);
    expect(api.take()).toEqual([`update ${PATH}`, `update ${PATH}`, `update ${PATH}`]);
    expect(lease().spec?.renewTime).toBe('2026-01-02T03:04:35.000000Z');
  });

  it('is created as soon as the Node exists, and not before', async () => {
    let uid: string | undefined;
    const { api, lease, pass, logged } = await nodeLease({ uid: () => uid });
    await pass(60_000);
    expect(api.take()).toEqual([`get ${PATH}`]);
    expect(logged).toEqual([]);
    uid = 'node-uid';
    await pass(7_000);
    expect(lease().metadata.ownerReferences).toMatchObject([{ uid: 'node-uid' }]);
  });

  it('is adopted from an earlier agent', async () => {
    const { api, crash } = await nodeLease();
    api.take();
    await crash();
    expect(api.take()).toEqual([`get ${PATH}`, `update ${PATH}`]);
  });

  it('is owned by the recreated Node, and keeps its other owners', async () => {
    let uid = 'node-uid';
    const { lease, pass, api } = await nodeLease({ uid: () => uid });
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'other-uid' };
    const ownerReferences = [...(lease().metadata.ownerReferences ?? []), other];
    const metadata = { ...lease().metadata, ownerReferences, resourceVersion: 'written by another' };
    api.objects.set(PATH, { ...api.objects.get(PATH), metadata });
    uid = 'second';
    await pass(10_000);
    expect(lease().metadata.ownerReferences?.map((owner) => owner.uid)).toEqual(['other-uid', 'second']);
  });

  it.each<{ rule: string; fault: ApiFault; calls: readonly string[] }>([
    {
      rule: 'another writer came first: reads and writes again',
      fault: conflict,
      calls: [`get ${PATH}`, `update ${PATH}`],
    },
    { rule: 'it was deleted: creates it again', fault: notFound, calls: [CREATE] },
  ])('$rule', async ({ fault, calls }) => {
    const { api, lease, pass } = await nodeLease();
    api.take();
    let times = 0;
    api.fails = ({ verb }) => {
      if (verb !== 'update' || ++times > 1) return undefined;
      if (fault === notFound) api.objects.delete(PATH);
      return fault;
    };
    await pass(10_000);
    expect(api.take()).toEqual([`update ${PATH}`, ...calls]);
    expect(lease().spec?.renewTime).toBe('2026-01-02T03:04:15.000000Z');
  });

  it.each([
    // The API gateway reports a server that cannot be reached.
    { rule: 'ten minutes without an API server', fault: unreachable, lines: [] },
    {
      rule: 'ten minutes of 429',
      fault: tooMany,
      lines: [
        expect.stringMatching(
          /^warn: cannot renew the node's lease since \d+s: .+; the cluster takes this node for dead/,
        ),
        expect.stringMatching(/^info: can renew the node's lease again, after 9m5\ds$/),
      ],
    },
  ])('is back within ten seconds after $rule, without having stormed', async ({ fault, lines }) => {
    const { api, lease, pass, logged } = await nodeLease();
    api.take();
    api.fails = () => fault;
    await pass(600_000);
    expect(api.take().length).toBeLessThan(100);
    api.fails = () => undefined;
    await pass(10_000);
    expect(Date.parse(lease().spec?.renewTime ?? '')).toBeGreaterThan(START + 600_000);
    expect(logged).toEqual(lines);
  });

  it('is renewed as soon as the API server is reported up again', async () => {
    const { api, lease, pass, tell } = await nodeLease();
    api.fails = () => unreachable;
    await pass(60_000);
    api.fails = () => undefined;
    await tell({ type: 'api-health-changed', health: { state: 'up', since: 0 } });
    expect(Date.parse(lease().spec?.renewTime ?? '')).toBe(START + 60_000);
    api.take();
    await tell({ type: 'api-health-changed', health: { state: 'up', since: 0 } });
    expect(api.take()).toEqual([]);
  });

  it('is renewed while its Node is unknown', async () => {
    const { api, lease, pass, host } = await nodeLease();
    await host.stopActor('node-status');
    await pass(20_000);
    expect(api.take().filter((call) => call.startsWith('update'))).toHaveLength(2);
    expect(lease().metadata.ownerReferences).toHaveLength(1);
  });

  it('reports its age', async () => {
    const { ask, pass } = await nodeLease();
    await pass(4_000);
    expect(await ask({ type: 'lease-age' })).toBe(4_000);
  });
});
