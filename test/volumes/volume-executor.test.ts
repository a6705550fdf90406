import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemMounter, type Mounter } from '../../src/volumes/disk/mounter.ts';
import type { VolumePlan } from '../../src/volumes/plan/volume-plan.ts';
import { VolumeExecutor, type VolumeOrder } from '../../src/volumes/disk/volume-executor.ts';
import { mayMount, temporaryRoot, volumeTools } from './temporary-root.ts';

let root: ReturnType<typeof temporaryRoot>;
let podDir: string;
beforeEach(() => {
  root = temporaryRoot();
  podDir = join(root.dir, 'pods/uid-1');
});
afterEach(() => root.discard());

const pod = { podUid: 'uid-1', fsGroupChangePolicy: 'Always' } as const;
const scratch: VolumePlan = { type: 'empty-dir', name: 'e', medium: 'disk' };
const memory: VolumePlan = { type: 'empty-dir', name: 'm', medium: 'memory', sizeBytes: 1024 * 1024 };
const map = (text: string) =>
  ({
    type: 'files',
    name: 'c',
    plugin: 'configmap',
    defaultMode: 0o644,
    sources: [{ type: 'text', path: 'k', text }],
  }) as const satisfies VolumePlan;
const setUp = (plan: VolumePlan, more: object = {}): VolumeOrder => ({
  type: 'set-up',
  rootDir: root.dir,
  pod: { ...pod, ...more },
  plan,
  fetched: [],
});
const tearDown = (podUid = 'uid-1'): VolumeOrder => ({ type: 'tear-down', rootDir: root.dir, podUid });
const bind = (subPath: string, volumePath: string, index = 0): VolumeOrder => ({
  type: 'bind-sub-paths',
  rootDir: root.dir,
  podUid: 'uid-1',
  container: 'main',
  binds: [{ volume: 'e', volumePath, subPath, index }],
});
const emptyDir = (): string => join(podDir, 'volumes/kubernetes.io~empty-dir/e');
const place = (index = 0): string => join(podDir, 'volume-subpaths/e/main', String(index));

const shop = (mounter: Mounter = systemMounter): VolumeExecutor => new VolumeExecutor(volumeTools(mounter));
const OK = { ok: true };

