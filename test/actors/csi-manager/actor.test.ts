import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CsiManager } from '../../../actors/csi-manager/actor.ts';
import { csiMetrics } from '../../../actors/csi-manager/metrics.ts';
import { KeyedWork } from '../../../actors/csi-manager/keyed-work.ts';
import type { CsiManagerProtocol } from '../../../actors/csi-manager/protocol.ts';
import {
  noStorageObjects,
  type CsiDriverSpec,
  type StorageObjects,
} from '../../../actors/csi-manager/storage-objects.ts';
import { systemClock } from '../../../src/actor/clock.ts';
import { MetricFamilies } from '../../../src/metrics/metric-families.ts';
import { seededRandom } from '../../../src/actor/random.ts';
import { csiConnections } from '../../../src/csi/csi-client.ts';
import { hostCsiFiles } from '../../../src/csi/csi-files.ts';
import { pluginSockets } from '../../../src/csi/plugin-sockets.ts';
import type { DriverFigures } from '../../../src/stats/pod-disk.ts';
import type { DriverVolumeOutcome } from '../../../src/volumes/plan/driver-volume-calls.ts';
import type { ClaimPlan, CsiPlan } from '../../../src/volumes/plan/volume-plan.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { waitUntil } from '../../support/containerd/wait-until.ts';
import { CsiDriver, DEVICE_BYTES } from '../../support/csi-driver.ts';
import { mayMount, temporaryRoot } from '../../volumes/temporary-root.ts';

const DRIVER = 'disks.test';
let root: ReturnType<typeof temporaryRoot>;
let driver: CsiDriver;
let registry: string;
let work: KeyedWork;

beforeEach(() => {
  root = temporaryRoot();
  registry = join(root.dir, 'plugins_registry');
  mkdirSync(registry);
  work = new KeyedWork();
  driver = new CsiDriver(DRIVER, join(root.dir, 'disks'));
});
afterEach(() => {
  driver.stop();
  root.discard();
  driver.detachAll();
});

const IS_KNOWN = { what: 'the driver to be known', withinMs: 10_000 };
const IS_CLEAN = { what: 'every mount to be gone', withinMs: 10_000 };
const announced: string[] = [];
const world = {
  accessModes: ['ReadWriteOnce'],
  driver: { attachRequired: false } as CsiDriverSpec,
  attached: false,
  /** The mode of the volume, and of the claim. */
  capacity: { volume: '1Gi', claim: '1Gi' },
};
const grown: string[] = [];

/** Every claim `c` is bound to a volume `c` of the driver. */
const objects: StorageObjects = {
  ...noStorageObjects,
  claim: async (namespace, name) => ({
    ok: true,
    value: {
      metadata: { name, namespace, uid: name },
      spec: { volumeName: name },
      status: { phase: 'Bound', capacity: { storage: world.capacity.claim } },
    },
  }),
  volume: async (name) => ({
    ok: true,
    value: {
      metadata: { name },
      spec: {
        claimRef: { uid: name },
        capacity: { storage: world.capacity.volume },
        accessModes: world.accessModes,
        ...(name.startsWith('raw') ? { volumeMode: 'Block' } : {}),
        csi: { driver: DRIVER, volumeHandle: name, fsType: 'ext4' },
      },
    },
  }),
  driver: async () => ({ ok: true, value: world.driver }),
  attachment: async () => ({ ok: true, value: { attached: world.attached } }),
  grown: async ({ capacity }) => {
    grown.push(capacity);
    world.capacity.claim = capacity;
    return { ok: true, value: undefined };
  },
  announce: async ({ name, nodeId }) => {
    announced.push(`${name} is ${nodeId}`);
    return { ok: true, value: undefined };
  },
};

