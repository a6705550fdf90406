import { describe, expect, it } from 'vitest';
import {
  attachmentName,
  ephemeralHandle,
  nodeOwnsGroup,
  parseVolumeRecord,
  podInfo,
  stagingDirectory,
  uniqueVolumeName,
  volumeCapability,
  type CsiVolume,
  type NodeCapability,
} from '../../src/csi/csi-volume.ts';
import { driverEntry, newCsiNode, nodeIdsWith, withDriver, withoutDriver } from '../../src/csi/csi-node-object.ts';
import { VolumeCapability_AccessMode_Mode as Mode } from '../../src/csi/gen/csi.ts';
import { PluginInfo } from '../../src/csi/gen/registration.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../src/csi/persistent-volume.ts';
import { judgePlugin } from '../../src/csi/plugin-info.ts';
import { boundVolume, claimedVolume } from '../../src/csi/resolve-claim.ts';
import { keyed } from '../../src/kube/text/own.ts';
import { FOREIGN_NAMES } from '../support/foreign-names.ts';

const volume: CsiVolume = {
  driver: 'disks.test',
  handle: 'vol-1',
  specName: 'pv-1',
  lifecycle: 'Persistent',
  mode: 'Filesystem',
  fsType: 'ext4',
  readOnly: false,
  attributes: {},
  mountOptions: ['noatime'],
  accessMode: 'ReadWriteOnce',
};
const can = (...names: readonly NodeCapability[]): ReadonlySet<NodeCapability> => new Set(names);

describe('the names of a volume', () => {
  it('are those of the kubelet', () => {
    const sha = (text: string) => expect.stringMatching(new RegExp(`^${text}[0-9a-f]{64}$`)) as string;
    expect(ephemeralHandle('uid-1', 'data')).toEqual(sha('csi-'));
    expect(attachmentName(volume, 'node-a')).toEqual(sha('csi-'));
    expect(attachmentName(volume, 'node-a')).not.toBe(attachmentName(volume, 'node-b'));
    expect(uniqueVolumeName(volume)).toBe('kubernetes.io/csi/disks.test^vol-1');
    expect(stagingDirectory(volume)).toEqual(sha('plugins/kubernetes.io/csi/disks.test/'));
  });

  it.each(['../../etc', 'a/b', '', '\0'])('a handle such as %j leads nowhere', (handle) => {
    expect(stagingDirectory({ driver: 'd', handle })).toMatch(/^plugins\/kubernetes\.io\/csi\/d\/[0-9a-f]{64}$/);
  });
});

