import { describe, expect, it } from 'vitest';
import { VolumeManager } from '../../../actors/volume-manager/actor.ts';
import { describeOrders } from '../../../actors/volume-manager/describe-orders.ts';
import type { VolumeManagerProtocol } from '../../../actors/volume-manager/protocol.ts';
import { podUid } from '../../../src/kube/ids.ts';
import { noDriverVolumes } from '../../../src/volumes/plan/driver-volume-calls.ts';
import { noBundles } from '../../../src/volumes/plan/object-source.ts';
import type { PodVolumes, VolumePlan } from '../../../src/volumes/plan/volume-plan.ts';
import type { VolumeOrder } from '../../../src/volumes/disk/volume-executor.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';

const disk: VolumePlan = { type: 'local', name: 'disk', specName: 'pv', path: '/mnt/disk' };
const wanting = (uid: string): PodVolumes => ({
  podUid: uid,
  namespace: 'shop',
  podName: 'web',
  volumes: [disk],
  fsGroupChangePolicy: 'Always',
});

async function manager() {
  const answers = new Map<string, PromiseWithResolvers<unknown>>();
  const actor = await actorUnderTest<VolumeManagerProtocol>({
    address: 'volume-manager',
    make: (context) =>
      new VolumeManager(context, {
        rootDir: '/root',
        objects: () => ({
          get: () => Promise.resolve({ type: 'missing', message: 'none' }),
          token: () => Promise.resolve({ type: 'failed', message: 'none' }),
          ...noBundles,
        }),
        foreign: () => noDriverVolumes,
        syncFrequencyMs: 60_000,
        podThreads: ['here'],
      }),
    others: {
      'job-pool': (question) => {
        // The volume manager asks the job pool for nothing else.
        const [order] = (question as unknown as { readonly orders: readonly VolumeOrder[] }).orders;
        if (order === undefined) return { ok: true, value: [] };
        const answered = Promise.withResolvers<unknown>();
        answers.set(order.type, answered);
        return answered.promise;
      },
      'pod-worker/uid-1': () => undefined,
      'pod-worker/uid-2': () => undefined,
    },
  });
  const lines = () => actor.logged.filter((line) => /can(not)? set up and remove volumes/.test(line));
  return { ...actor, answers, lines };
}

const CANNOT = 'warn: cannot set up and remove volumes since 10s:';
const FOLLOWS = 'pods wait for their volumes; retrying';

describe('a volume order without an answer for 10 s', () => {
  it('is reported once with volume and pod, and again when it is answered', async () => {
    const { tell, pass, lines } = await manager();
    await tell({ type: 'volumes-wanted', pod: wanting('uid-1') });
    await pass(9_999);
    expect(lines()).toEqual([]);
    await tell({ type: 'volumes-wanted', pod: wanting('uid-2') });
    await pass(60_001);
    const order = 'the setup of volume "disk" (kubernetes.io/local-volume) of pod uid-1';
    expect(lines()).toEqual([`${CANNOT} ${order} has no answer yet; ${FOLLOWS}`]);
  });

  it('is over when it is answered', async () => {
    const { tell, pass, lines, answers } = await manager();
    await tell({ type: 'volumes-wanted', pod: wanting('uid-1') });
    await pass(20_000);
    answers.get('set-up')?.resolve({ ok: true, value: [{ ok: true }] });
    await pass(1);
    expect(lines().slice(1)).toEqual(['info: can set up and remove volumes again, after 20s']);
  });

  it('is reported when an unmount hangs', async () => {
    const { ask, pass, lines } = await manager();
    void ask({ type: 'unmount-volumes', podUid: podUid('uid-1') }).catch(() => {});
    await pass(10_000);
    expect(lines()).toEqual([`${CANNOT} the removal of the volumes of pod uid-1 has no answer yet; ${FOLLOWS}`]);
  });
});

describe('orders, as people read them', () => {
  const pod = { podUid: 'uid-1', fsGroupChangePolicy: 'Always' } as const;
  const rootDir = '/root';
  const setUp: VolumeOrder = { type: 'set-up', rootDir, pod, plan: disk, fetched: [] };
  it.each<{ order: VolumeOrder; text: string }>([
    { order: setUp, text: 'the setup of volume "disk" (kubernetes.io/local-volume) of pod uid-1' },
    {
      order: { type: 'bind-sub-paths', rootDir, podUid: 'uid-1', container: 'main', binds: [] },
      text: 'the bind mount of sub-paths for container main of pod uid-1',
    },
    {
      order: { type: 'own-volume', rootDir, podUid: 'uid-1', place: ['volumes', 'pv'], gid: 7, policy: 'Always' },
      text: 'the change of the group of volume volumes/pv of pod uid-1',
    },
    {
      order: {
        type: 'map-device',
        rootDir,
        podUid: 'uid-1',
        volume: { plugin: 'kubernetes.io~csi', specName: 'raw', path: '/dev/raw' },
      },
      text: 'the mapping of device raw (kubernetes.io~csi) for pod uid-1',
    },
    {
      order: { type: 'unmap-devices', rootDir, podUid: 'uid-1' },
      text: 'the unmapping of the devices of pod uid-1',
    },
    { order: { type: 'tear-down', rootDir, podUid: 'uid-1' }, text: 'the removal of the volumes of pod uid-1' },
  ])('$order.type: names the object and the pod', ({ order, text }) => {
    expect(describeOrders([order])).toBe(text);
    expect(describeOrders([order, setUp, setUp])).toBe(`${text}, and 2 more`);
  });
});