async function manager(families = new MetricFamilies(), beforeSockets = () => Promise.resolve()) {
  const actor = await actorUnderTest<CsiManagerProtocol>({
    address: 'csi-manager',
    make: (context) =>
      new CsiManager(context, {
        place: { rootDir: root.dir, nodeName: 'node-a', files: hostCsiFiles },
        connections: async () => csiConnections(systemClock, csiMetrics(families)),
        objects,
        token: async (_, { audience }) => ({ ok: true, value: { token: `for ${audience}`, expiresAt: 86_400_000 } }),
        sockets: () => beforeSockets().then(() => pluginSockets(registry)),
        work,
        inCluster: true,
      }),
    others: { 'node-status': () => undefined },
  });
  const make = (podUid: string, plan: ClaimPlan | CsiPlan = claim('vol-1')) =>
    actor.ask({
      type: 'set-up-volume',
      pod: { podUid, podName: 'web', namespace: 'shop', serviceAccount: 'default', fsGroup: 7 },
      plan,
    }) as Promise<DriverVolumeOutcome>;
  const takeAway = (podUid: string) => actor.ask({ type: 'tear-down-volumes', podUid });
  /** Until the driver is known. */
  const ready = async (): Promise<void> => {
    await waitUntil(async () => {
      await actor.pass(1_000);
      return actor.logged.some((line) => line.includes('CSI driver registered'));
    }, IS_KNOWN);
  };
  return { ...actor, make, takeAway, ready };
}

/** The volumes that are devices. */
const claim = (name: string): ClaimPlan => ({
  type: 'claim',
  name: 'data',
  claim: name,
  ephemeral: false,
  readOnly: false,
  asDevice: name.startsWith('raw'),
  serviceAccount: 'default',
});
const inline: CsiPlan = {
  type: 'csi',
  name: 'scratch',
  driver: DRIVER,
  fsType: '',
  readOnly: false,
  attributes: { size: '1' },
  serviceAccount: 'default',
};
const pathOf = (outcome: DriverVolumeOutcome): string => (outcome.ok && outcome.type === 'mounted' ? outcome.path : '');