describe('the parameters of a driver call', () => {
  it.each([
    { mode: 'ReadWriteOnce', has: can(), asked: Mode.SINGLE_NODE_WRITER },
    { mode: 'ReadWriteOnce', has: can('SINGLE_NODE_MULTI_WRITER'), asked: Mode.SINGLE_NODE_MULTI_WRITER },
    { mode: 'ReadWriteOncePod', has: can(), asked: Mode.SINGLE_NODE_WRITER },
    { mode: 'ReadWriteOncePod', has: can('SINGLE_NODE_MULTI_WRITER'), asked: Mode.SINGLE_NODE_SINGLE_WRITER },
    { mode: 'ReadOnlyMany', has: can(), asked: Mode.MULTI_NODE_READER_ONLY },
    { mode: 'ReadWriteMany', has: can(), asked: Mode.MULTI_NODE_MULTI_WRITER },
  ] as const)('$mode is mode $asked', ({ mode, has, asked }) => {
    const { accessMode, mount } = volumeCapability({ ...volume, accessMode: mode }, has, undefined);
    expect(accessMode?.mode).toBe(asked);
    expect(mount).toEqual({ fsType: 'ext4', mountFlags: ['noatime'], volumeMountGroup: '' });
  });

  it.each([
    { has: can('VOLUME_MOUNT_GROUP'), policy: 'File', group: '42', node: false },
    { has: can(), policy: 'File', group: '', node: true },
    { has: can(), policy: 'None', group: '', node: false },
    { has: can(), policy: undefined, group: '', node: true },
  ])('the group under policy $policy is the driver\u2019s ($group) or the node\u2019s ($node)', (each) => {
    expect(volumeCapability(volume, each.has, 42).mount?.volumeMountGroup).toBe(each.group);
    expect(nodeOwnsGroup(volume, each.policy, each.has)).toBe(each.node);
  });

  it.each([
    { change: { fsType: '' }, owns: false },
    { change: { accessMode: 'ReadWriteMany' }, owns: false },
    { change: { readOnly: true }, owns: false },
    { change: { accessMode: 'ReadWriteOncePod' }, owns: true },
  ] as const)('by default the node owns what one writer formats: $change', ({ change, owns }) => {
    expect(nodeOwnsGroup({ ...volume, ...change }, undefined, can())).toBe(owns);
  });

  it("contain the pod under Kubernetes' names", () => {
    const pod = { podUid: 'u', podName: 'web', namespace: 'shop', serviceAccount: 'sa' };
    expect(podInfo(pod, { ...volume, lifecycle: 'Ephemeral' })).toEqual({
      'csi.storage.k8s.io/pod.name': 'web',
      'csi.storage.k8s.io/pod.namespace': 'shop',
      'csi.storage.k8s.io/pod.uid': 'u',
      'csi.storage.k8s.io/serviceAccount.name': 'sa',
      'csi.storage.k8s.io/ephemeral': 'true',
    });
  });
});

describe('a record of a volume', () => {
  it.each(['', '{', '[]', 'null', '{"driverName":"d"}', '{"driverName":1,"volumeHandle":"h"}'])(
    '%j is rejected',
    (text) => {
      expect(parseVolumeRecord(text)).toBeUndefined();
    },
  );
});

const claim = (more: object = {}): PersistentVolumeClaim => ({
  metadata: { name: 'data', namespace: 'shop', uid: 'claim-uid' },
  spec: { volumeName: 'pv-1' },
  status: { phase: 'Bound' },
  ...more,
});
const metadata = { name: 'data', namespace: 'shop', uid: 'claim-uid' };

describe('a claim', () => {
  const of = (c: PersistentVolumeClaim, ephemeral = false) => boundVolume(c, { ephemeral, podUid: 'uid-1' });
  const why = (text: string) => ({ ok: false, message: `error processing PVC shop/data: ${text}` });

  it.each([
    { rule: 'bound', claim: claim(), answer: { ok: true, value: 'pv-1' } },
    { rule: 'pending', claim: claim({ status: { phase: 'Pending' } }), answer: why('PVC is not bound') },
    { rule: 'bound to nothing', claim: claim({ spec: {} }), answer: why('PVC is not bound') },
    {
      rule: 'being deleted',
      claim: claim({ metadata: { ...metadata, deletionTimestamp: 'x' } }),
      answer: why('PVC is being deleted'),
    },
    {
      rule: 'being deleted, and held for this pod',
      claim: claim({ metadata: { ...metadata, deletionTimestamp: 'x', finalizers: ['kubernetes.io/pvc-protection'] } }),
      answer: { ok: true, value: 'pv-1' },
    },
  ])('that is $rule', ({ claim: c, answer }) => {
    expect(of(c)).toEqual(answer);
  });

  it('of a pod itself must belong to it', () => {
    const owned = (uid: string) => claim({ metadata: { ...metadata, ownerReferences: [{ uid, controller: true }] } });
    expect(of(owned('uid-1'), true)).toEqual({ ok: true, value: 'pv-1' });
    expect(of(owned('other'), true)).toEqual(why('PVC was not created for the pod (pod is not owner)'));
    expect(of(claim(), true)).toEqual(why('PVC was not created for the pod (pod is not owner)'));
  });
});

