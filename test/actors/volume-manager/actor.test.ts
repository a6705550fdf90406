import { describe, expect, it } from 'vitest';
import { VolumeManager } from '../../../actors/volume-manager/actor.ts';
import { volumeMetrics } from '../../../actors/volume-manager/metrics.ts';
import type { VolumeManagerProtocol } from '../../../actors/volume-manager/protocol.ts';
import { MetricFamilies } from '../../../src/metrics/metric-families.ts';
import { podUid } from '../../../src/kube/ids.ts';
import { noDriverVolumes } from '../../../src/volumes/plan/driver-volume-calls.ts';
import {
  noBundles,
  type BundleAnswer,
  type ObjectAnswer,
  type ObjectSource,
  type TokenAnswer,
} from '../../../src/volumes/plan/object-source.ts';
import type { VolumeOrder } from '../../../src/volumes/disk/volume-executor.ts';
import type { FilesSource, PodVolumes, VolumePlan } from '../../../src/volumes/plan/volume-plan.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';

const ref = { kind: 'ConfigMap', namespace: 'shop', name: 'c' } as const;
const files = (source: FilesSource, name = 'data'): VolumePlan => ({
  type: 'files',
  name,
  plugin: 'configmap',
  defaultMode: 0o644,
  sources: [source],
});
const fromMap = files({ type: 'object', ref, optional: false });
const wanting = (uid: string, ...volumes: readonly VolumePlan[]): PodVolumes => ({
  podUid: uid,
  namespace: 'shop',
  podName: 'web',
  volumes,
  fsGroupChangePolicy: 'Always',
});

async function manager() {
  const families = new MetricFamilies();
  const metrics = volumeMetrics(families);
  const orders: VolumeOrder[] = [];
  const world = {
    object: { type: 'found', data: { data: { k: 'v' } }, version: '1' } as ObjectAnswer,
    token: { type: 'failed', message: 'failed to fetch token: no' } as TokenAnswer,
    bundle: { type: 'missing', message: 'no bundles' } as BundleAnswer,
    foreign: noDriverVolumes,
    answer: (asked: readonly VolumeOrder[]): unknown => ({ ok: true, value: asked.map(() => ({ ok: true })) }),
  };
  const objects: ObjectSource = {
    get: async () => world.object,
    token: async () => world.token,
    ...noBundles,
    bundle: async () => world.bundle,
  };
  const actor = await actorUnderTest<VolumeManagerProtocol>({
    address: 'volume-manager',
    make: (context) =>
      new VolumeManager(context, {
        rootDir: '/root',
        objects: () => objects,
        foreign: () => ({
          make: (pod, plan) => world.foreign.make(pod, plan),
          takeAway: (uid) => world.foreign.takeAway(uid),
        }),
        metrics,
        syncFrequencyMs: 60_000,
        podThreads: ['here'],
      }),
    others: {
      'job-pool': (question) => {
        const asked = (question as unknown as { readonly orders: readonly VolumeOrder[] }).orders;
        orders.push(...asked);
        return world.answer(asked);
      },
      'pod-worker/uid-1': () => undefined,
    },
  });
  return { ...actor, orders, world, families };
}

const claimed: VolumePlan = {
  type: 'claim',
  name: 'data',
  claim: 'c',
  ephemeral: false,
  readOnly: false,
  asDevice: false,
  serviceAccount: 'default',
};
const mount = (pod: PodVolumes) => ({ type: 'mount-volumes', pod }) as const;