// Drivers use bind mounts, which only root may create.
describe.runIf(mayMount)('the CSI manager, with a real driver', () => {
  it('waits for the driver, and reports the wait to pods', async () => {
    const { make, ready, host } = await manager();
    expect(await make('pod-a')).toEqual({
      ok: false,
      message: `driver name ${DRIVER} not found in the list of registered CSI drivers`,
    });
    await driver.start(registry);
    await ready();
    expect(announced).toContain(`${DRIVER} is node-7`);
    expect(pathOf(await make('pod-a'))).toBe(`${root.dir}/pods/pod-a/volumes/kubernetes.io~csi/vol-1/mount`);
    await host.stopActor('csi-manager');
  });

  it('does not report a driver as missing before it was asked', async () => {
    await driver.start(registry);
    const before = await manager();
    await before.ready();
    await before.make('pod-a');
    await before.host.stopActor('csi-manager');
    const after = await manager();
    const [gone, there] = await Promise.all([after.takeAway('pod-a'), after.make('pod-b')]);
    expect(gone).toEqual({ ok: true });
    expect(pathOf(there)).toBe(`${root.dir}/pods/pod-b/volumes/kubernetes.io~csi/vol-1/mount`);
    await after.takeAway('pod-b');
    await after.host.stopActor('csi-manager');
  });

  it('does not wait long for a plugin that does not answer', async () => {
    await driver.start(registry);
    let answer = (): void => undefined;
    const silent = new Promise<void>((resolve) => (answer = resolve));
    const { make, pass, host } = await manager(new MetricFamilies(), () => silent);
    const asked = make('pod-a');
    await pass(5_000);
    expect(await asked).toMatchObject({ ok: false });
    answer();
    await host.stopActor('csi-manager');
  });

  it('stages a volume once for all pods, and unstages it with the last pod', async () => {
    await driver.start(registry);
    const { make, takeAway, ready } = await manager();
    await ready();
    const [a, b] = await Promise.all([make('pod-a'), make('pod-b')]);
    writeFileSync(join(pathOf(a), 'file'), 'from a');
    expect(readFileSync(join(pathOf(b), 'file'), 'utf8')).toBe('from a');
    expect(await takeAway('pod-a')).toEqual({ ok: true });
    expect(driver.calls).not.toContain('unstage vol-1');
    expect(await takeAway('pod-b')).toEqual({ ok: true });
    expect(driver.calls.at(-1)).toBe('unstage vol-1');
    expect(root.mountsBelow()).toEqual([]);
    expect(readFileSync(join(root.dir, 'disks/vol-1/file'), 'utf8')).toBe('from a');
  });

  it('publishes an ephemeral volume without staging it', async () => {
    world.driver = { attachRequired: true, podInfoOnMount: true };
    await driver.start(registry);
    const { make, takeAway, ready } = await manager();
    await ready();
    expect(pathOf(await make('pod-a', inline))).toContain('/pods/pod-a/volumes/kubernetes.io~csi/scratch/mount');
    expect(driver.published.at(-1)?.volumeContext).toMatchObject({
      size: '1',
      'csi.storage.k8s.io/ephemeral': 'true',
      'csi.storage.k8s.io/pod.name': 'web',
    });
    expect(await takeAway('pod-a')).toEqual({ ok: true });
    expect(driver.calls.map((call) => call.split(' ')[0])).toEqual(['publish', 'unpublish']);
    world.driver = { attachRequired: false };
  });

  it('waits until the volume is attached, and lists it as in use on the node', async () => {
    world.driver = { attachRequired: true };
    await driver.start(registry);
    const { make, takeAway, ready, take } = await manager();
    await ready();
    expect(await make('pod-a')).toEqual({
      ok: false,
      lacks: 'attachment',
      message: 'volume vol-1 is not attached yet',
    });
    expect(take('node-status')).toEqual([
      { type: 'volumes-in-use-changed', volumes: [`kubernetes.io/csi/${DRIVER}^vol-1`] },
    ]);
    world.attached = true;
    expect(pathOf(await make('pod-a'))).not.toBe('');
    await takeAway('pod-a');
    expect(take('node-status')).toEqual([{ type: 'volumes-in-use-changed', volumes: [] }]);
    world.driver = { attachRequired: false };
    world.attached = false;
  });

  it.each([
    ['with what the volume is', false],
    ['with the secrets', true],
  ])('passes new tokens %s at each publish to a driver that requests tokens', async (_, inSecrets) => {
    world.driver = {
      attachRequired: false,
      requiresRepublish: true,
      serviceAccountTokenInSecrets: inSecrets,
      tokenRequests: [{ audience: 'vault', expirationSeconds: 600 }, { audience: '' }],
    };
    await driver.start(registry);
    const { make, takeAway, ready } = await manager();
    await ready();
    expect(await make('pod-a')).toMatchObject({ ok: true, refresh: true });
    expect(await make('pod-a')).toMatchObject({ ok: true, refresh: true });
    expect(driver.calls).toEqual(['stage vol-1', 'publish vol-1', 'publish vol-1']);
    const { secrets, volumeContext } = driver.published[1] ?? {};
    const key = 'csi.storage.k8s.io/serviceAccount.tokens';
    expect(JSON.parse((inSecrets ? secrets : volumeContext)?.[key] ?? '')).toEqual({
      vault: { token: 'for vault', expirationTimestamp: '1970-01-02T00:00:00Z' },
      '': { token: 'for ', expirationTimestamp: '1970-01-02T00:00:00Z' },
    });
    expect((inSecrets ? volumeContext : secrets)?.[key]).toBeUndefined();
    await takeAway('pod-a');
    world.driver = { attachRequired: false };
  });

  it('expands a grown volume on the node once, also while its pod runs', async () => {
    driver.expands = true;
    await driver.start(registry);
    const { make, takeAway, ready } = await manager();
    await ready();
    expect(await make('pod-a')).toMatchObject({ ok: true, refresh: true });
    expect(driver.calls).toEqual(['stage vol-1', 'publish vol-1']);
    world.capacity.volume = '2Gi';
    const larger = await make('pod-a');
    expect(larger).toMatchObject({ ok: true, grown: true });
    const path = pathOf(larger);
    expect(await make('pod-a')).not.toHaveProperty('grown');
    expect(driver.calls).toEqual(['stage vol-1', 'publish vol-1', 'expand vol-1']);
    expect(driver.expanded[0]).toMatchObject({ volumePath: path, capacityRange: { requiredBytes: 2n ** 31n } });
    expect(grown).toEqual(['2Gi']);
    await takeAway('pod-a');
    world.capacity = { volume: '1Gi', claim: '1Gi' };
  });

  it('asks only drivers with volume stats, and only about their own volumes', async () => {
    await driver.start(registry);
    const { make, takeAway, ready, ask } = await manager();
    await ready();
    const path = pathOf(await make('pod-a'));
    await make('pod-a', claim('raw-1'));
    const volumes = ['vol-1', 'raw-1', 'gone'].map((specName) => ({ podUid: 'pod-a', specName }));
    const measure = () => ask({ type: 'measure-volumes', volumes }) as Promise<readonly (DriverFigures | undefined)[]>;
    expect(await measure()).toEqual([undefined, undefined, undefined]);
    expect(driver.measured).toEqual([]);
    driver.measures = true;
    writeFileSync(join(path, 'broken'), '');
    const [mounted, device, gone] = await measure();
    const { blocks, bsize, files } = statfsSync(path);
    expect(mounted).toMatchObject({
      figures: { capacityBytes: blocks * bsize, inodes: files },
      isAbnormal: true,
      condition: 'broken',
    });
    expect(device).toEqual({
      figures: { availableBytes: 0, capacityBytes: DEVICE_BYTES, usedBytes: 0 },
      isAbnormal: false,
    });
    expect(gone).toBeUndefined();
    const staging = expect.stringContaining('/plugins/kubernetes.io/csi/') as string;
    expect(driver.measured[0]).toEqual({ volumeId: 'vol-1', volumePath: path, stagingTargetPath: staging });
    await takeAway('pod-a');
  });

  it('counts the calls to a driver and how they ended', async () => {
    const families = new MetricFamilies();
    await driver.start(registry);
    const { make, takeAway, ready } = await manager(families);
    await ready();
    driver.refuses = 'publish';
    await make('pod-a');
    driver.refuses = undefined;
    await make('pod-a');
    await takeAway('pod-a');
    const counted = families.text().matchAll(/^csi_operations_seconds_count\{(.*)\} (\d+)$/gm);
    const calls = Object.fromEntries(
      Array.from(counted, ([, labels = '', count]) => {
        const [, method = '', code = ''] =
          /method_name="\/csi.v1.Node\/(\w+)",grpc_status_code="(\w+)"/.exec(labels) ?? [];
        return [`${method} ${code}`, Number(count)];
      }),
    );
    expect(calls).toMatchObject({
      'NodePublishVolume Internal': 1,
      'NodePublishVolume OK': 1,
      'NodeUnpublishVolume OK': 1,
      'NodeGetInfo OK': 1,
    });
    expect(families.text()).toContain(`driver_name="${DRIVER}"`);
  });

  it('gives a single-pod volume to one pod only', async () => {
    world.accessModes = ['ReadWriteOncePod'];
    await driver.start(registry);
    const { make, takeAway, ready } = await manager();
    await ready();
    expect(pathOf(await make('pod-a'))).not.toBe('');
    expect(await make('pod-b')).toMatchObject({ ok: false });
    await takeAway('pod-a');
    expect(pathOf(await make('pod-b'))).not.toBe('');
    await takeAway('pod-b');
    world.accessModes = ['ReadWriteOnce'];
  });

  it('publishes a block device to each of its pods, and finds its users on disk after a crash', async () => {
    await driver.start(registry);
    const before = await manager();
    await before.ready();
    const device = (podUid: string) => ({
      ok: true,
      type: 'device',
      driver: DRIVER,
      volume: {
        plugin: 'kubernetes.io~csi',
        specName: 'raw-1',
        path: `${root.dir}/plugins/kubernetes.io/csi/volumeDevices/publish/raw-1/${podUid}`,
      },
    });
    const made = await before.make('pod-a', claim('raw-1'));
    expect(made).toEqual(device('pod-a'));
    expect(statSync(device('pod-a').volume.path).isBlockDevice()).toBe(true);
    expect(await before.make('pod-b', claim('raw-1'))).toEqual(device('pod-b'));
    // Bound as by the volume executor: the driver is called only after the bind is undone.
    const map = `${root.dir}/plugins/kubernetes.io/csi/volumeDevices/raw-1/dev`;
    mkdirSync(map);
    writeFileSync(`${map}/pod-a`, '');
    expect(await before.takeAway('pod-a')).toEqual({
      ok: false,
      message: 'device raw-1 is still bound',
      isMapped: true,
    });
    rmSync(map, { recursive: true });
    expect(driver.published[0]).toMatchObject({ volumeCapability: { block: {}, mount: undefined } });
    await before.host.stopActor('csi-manager');
    const { takeAway, ready } = await manager();
    await ready();
    expect(await takeAway('pod-a')).toEqual({ ok: true });
    expect(driver.calls).not.toContain('unstage raw-1');
    expect(await takeAway('pod-b')).toEqual({ ok: true });
    expect(driver.calls.at(-1)).toBe('unstage raw-1');
    expect(root.mountsBelow()).toEqual([]);
    expect(readdirSync(`${root.dir}/plugins/kubernetes.io/csi/volumeDevices/publish`)).toEqual([]);
    expect(readdirSync(`${root.dir}/pods/pod-a/volumeDevices/kubernetes.io~csi`)).toEqual([]);
  });

  it('unstages a device that could not be published', async () => {
    await driver.start(registry);
    const before = await manager();
    await before.ready();
    driver.refuses = 'publish';
    expect(await before.make('pod-a', claim('raw-2'))).toMatchObject({ ok: false });
    await before.host.stopActor('csi-manager');
    driver.refuses = undefined;
    // The pod is gone, and it is unknown whether it had the device.
    const { takeAway, ready } = await manager();
    await ready();
    expect(await takeAway('pod-a')).toEqual({ ok: true });
    expect(driver.calls).toEqual(['stage raw-2', 'publish raw-2', 'unpublish raw-2', 'unstage raw-2']);
  });

  it('finds the mounted volumes on disk after a crash', async () => {
    await driver.start(registry);
    const before = await manager();
    await before.ready();
    await before.make('pod-a');
    await before.make('pod-b');
    await before.host.stopActor('csi-manager');
    const { takeAway, ready } = await manager();
    await ready();
    await takeAway('pod-a');
    expect(driver.calls).not.toContain('unstage vol-1');
    await takeAway('pod-b');
    expect(driver.calls.at(-1)).toBe('unstage vol-1');
    expect(root.mountsBelow()).toEqual([]);
  });

  it('keeps a pod\u2019s volumes while their driver is away', async () => {
    await driver.start(registry);
    const before = await manager();
    await before.ready();
    await before.make('pod-a');
    driver.stop();
    await before.host.stopActor('csi-manager');
    const alone = await manager();
    expect(await alone.takeAway('pod-a')).toMatchObject({ ok: false });
    expect(root.mountsBelow()).not.toEqual([]);
    driver = new CsiDriver(DRIVER, join(root.dir, 'disks'));
    await driver.start(registry);
    await alone.ready();
    expect(await alone.takeAway('pod-a')).toEqual({ ok: true });
    expect(root.mountsBelow()).toEqual([]);
  });

  it.each(Array.from({ length: 12 }, (_, seed) => seed))(
    'leaves no mount behind, at whichever step it dies (seed %d)',
    async (seed) => {
      const random = seededRandom(seed);
      await driver.start(registry);
      const pods = ['pod-a', 'pod-b', 'pod-c'];
      for (let life = 0; life < 3; life += 1) {
        const { host, make, takeAway, ready } = await manager();
        await ready();
        // Not awaited: the manager dies while the calls are under way.
        const asked = Array.from({ length: 4 }, () => {
          const pod = pods[Math.floor(random() * pods.length)] ?? '';
          const work =
            random() < 0.6
              ? make(pod, claim(random() < 0.3 ? 'raw-1' : `vol-${Math.floor(random() * 2)}`))
              : takeAway(pod);
          return work.catch(() => undefined);
        });
        if (random() < 0.5) await asked[0];
        await host.stopActor('csi-manager');
        await Promise.all(asked);
      }
      const { takeAway, ready, pass } = await manager();
      await ready();
      await waitUntil(async () => {
        for (const pod of pods) await takeAway(pod);
        await pass(120_000);
        return root.mountsBelow().length === 0;
      }, IS_CLEAN);
      expect(root.mountsBelow()).toEqual([]);
    },
  );
});