const persistent = (source: object): PersistentVolume => ({
  metadata: { name: 'pv-1' },
  spec: { claimRef: { uid: 'claim-uid' }, accessModes: ['ReadWriteMany'], ...source },
});
const use = { volumeName: 'data', readOnly: false, asDevice: false };
const csi = { csi: { driver: 'disks.test', volumeHandle: 'vol-1', volumeAttributes: { a: 'b' } } };

describe('a persistent volume', () => {
  it('of a driver', () => {
    const secrets = { nodeStageSecretRef: { name: 's', namespace: 'n' }, nodePublishSecretRef: { name: '' } };
    expect(claimedVolume(persistent({ csi: { ...csi.csi, ...secrets } }), claim(), { ...use, readOnly: true })).toEqual(
      {
        ok: true,
        value: {
          type: 'csi',
          volume: {
            driver: 'disks.test',
            handle: 'vol-1',
            specName: 'pv-1',
            lifecycle: 'Persistent',
            mode: 'Filesystem',
            fsType: '',
            readOnly: true,
            attributes: { a: 'b' },
            mountOptions: [],
            accessMode: 'ReadWriteMany',
            stageSecret: { name: 's', namespace: 'n' },
          },
        },
      },
    );
  });

  it.each([
    {
      source: { hostPath: { path: '/data', type: 'Directory' } },
      plan: { type: 'host-path', name: 'data', path: '/data', check: 'Directory' },
    },
    { source: { local: { path: '/disk' } }, plan: { type: 'local', name: 'data', specName: 'pv-1', path: '/disk' } },
  ])('of this host is made as $plan.type', ({ source, plan }) => {
    expect(claimedVolume(persistent(source), claim(), use)).toEqual({ ok: true, value: { type: 'plan', plan } });
  });

  const asDevice = { ...use, asDevice: true };

  it.each([
    { source: csi, is: { type: 'csi', volume: expect.objectContaining({ mode: 'Block' }) as object } },
    {
      source: { local: { path: '/dev/sdb' } },
      is: {
        type: 'device',
        volume: { plugin: 'kubernetes.io~local-volume', specName: 'pv-1', path: '/dev/sdb' },
      },
    },
  ])('as a block device is $is.type', ({ source, is }) => {
    const outcome = claimedVolume(persistent({ ...source, volumeMode: 'Block' }), claim(), asDevice);
    expect(outcome).toMatchObject({ ok: true, value: is });
  });

  it('of a directory of this host is never a block device', () => {
    const pv = persistent({ hostPath: { path: '/data' }, volumeMode: 'Block' });
    expect(claimedVolume(pv, claim(), asDevice)).toEqual({
      ok: false,
      message: 'error processing PVC shop/data: PV pv-1: volumes of kind hostPath are not supported by this node',
    });
  });

  it.each([
    { rule: 'without a claim', pv: { metadata: { name: 'pv-1' }, spec: csi }, why: 'PV pv-1 has no claimRef' },
    {
      rule: 'of another claim',
      pv: persistent({ ...csi, claimRef: { uid: 'x' } }),
      why: 'PV pv-1 is bound to another claim (UID x)',
    },
    {
      rule: 'of an unknown kind',
      pv: persistent({ nfs: { server: 's', path: '/' } }),
      why: 'PV pv-1: volumes of kind nfs are not supported by this node',
    },
    {
      rule: 'that is a block device',
      pv: persistent({ ...csi, volumeMode: 'Block' }),
      why: 'volume data has volumeMode Block, but is specified in volumeMounts',
    },
  ])('$rule cannot be used', ({ pv, why }) => {
    expect(claimedVolume(pv, claim(), use)).toEqual({
      ok: false,
      message: `error processing PVC shop/data: ${why}`,
    });
  });
});

