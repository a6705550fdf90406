import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeviceVolume } from '../../../src/volumes/plan/device-place.ts';
import { loopDevices } from '../../../src/volumes/disk/loop-devices.ts';
import { systemMounter, type Mounter } from '../../../src/volumes/disk/mounter.ts';
import { VolumeExecutor, type VolumeOrder } from '../../../src/volumes/disk/volume-executor.ts';
import { mayMount, temporaryRoot, volumeTools } from '../temporary-root.ts';

const OK = { ok: true };

// Only root may bind a device and hold it.
describe.runIf(mayMount)('a block device of a pod', () => {
  let root: ReturnType<typeof temporaryRoot>;
  let device: string;
  let volume: DeviceVolume;
  beforeEach(() => {
    root = temporaryRoot();
    const file = join(root.dir, 'disk.img');
    writeFileSync(file, '');
    truncateSync(file, 1024 * 1024);
    device = execFileSync('losetup', ['-f', '--show', file], { encoding: 'utf8' }).trim();
    volume = { plugin: 'kubernetes.io~local-volume', specName: 'pv-1', path: device };
  });
  afterEach(async () => {
    for (const path of root.mountsBelow()) await loopDevices.letGo(path);
    root.discard();
    execFileSync('losetup', ['-d', device]);
  });

  const map = (more: Partial<DeviceVolume> = {}, podUid = 'uid-1'): VolumeOrder => ({
    type: 'map-device',
    rootDir: root.dir,
    podUid,
    volume: { ...volume, ...more },
  });
  const unmap = (podUid = 'uid-1'): VolumeOrder => ({ type: 'unmap-devices', rootDir: root.dir, podUid });
  const tearDown = (podUid = 'uid-1'): VolumeOrder => ({ type: 'tear-down', rootDir: root.dir, podUid });
  const link = (podUid = 'uid-1') => join(root.dir, 'pods', podUid, 'volumeDevices/kubernetes.io~local-volume/pv-1');
  const bound = (podUid = 'uid-1') => join(root.dir, 'plugins/kubernetes.io~local-volume/volumeDevices/pv-1', podUid);
  const shop = (mounter: Mounter = systemMounter) => new VolumeExecutor(volumeTools(mounter));
  const holders = (path: string): readonly string[] =>
    readdirSync('/sys/block').filter((name) => {
      const file = `/sys/block/${name}/loop/backing_file`;
      return existsSync(file) && readFileSync(file, 'utf8').trim() === path;
    });

  it('is bound, held open and linked, idempotently', async () => {
    for (let life = 0; life < 2; life += 1) {
      expect(await shop().carryOut([map(), map()])).toEqual([
        { ok: true, path: link() },
        { ok: true, path: link() },
      ]);
    }
    expect(readlinkSync(link())).toBe(device);
    expect(statSync(bound()).rdev).toBe(statSync(device).rdev);
    expect(root.mountsBelow()).toEqual([bound()]);
    expect(holders(bound())).toHaveLength(1);
  });

  it('is removed without leftovers, also after a restart; other pods keep theirs', async () => {
    await shop().carryOut([map(), map({}, 'uid-2')]);
    expect(await shop().carryOut([unmap(), tearDown(), unmap()])).toEqual([OK, OK, OK]);
    expect(root.mountsBelow()).toEqual([bound('uid-2')]);
    expect(holders(bound())).toEqual([]);
    expect(readdirSync(join(root.dir, 'pods/uid-1'))).toEqual([]);
    expect(await shop().carryOut([unmap('uid-2'), unmap('nobody'), unmap('../x')])).toEqual([OK, OK, OK]);
    expect(existsSync(join(root.dir, 'plugins/kubernetes.io~local-volume/volumeDevices/pv-1'))).toBe(false);
  });

  it("of a driver keeps its link and the pod's directory until the driver has unpublished it", async () => {
    const csi = { plugin: 'kubernetes.io~csi' } as const;
    await shop().carryOut([map(csi)]);
    const links = join(root.dir, 'pods/uid-1/volumeDevices/kubernetes.io~csi');
    expect(await shop().carryOut([unmap()])).toEqual([OK]);
    expect(root.mountsBelow()).toEqual([]);
    expect(readdirSync(links)).toEqual(['pv-1']);
    expect(await shop().carryOut([tearDown()])).toMatchObject([{ ok: false }]);
    expect(readdirSync(links)).toEqual(['pv-1']);
  });

  it('is mapped with a warning when it cannot be held open', async () => {
    const hold = () => Promise.reject(new Error('losetup: cannot find an unused loop device'));
    const [outcome] = await shop({ ...systemMounter, hold }).carryOut([map()]);
    expect(outcome).toMatchObject({ ok: true, warning: expect.stringContaining('not held open') });
  });

  it('stays complete when it cannot be unbound, and is removed when it can', async () => {
    const unmount = () => Promise.reject(new Error('umount: target is busy'));
    await shop().carryOut([map()]);
    expect(await shop({ ...systemMounter, unmount }).carryOut([unmap()])).toEqual([
      { ok: false, message: 'umount: target is busy' },
    ]);
    expect(readlinkSync(link())).toBe(device);
    expect(await shop().carryOut([unmap()])).toEqual([OK]);
    expect(root.mountsBelow()).toEqual([]);
  });

  it.each([
    { what: 'a missing path', path: 'nothing', why: 'does not exist' },
    { what: 'a directory', path: 'pods', why: 'is not a block device' },
    { what: 'a file', path: 'disk.img', why: 'is not a block device' },
  ])('never maps $what', async ({ path, why }) => {
    mkdirSync(join(root.dir, 'pods'));
    const [outcome] = await shop().carryOut([map({ path: join(root.dir, path) })]);
    expect(outcome).toEqual({ ok: false, message: expect.stringContaining(why) });
  });

  it('is never bound through a link', async () => {
    mkdirSync(join(root.dir, 'elsewhere'));
    mkdirSync(join(root.dir, 'pods/uid-1'), { recursive: true });
    symlinkSync(join(root.dir, 'elsewhere'), join(root.dir, 'pods/uid-1/volumeDevices'));
    expect(await shop().carryOut([map()])).toMatchObject([{ ok: false }]);
    expect(readdirSync(join(root.dir, 'elsewhere'))).toEqual([]);
  });

  it.each(['..', 'a/b', ''])('is never called %j', async (specName) => {
    expect(await shop().carryOut([map({ specName })])).toMatchObject([{ ok: false }]);
    expect(root.mountsBelow()).toEqual([]);
  });
});