describe.runIf(mayMount)('orders about volumes', () => {
  it('remove a pod’s volumes completely, with all mounts', async () => {
    const work = shop();
    expect(await work.carryOut([setUp(scratch), setUp(memory), setUp(map('1'))])).toEqual([OK, OK, OK]);
    writeFileSync(join(emptyDir(), 'data'), 'x');
    expect(await work.carryOut([bind('part', emptyDir())])).toEqual([OK]);
    expect(root.mountsBelow()).toHaveLength(2);
    expect(await work.carryOut([tearDown()])).toEqual([OK]);
    expect(root.mountsBelow()).toEqual([]);
    expect(readdirSync(podDir)).toEqual(['plugins']);
    expect(readdirSync(join(podDir, 'plugins'))).toEqual([]);
    expect(await work.carryOut([tearDown(), tearDown('nobody'), tearDown('../outside')])).toEqual([OK, OK, OK]);
  });

  it('never remove the content of another mount in a volume', async () => {
    const work = shop();
    await work.carryOut([setUp(scratch)]);
    const data = join(root.dir, 'data');
    mkdirSync(data);
    writeFileSync(join(data, 'precious'), 'x');
    mkdirSync(join(emptyDir(), 'in'));
    execFileSync('mount', ['--bind', data, join(emptyDir(), 'in')]);
    expect(await work.carryOut([tearDown()])).toEqual([OK]);
    expect(readFileSync(join(data, 'precious'), 'utf8')).toBe('x');
  });

  it('report a failed unmount and remove nothing; remove the volume when the unmount succeeds', async () => {
    let isStuck = true;
    const unmount: Mounter['unmount'] = (target) =>
      isStuck ? Promise.reject(new Error('umount: target is busy')) : systemMounter.unmount(target);
    const work = shop({ ...systemMounter, unmount });
    await work.carryOut([setUp(scratch), setUp(memory)]);
    writeFileSync(join(emptyDir(), 'data'), 'x');
    expect(await work.carryOut([tearDown()])).toEqual([{ ok: false, message: 'umount: target is busy' }]);
    expect(existsSync(join(emptyDir(), 'data'))).toBe(true);
    isStuck = false;
    expect(await work.carryOut([tearDown()])).toEqual([OK]);
    expect(existsSync(join(podDir, 'volumes'))).toBe(false);
  });

  it('run one after the other for one pod, and in parallel for other pods', async () => {
    const held = Promise.withResolvers<void>();
    const steps: string[] = [];
    const mount: Mounter['mount'] = async (each) => {
      steps.push('mount begins');
      await held.promise;
      await systemMounter.mount(each);
      steps.push('mount ends');
    };
    const work = shop({ ...systemMounter, mount });
    const first = work.carryOut([setUp(memory)]);
    const second = work.carryOut([tearDown()]).then(() => steps.push('torn down'));
    await work.carryOut([setUp(scratch, { podUid: 'uid-2' })]);
    steps.push('other is done');
    held.resolve();
    await Promise.all([first, second]);
    expect(steps).toEqual(['mount begins', 'other is done', 'mount ends', 'torn down']);
    expect(root.mountsBelow()).toEqual([]);
  });

  it('read the list of mounts once for many orders', async () => {
    let reads = 0;
    const mountPoints = () => {
      reads += 1;
      return systemMounter.mountPoints();
    };
    const work = shop({ ...systemMounter, mountPoints });
    const uids = Array.from({ length: 50 }, (_, index) => `uid-${index}`);
    await work.carryOut(uids.map((podUid) => setUp(scratch, { podUid })));
    await work.carryOut(uids.map((podUid) => tearDown(podUid)));
    expect(reads).toBeLessThanOrEqual(2);
  });

  it('put a memory volume on disk when mounting is not permitted, with a warning', async () => {
    const mount = () => Promise.reject(new Error('mount: permission denied.'));
    const work = shop({ ...systemMounter, mount });
    expect(await work.carryOut([setUp(memory)])).toEqual([
      { ok: true, warning: expect.stringContaining('may not mount tmpfs') as string },
    ]);
    expect(statSync(join(podDir, 'volumes/kubernetes.io~empty-dir/m')).mode & 0o7777).toBe(0o777);
  });

  it('bind a host directory for a pod once, and never remove its content', async () => {
    const work = shop();
    const disk = join(root.dir, 'disk');
    mkdirSync(disk);
    writeFileSync(join(disk, 'precious'), 'x');
    const local: VolumePlan = { type: 'local', name: 'd', specName: 'pv-1', path: disk };
    const path = join(podDir, 'volumes/kubernetes.io~local-volume/pv-1');
    expect(await work.carryOut([setUp(local, { fsGroup: 4321 })])).toEqual([{ ok: true, path }]);
    expect(await work.carryOut([setUp(local, { fsGroup: 4321 })])).toEqual([{ ok: true, path }]);
    expect(root.mountsBelow()).toEqual([path]);
    expect(readFileSync(join(path, 'precious'), 'utf8')).toBe('x');
    expect(statSync(join(disk, 'precious')).gid).toBe(4321);
    expect(await work.carryOut([tearDown()])).toEqual([OK]);
    expect(root.mountsBelow()).toEqual([]);
    expect(readFileSync(join(disk, 'precious'), 'utf8')).toBe('x');
    const gone: VolumePlan = { ...local, path: join(root.dir, 'nowhere') };
    expect(await work.carryOut([setUp(gone)])).toEqual([expect.objectContaining({ ok: false })]);
  });

  it("give a driver's volume to the pod’s group", async () => {
    const work = shop();
    const place = ['volumes', 'kubernetes.io~csi', 'pv-1', 'mount'];
    const path = join(podDir, ...place);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'file'), 'x');
    const own = { type: 'own-volume', rootDir: root.dir, podUid: 'uid-1', gid: 4321, policy: 'Always' } as const;
    expect(await work.carryOut([{ ...own, place }])).toEqual([OK]);
    expect(statSync(join(path, 'file')).gid).toBe(4321);
    expect(await work.carryOut([{ ...own, place: ['volumes', 'nowhere'] }])).toEqual([
      { ok: false, message: 'there is no volume at volumes/nowhere' },
    ]);
  });

  it('give an emptyDir to the group once, and keep later changes by containers', async () => {
    const work = shop();
    await work.carryOut([setUp(scratch, { fsGroup: 4_321 })]);
    expect([statSync(emptyDir()).gid, statSync(emptyDir()).mode & 0o7777]).toEqual([4_321, 0o2777]);
    writeFileSync(join(emptyDir(), 'own'), 'x', { mode: 0o600 });
    await work.carryOut([setUp(scratch, { fsGroup: 4_321 })]);
    expect(statSync(join(emptyDir(), 'own')).mode & 0o777).toBe(0o600);
  });

  it('create no volume through a link in place of a pod’s directory', async () => {
    mkdirSync(join(root.dir, 'pods'));
    mkdirSync(join(root.dir, 'elsewhere'));
    symlinkSync(join(root.dir, 'elsewhere'), podDir);
    const outcomes = await shop().carryOut([setUp(scratch), tearDown()]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([false, false]);
    expect(readdirSync(join(root.dir, 'elsewhere'))).toEqual([]);
  });
});

describe.runIf(mayMount)('subPaths of volumes', () => {
  it("show the volume's content, are created when missing, and survive a restart of the container", async () => {
    const work = shop();
    await work.carryOut([setUp(scratch)]);
    expect(await work.carryOut([bind('a/b', emptyDir())])).toEqual([OK]);
    writeFileSync(join(emptyDir(), 'a/b/f'), 'x');
    expect(readFileSync(join(place(), 'f'), 'utf8')).toBe('x');
    expect(await work.carryOut([bind('a/b', emptyDir())])).toEqual([OK]);
    expect(root.mountsBelow()).toHaveLength(1);
  });

  it("of a ConfigMap keep the version of their container's start", async () => {
    const work = shop();
    await work.carryOut([setUp(map('old'))]);
    const volume = join(podDir, 'volumes/kubernetes.io~configmap/c');
    await work.carryOut([bind('k', volume)]);
    await work.carryOut([setUp(map('new'))]);
    expect(readFileSync(place(), 'utf8')).toBe('old');
    expect(await work.carryOut([bind('k', volume)])).toEqual([OK]);
    expect(readFileSync(place(), 'utf8')).toBe('new');
    expect(await work.carryOut([tearDown()])).toEqual([OK]);
  });

  it('are rejected when they lead out of the volume', async () => {
    const work = shop();
    await work.carryOut([setUp(scratch)]);
    symlinkSync('/etc', join(emptyDir(), 'link'));
    expect(await work.carryOut([bind('link', emptyDir())])).toEqual([
      {
        ok: false,
        message: 'failed to prepare subPath for volumeMount "e" of container "main": link: leads out of the volume',
      },
    ]);
    expect(root.mountsBelow()).toEqual([]);
  });
});