describe('a plugin', () => {
  const info = (more: Partial<PluginInfo> = {}) =>
    PluginInfo.fromPartial({
      type: 'CSIPlugin',
      name: 'disks.test',
      endpoint: '/csi.sock',
      supportedVersions: ['1.0.0'],
      ...more,
    });

  it('registers a driver of version 1', () => {
    expect(judgePlugin(info(), '/s')).toEqual({ ok: true, driver: { name: 'disks.test', endpoint: '/csi.sock' } });
  });

  it.each([
    { more: { type: 'DevicePlugin' }, why: 'no handler registered for plugin type: DevicePlugin at socket /s' },
    { more: { name: '../x' }, why: 'failed to validate plugin ../x: its name is not a valid driver name' },
    { more: { name: '' }, why: 'failed to validate plugin : its name is not a valid driver name' },
    { more: { supportedVersions: [] }, why: 'failed to validate plugin disks.test: it supports no versions' },
    {
      more: { supportedVersions: ['0.3.0', '10.0.0'] },
      why: 'failed to validate plugin disks.test: none of the versions it supports, 0.3.0, 10.0.0, is known here: 1.x',
    },
    { more: { endpoint: '' }, why: 'failed to validate plugin disks.test: it names no endpoint' },
  ])('with $more is refused', ({ more, why }) => {
    expect(judgePlugin(info(more), '/s')).toEqual({ ok: false, message: why });
  });

  it('is refused in a short message, however long its own texts and lists are', () => {
    const long = '/'.repeat(50_000);
    const versions = Array.from({ length: 2_000 }, () => long);
    for (const more of [{ type: long }, { name: long }, { supportedVersions: versions }]) {
      const verdict = judgePlugin(info(more), '/s');
      expect(verdict).toMatchObject({ ok: false });
      expect(JSON.stringify(verdict).length).toBeLessThan(12_000);
    }
  });
});

describe('the CSINode of a node', () => {
  const driver = { name: 'd', nodeId: 'n-1', maxVolumes: 5n, topology: { zone: 'a', region: 'b' } };
  const entry = driverEntry(driver);

  it('has one entry per driver, and is changed only with its drivers', () => {
    expect(entry).toEqual({ name: 'd', nodeID: 'n-1', topologyKeys: ['region', 'zone'], allocatable: { count: 5 } });
    const object = withDriver(newCsiNode('node-a', 'uid'), entry);
    expect(withDriver(object, { ...entry, topologyKeys: ['zone', 'region'] })).toBe(object);
    expect(withDriver(object, { ...entry, nodeID: 'n-2' }).spec.drivers).toEqual([{ ...entry, nodeID: 'n-2' }]);
    expect(withoutDriver(object, 'd').spec.drivers).toEqual([]);
    expect(withoutDriver(object, 'other')).toBe(object);
  });

  it('omits topology and limits that a driver does not report', () => {
    expect(driverEntry({ ...driver, maxVolumes: 0n, topology: {} })).toEqual({
      name: 'd',
      nodeID: 'n-1',
      topologyKeys: null,
    });
  });

  it.each([
    { volumes: -(2n ** 63n), count: undefined },
    { volumes: -1n, count: undefined },
    { volumes: 1n, count: 1 },
    { volumes: 2n ** 31n - 1n, count: 2_147_483_647 },
    { volumes: 2n ** 31n, count: 2_147_483_647 },
    { volumes: 2n ** 63n - 1n, count: 2_147_483_647 },
  ])('counts $volumes volumes of a driver as $count, which the API can hold', ({ volumes, count }) => {
    expect(driverEntry({ ...driver, maxVolumes: volumes }).allocatable?.count).toBe(count);
  });

  it.each(FOREIGN_NAMES)('has the topology key %s of a driver', (name) => {
    expect(driverEntry({ ...driver, topology: keyed([[name, 'a']]) }).topologyKeys).toEqual([name]);
  });

  it.each([
    { known: undefined, ids: '{"d":"n-1"}' },
    { known: '{"d":"n-1"}', ids: undefined },
    { known: '{"d":"old","e":"x"}', ids: '{"d":"n-1","e":"x"}' },
    { known: 'not JSON', ids: '{"d":"n-1"}' },
  ])('the annotation $known becomes $ids', ({ known, ids }) => {
    expect(nodeIdsWith(known, driver)).toBe(ids);
  });
});
