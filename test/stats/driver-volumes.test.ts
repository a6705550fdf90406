import { describe, expect, it } from 'vitest';
import { walkWithDrivers } from '../../actors/stats-collector/walk-volumes.ts';
import { figuresOf } from '../../src/csi/volume-figures.ts';
import { VolumeUsage_Unit } from '../../src/csi/gen/csi.ts';
import { withDriverVolumes } from '../../src/stats/driver-volumes.ts';
import type { PodDisk } from '../../src/stats/pod-disk.ts';

const fileSystem = {
  availableBytes: 1,
  capacityBytes: 3,
  usedBytes: 2,
  inodesFree: 4,
  inodes: 6,
  inodesUsed: 2,
};
const nothing = { usedBytes: 0, inodesUsed: 0 };
const disk: PodDisk = {
  uid: 'uid-1',
  volumes: [],
  localVolumes: { 'pv-2': fileSystem },
  logs: {},
  otherLogs: nothing,
  ownFiles: nothing,
};
const claim = { name: 'c', namespace: 'shop' };
const volume = { podUid: 'uid-1', name: 'data', plugin: 'kubernetes.io~csi', specName: 'pv-1', claim };
const measured = { figures: { capacityBytes: 9 }, isAbnormal: false };

describe('a volume of a driver', () => {
  it.each([
    { rule: "has the driver's figures", of: { ...volume, measured }, seen: [{ name: 'data', claim, ...measured }] },
    { rule: "is left out without the driver's figures", of: volume, seen: undefined },
    { rule: 'does not belong to another pod', of: { ...volume, podUid: 'uid-2', measured }, seen: undefined },
    {
      rule: 'on a local disk has the figures of its file system',
      of: { ...volume, plugin: 'kubernetes.io~local-volume', specName: 'pv-2' },
      seen: [{ name: 'data', claim, figures: fileSystem }],
    },
    {
      rule: 'on a missing local disk is left out',
      of: { ...volume, plugin: 'kubernetes.io~local-volume', specName: 'pv-3' },
      seen: undefined,
    },
  ])('$rule', ({ of, seen }) => {
    expect(withDriverVolumes(disk, [of]).driverVolumes).toEqual(seen);
  });

  it("is measured beside the walk, independently of the walk's result", async () => {
    const drivers = async () => [{ ...volume, measured }];
    const walk = walkWithDrivers(async () => [disk, { ...disk, uid: 'uid-2' }], drivers);
    const walked = await walk([
      { uid: 'uid-1', podDir: '', logDir: '' },
      { uid: 'uid-2', podDir: '', logDir: '' },
    ]);
    expect(walked?.map(({ driverVolumes }) => driverVolumes?.length ?? 0)).toEqual([1, 0]);
    expect(await walkWithDrivers(async () => undefined, drivers)([])).toBeUndefined();
  });

  it('is measured in the units that its driver reports', () => {
    const { BYTES, INODES, UNKNOWN } = VolumeUsage_Unit;
    const used = { available: 1n, total: 3n, used: 2n };
    expect(figuresOf({ usage: [] })).toEqual({});
    expect(figuresOf({ usage: [{ ...used, unit: UNKNOWN }] })).toEqual({});
    expect(figuresOf({ usage: [{ ...used, unit: BYTES }] })).toEqual({
      availableBytes: 1,
      capacityBytes: 3,
      usedBytes: 2,
    });
    expect(figuresOf({ usage: [{ ...used, unit: INODES }] })).toEqual({ inodesFree: 1, inodes: 3, inodesUsed: 2 });
  });
});
