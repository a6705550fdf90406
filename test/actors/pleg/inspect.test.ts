import { describe, expect, it } from 'vitest';
import { PodLists } from '../../../actors/pleg/list-delta.ts';
import { listedContainer, listedSandbox, inspect, resultFromEvent } from '../../../actors/pleg/inspect.ts';
import {
  Container,
  ContainerEventResponse,
  ContainerEventType,
  ListContainersResponse,
  PodSandbox,
} from '../../../src/cri/gen/api.ts';
import { containerId, podUid, sandboxId } from '../../../src/kube/ids.ts';
import { FakeCriClient } from '../../support/fake-cri-client.ts';

const labelled = (uid: string, name = 'web', namespace = 'shop') => ({
  'io.kubernetes.pod.uid': uid,
  'io.kubernetes.pod.name': name,
  'io.kubernetes.pod.namespace': namespace,
});
const sandboxes = (labels: Readonly<Record<string, string>>) =>
  listedSandbox(PodSandbox.encode(PodSandbox.fromPartial({ id: 's', labels })).finish());
const containers = (labels: Readonly<Record<string, string>>) =>
  listedContainer(Container.encode(Container.fromPartial({ id: 'c', labels })).finish());
const time = { now: () => 1_000_000, monotonic: () => 1_000 };

describe('labels of the runtime', () => {
  it.each(['..', '.', '../../etc', 'a/b', '/', 'a\0b', 'x'.repeat(300)])(
    'with the UID %j are of no pod of this node',
    (uid) => {
      expect(sandboxes(labelled(uid))).toEqual([]);
      expect(containers(labelled(uid))).toEqual([]);
    },
  );

  it.each(['..', '../../etc', 'a/b', 'a\0b'])('with the name %j have none', (name) => {
    expect(sandboxes(labelled('u', name, name))).toMatchObject([{ podUid: 'u', name: '', namespace: '' }]);
  });
});

describe('an inspection', () => {
  const inspection = {
    podUid: podUid('u'),
    name: 'web',
    namespace: 'shop',
    at: 1,
    sandboxes: [sandboxId('s')],
    containers: [[containerId('c'), sandboxId('s')] as const],
  };

  it.each([
    {
      method: 'ContainerStatus',
      cri: new FakeCriClient({ ContainerStatus: () => ({ ok: true, value: { status: { id: 'other' } } }) }),
    },
    {
      method: 'PodSandboxStatus',
      cri: new FakeCriClient({ PodSandboxStatus: () => ({ ok: true, value: { status: { id: 'other' } } }) }),
    },
  ])('fails when $method answers about another thing, and names both', async ({ method, cri }) => {
    const only = method === 'ContainerStatus' ? { sandboxes: [] } : { containers: [] };
    expect(await inspect(cri, { ...inspection, ...only })).toMatchObject({
      ok: false,
      fault: { code: 'DATA_LOSS', detail: expect.stringContaining(`the answer to ${method} for `) as string },
    });
  });
});

describe('an event of the runtime', () => {
  const event = (parts: Parameters<typeof ContainerEventResponse.fromPartial>[0]) =>
    resultFromEvent(ContainerEventResponse.encode(ContainerEventResponse.fromPartial(parts)).finish(), time);

  it.each([2n ** 63n - 1n, -(2n ** 63n)])('at the instant %d does not count as newer than now', (createdAt) => {
    const look = event({ createdAt, podSandboxStatus: { id: 's', labels: labelled('u') } });
    expect(typeof look === 'string' ? Number.NaN : look.at).toBeLessThanOrEqual(1_000);
  });

  it('is unclear when its sandbox has no ID', () => {
    expect(event({ podSandboxStatus: { labels: labelled('u') } })).toBe('unclear');
  });

  it('ignores containers without an ID', () => {
    const look = event({
      containerEventType: ContainerEventType.CONTAINER_DELETED_EVENT,
      podSandboxStatus: { id: 's', labels: labelled('u') },
      containersStatuses: [{ id: '' }],
    });
    expect(look).toMatchObject({ containers: [] });
  });

  it('is unclear when it cannot be decoded', () => {
    expect(resultFromEvent(Uint8Array.of(10, 200, 1), time)).toBe('unclear');
  });
});

it('a list that cannot be read fails with the name of its method', () => {
  const good = ListContainersResponse.encode({ containers: [] }).finish();
  const bad = Uint8Array.of(10, 9);
  const delta = (lists: { readonly sandboxes: Uint8Array; readonly containers: Uint8Array }) =>
    new PodLists().delta({ at: 1, ...lists }, new Set());
  expect(delta({ sandboxes: bad, containers: good })).toMatchObject({
    code: 'DATA_LOSS',
    detail: expect.stringContaining('the answer to ListPodSandbox is not valid') as string,
  });
  expect(delta({ sandboxes: good, containers: bad })).toMatchObject({
    detail: expect.stringContaining('the answer to ListContainers is not valid') as string,
  });
});