describe('the volume manager', () => {
  it('fetches and writes the content of a volume, and answers afterwards', async () => {
    const { ask, orders } = await manager();
    expect(await ask(mount(wanting('uid-1', fromMap)))).toEqual({ ok: true });
    expect(orders).toEqual([
      expect.objectContaining({ type: 'set-up', fetched: [{ type: 'object', data: { data: { k: 'v' } } }] }),
    ]);
  });

  it('reports the problem to the worker, keeps trying, and fails the wait after 2m3s', async () => {
    const { host, world, take, pass } = await manager();
    world.answer = (asked) => ({ ok: true, value: asked.map(() => ({ ok: false, message: 'no space left' })) });
    take('pod-worker/uid-1');
    const answer = host.ask('volume-manager', mount(wanting('uid-1', fromMap)), 200_000);
    await pass(122_000);
    const message = 'MountVolume.SetUp failed for volume "data" : no space left';
    const told = take('pod-worker/uid-1');
    expect(told[0]).toEqual({ type: 'volume-failed', reason: 'FailedMount', message });
    expect(told.length).toBeGreaterThan(5);
    await pass(1_000);
    expect(await answer).toEqual({
      ok: false,
      message:
        'unmounted volumes=[data], unattached volumes=[], failed to process volumes=[]: context deadline exceeded',
    });
  });

  it('has drivers publish their volumes, returns their paths, and has them unpublished first', async () => {
    const { ask, orders, world } = await manager();
    const done: string[] = [];
    const place = ['volumes', 'kubernetes.io~csi', 'pv', 'mount'];
    world.foreign = {
      make: async (_, { name }) => ({ ok: true, type: 'mounted', path: `/at/${name}`, place }),
      takeAway: async (uid) => {
        done.push(`take away ${uid}`, `orders before: ${orders.length}`);
        return { ok: true };
      },
    };
    const disk: VolumePlan = { ...claimed, name: 'disk' };
    expect(await ask(mount({ ...wanting('uid-1', disk), fsGroup: 7 }))).toEqual({
      ok: true,
      paths: { disk: '/at/disk' },
    });
    expect(orders).toEqual([expect.objectContaining({ type: 'own-volume', place, gid: 7 })]);
    expect(await ask({ type: 'unmount-volumes', podUid: podUid('uid-1') })).toEqual({ ok: true });
    expect(done).toEqual(['take away uid-1', 'orders before: 1']);
    expect(orders.at(-1)).toMatchObject({ type: 'tear-down' });
  });

  it('fetches the trusted certificates of a pod, and writes them again only when they change', async () => {
    const { ask, orders, world, pass } = await manager();
    world.bundle = { type: 'found', pem: 'one' };
    const roots = files({ type: 'trust-bundle', path: 'roots.pem', optional: false, of: { name: 'roots' } });
    await ask(mount(wanting('uid-1', roots)));
    await pass(200_000);
    expect(orders).toEqual([expect.objectContaining({ fetched: [{ type: 'trust-bundle', pem: 'one' }] })]);
    world.bundle = { type: 'found', pem: 'two' };
    await pass(100_000);
    expect(orders).toHaveLength(2);
  });

  it('reports the volumes of drivers and claims with their paths', async () => {
    const { ask, world } = await manager();
    const places: Readonly<Record<string, string>> = {
      mounted: '/root/pods/uid-1/volumes/kubernetes.io~csi/pv-1/mount',
      device: '/root/pods/uid-1/volumeDevices/kubernetes.io~csi/pv-2',
      local: '/root/pods/uid-1/volumes/kubernetes.io~local-volume/pv-3',
      elsewhere: '/data',
    };
    world.foreign = {
      ...noDriverVolumes,
      make: async (_, { name }) => ({ ok: true, type: 'mounted', path: places[name] ?? '' }),
    };
    const inline = { driver: 'd', fsType: '', readOnly: false, attributes: {}, serviceAccount: 'default' } as const;
    const volumes = Object.keys(places).map((name) => ({ ...claimed, name }));
    await ask(mount(wanting('uid-1', ...volumes, fromMap)));
    await ask(mount(wanting('uid-2', { type: 'csi', name: 'mounted', ...inline })));
    const claim = { name: 'c', namespace: 'shop' };
    const of = { podUid: 'uid-1', claim };
    expect(await ask({ type: 'driver-volumes', podUids: ['uid-1', 'uid-2', 'nobody'] })).toEqual([
      { ...of, name: 'mounted', plugin: 'kubernetes.io~csi', specName: 'pv-1' },
      { ...of, name: 'device', plugin: 'kubernetes.io~csi', specName: 'pv-2' },
      { ...of, name: 'local', plugin: 'kubernetes.io~local-volume', specName: 'pv-3' },
    ]);
  });

  it('counts volumes and operations by plugin', async () => {
    const { ask, world, families } = await manager();
    world.foreign = {
      make: async () => ({ ok: true, type: 'mounted', path: '/at', driver: 'disks.test' }),
      takeAway: async () => ({ ok: true }),
    };
    await ask(mount(wanting('uid-1', fromMap, { ...claimed, name: 'disk' })));
    const lines = (): readonly string[] => families.text().match(/^(storage_operation.*_count|volume_man).*$/gm) ?? [];
    const there = [
      'volume_manager_total_volumes{plugin_name="kubernetes.io/configmap",state="desired_state_of_world"} 1',
      'volume_manager_total_volumes{plugin_name="kubernetes.io/configmap",state="actual_state_of_world"} 1',
      'volume_manager_total_volumes{plugin_name="kubernetes.io/csi:disks.test",state="desired_state_of_world"} 1',
      'volume_manager_total_volumes{plugin_name="kubernetes.io/csi:disks.test",state="actual_state_of_world"} 1',
    ];
    const done = (plugin: string, operation: string): string =>
      `storage_operation_duration_seconds_count{volume_plugin="${plugin}",operation_name="${operation}",status="success",migrated="false"} 1`;
    const made = [
      done('kubernetes.io/csi:disks.test', 'volume_mount'),
      done('kubernetes.io/configmap', 'volume_mount'),
    ];
    expect([...lines()].toSorted()).toEqual([...made, ...there].toSorted());
    await ask({ type: 'unmount-volumes', podUid: podUid('uid-1') });
    const gone = made.map((line) => line.replace('volume_mount', 'volume_unmount'));
    expect([...lines()].toSorted()).toEqual([...made, ...gone].toSorted());
  });

  it('keeps a pod’s directory while a driver cannot unpublish its volume', async () => {
    const { ask, orders, world } = await manager();
    const problem = { ok: false, message: 'driver gone' } as const;
    world.foreign = { ...noDriverVolumes, takeAway: async () => problem };
    expect(await ask({ type: 'unmount-volumes', podUid: podUid('uid-1') })).toEqual(problem);
    expect(orders).toEqual([]);
  });

  it('has a block device mapped, returns its path, and calls no driver while the device is held', async () => {
    const { ask, orders, world, logged } = await manager();
    const taken: string[] = [];
    const volume = { plugin: 'kubernetes.io~csi', specName: 'pv', path: '/dev/loop7' } as const;
    world.foreign = {
      make: async () => ({ ok: true, type: 'device', volume }),
      takeAway: async () => {
        taken.push(orders.at(-1)?.type ?? 'none');
        return taken.at(-1) === 'unmap-devices' ? { ok: true } : { ok: false, message: 'bound', isMapped: true };
      },
    };
    const done = { ok: true, path: '/link', warning: 'no loop devices' };
    world.answer = (asked) => ({ ok: true, value: asked.map(() => done) });
    const answer = await ask(mount(wanting('uid-1', { ...claimed, asDevice: true })));
    expect(answer).toEqual({ ok: true, paths: { data: '/link' } });
    expect(orders).toEqual([{ type: 'map-device', rootDir: '/root', podUid: 'uid-1', volume }]);
    expect(logged).toContainEqual(expect.stringContaining('no loop devices'));
    const busy = { ok: false, message: 'umount: target is busy' };
    world.answer = (asked) => ({ ok: true, value: asked.map(() => busy) });
    const unmount = { type: 'unmount-volumes', podUid: podUid('uid-1') } as const;
    expect(await ask(unmount)).toEqual(busy);
    expect(taken).toEqual(['map-device']);
    world.answer = (asked) => ({ ok: true, value: asked.map(() => ({ ok: true })) });
    expect(await ask(unmount)).toEqual({ ok: true });
    expect(taken.at(-1)).toBe('unmap-devices');
    expect(orders.at(-1)).toMatchObject({ type: 'tear-down' });
  });

  it('fails at once for an unusable claim, reports it once per wait, and continues when it becomes usable', async () => {
    const { ask, take, quiet, clock, world } = await manager();
    const why = 'error processing PVC shop/c: PVC is not bound';
    world.foreign = { ...noDriverVolumes, make: async () => ({ ok: false, lacks: 'claim', message: why }) };
    const message = `unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: ${why}`;
    expect(await ask(mount(wanting('uid-1', claimed)))).toEqual({ ok: false, message });
    clock.advance(60_000);
    await quiet();
    expect(take('pod-worker/uid-1').filter(({ type }) => type === 'volume-failed')).toEqual([
      { type: 'volume-failed', reason: 'FailedMount', message: `Unable to attach or mount volumes: ${message}` },
    ]);
    world.foreign = { ...noDriverVolumes, make: async () => ({ ok: true, type: 'mounted', path: '/there' }) };
    const later = ask(mount(wanting('uid-1', claimed)));
    clock.advance(60_000);
    await quiet();
    expect(await later).toEqual({ ok: true, paths: { data: '/there' } });
  });

  it("sets up a claim's local volume itself", async () => {
    const { ask, orders, world } = await manager();
    const plan: VolumePlan = { type: 'host-path', name: 'disk', path: '/data', check: '' };
    world.foreign = { ...noDriverVolumes, make: async () => ({ ok: true, type: 'plan', plan }) };
    expect(await ask(mount(wanting('uid-1', { ...claimed, name: 'disk' })))).toEqual({
      ok: true,
      paths: { disk: '/data' },
    });
    expect(orders).toEqual([expect.objectContaining({ type: 'set-up', plan })]);
  });

  it('writes a volume again when its object has changed', async () => {
    const { ask, tell, orders, world } = await manager();
    await ask(mount(wanting('uid-1', fromMap)));
    world.object = { type: 'found', data: { data: { k: 'new' } }, version: '2' };
    await tell({ type: 'objects-changed', keys: ['ConfigMap/shop/c'] });
    expect(orders.at(-1)).toMatchObject({ fetched: [{ data: { data: { k: 'new' } } }] });
    expect(orders).toHaveLength(2);
  });

  it('checks written volumes every sync period, and writes changes', async () => {
    const { ask, pass, orders, world } = await manager();
    world.token = { type: 'found', token: 'first' };
    const source = { type: 'token', path: 't', audience: '', expirationSeconds: 600, serviceAccount: 'a' } as const;
    await ask(mount(wanting('uid-1', files(source), files({ type: 'object', ref, optional: false }, 'map'))));
    await pass(120_000);
    expect(orders).toHaveLength(2);
    world.token = { type: 'found', token: 'second' };
    await pass(60_000);
    expect(orders).toHaveLength(3);
    expect(orders.at(-1)).toMatchObject({ fetched: [{ type: 'token', token: 'second' }] });
  });

  it('sends small orders together, and slow ones alone', async () => {
    const { ask, world } = await manager();
    const batches: number[] = [];
    world.answer = (asked) => {
      batches.push(asked.length);
      return { ok: true, value: asked.map(() => ({ ok: true })) };
    };
    const memory: VolumePlan = { type: 'empty-dir', name: 'm', medium: 'memory' };
    const pods = Array.from({ length: 40 }, (_, index) => wanting(`uid-${index}`, fromMap));
    await Promise.all([...pods, wanting('a', memory), wanting('b', memory)].map((pod) => ask(mount(pod))));
    expect(batches.toSorted((one, other) => one - other).slice(0, 2)).toEqual([1, 1]);
    expect(Math.max(...batches)).toBeGreaterThan(1);
    expect(Math.max(...batches)).toBeLessThanOrEqual(32);
  });

  it('is not held up by a hanging order: other pods get their volumes, also in memory', async () => {
    const { ask, world } = await manager();
    const memory: VolumePlan = { type: 'empty-dir', name: 'm', medium: 'memory' };
    world.answer = (asked) =>
      asked.some((order) => order.type === 'set-up' && order.pod.podUid === 'stuck')
        ? new Promise(() => {})
        : { ok: true, value: asked.map(() => ({ ok: true })) };
    void ask(mount(wanting('stuck', memory))).catch(() => {});
    expect(await ask(mount(wanting('uid-1', memory, fromMap)))).toEqual({ ok: true });
  });

  it('repeats orders lost with a job thread', async () => {
    const { ask, world, pass } = await manager();
    world.answer = () => ({ ok: false, problem: 'the thread ended' });
    const answer = ask(mount(wanting('uid-1', fromMap)));
    await pass(0);
    world.answer = (asked) => ({ ok: true, value: asked.map(() => ({ ok: true })) });
    await pass(1_000);
    expect(await answer).toEqual({ ok: true });
  });

  it('unmounts volumes, and reports a failure', async () => {
    const { ask, orders, world } = await manager();
    const unmount = { type: 'unmount-volumes', podUid: podUid('uid-1') } as const;
    world.answer = (asked) => ({ ok: true, value: asked.map(() => ({ ok: false, message: 'target is busy' })) });
    expect(await ask(unmount)).toEqual({ ok: false, message: 'target is busy' });
    world.answer = (asked) => ({ ok: true, value: asked.map(() => ({ ok: true })) });
    expect(await ask(unmount)).toEqual({ ok: true });
    expect(orders).toEqual([
      { type: 'tear-down', rootDir: '/root', podUid: 'uid-1' },
      { type: 'tear-down', rootDir: '/root', podUid: 'uid-1' },
    ]);
  });

  it('asks the workers for their volumes at its start, and again after a crash', async () => {
    const { take, crash, pass, tell, orders } = await manager();
    expect(take('pod-worker/uid-1')).toEqual([{ type: 'report-volumes' }]);
    await crash();
    await pass(10_000);
    expect(take('pod-worker/uid-1')).toEqual([{ type: 'report-volumes' }]);
    await tell({ type: 'volumes-wanted', pod: wanting('uid-1', fromMap) });
    expect(orders).toHaveLength(1);
  });
});
