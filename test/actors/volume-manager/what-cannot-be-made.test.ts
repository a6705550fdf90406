import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VolumeManager } from '../../../actors/volume-manager/actor.ts';
import type { VolumeManagerProtocol, VolumesAnswer } from '../../../actors/volume-manager/protocol.ts';
import { podUid } from '../../../src/kube/ids.ts';
import { noDriverVolumes } from '../../../src/volumes/plan/driver-volume-calls.ts';
import { setUpVolume } from '../../../src/volumes/disk/set-up-volume.ts';
import type { PodVolumes, VolumePlan } from '../../../src/volumes/plan/volume-plan.ts';
import { noBundles } from '../../../src/volumes/plan/object-source.ts';
import { VolumeExecutor, type VolumeOrder } from '../../../src/volumes/disk/volume-executor.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { waitUntil } from '../../support/containerd/wait-until.ts';
import { mayMount, temporaryRoot, volumeTools } from '../../volumes/temporary-root.ts';

let root: ReturnType<typeof temporaryRoot>;
beforeEach(() => (root = temporaryRoot()));
afterEach(() => root.discard());

/** The manager with a real volume executor on a real disk; the test sets the ConfigMaps. */
async function manager(rootDir = root.dir) {
  const maps = new Map<string, Readonly<Record<string, string>>>();
  const shop = new VolumeExecutor(volumeTools());
  let version = 0;
  const actor = await actorUnderTest<VolumeManagerProtocol>({
    address: 'volume-manager',
    make: (context) =>
      new VolumeManager(context, {
        rootDir,
        objects: () => ({
          get: async ({ name }) => {
            const data = maps.get(name);
            return data === undefined ? { type: 'missing' } : { type: 'found', version: `${version}`, data: { data } };
          },
          ...noBundles,
          token: async () => ({ type: 'failed', message: 'no tokens here' }),
        }),
        foreign: () => noDriverVolumes,
        syncFrequencyMs: 60_000,
        podThreads: [],
      }),
    others: {
      'job-pool': async (question) => {
        const { orders } = question as unknown as { readonly orders: readonly VolumeOrder[] };
        return { ok: true, value: await shop.carryOut(orders) };
      },
      'pod-worker/bad': () => undefined,
      'pod-worker/good': () => undefined,
    },
  });
  const mount = (uid: string, ...volumes: readonly VolumePlan[]): Promise<VolumesAnswer> =>
    actor.ask({ type: 'mount-volumes', pod: podOf(uid, volumes) }) as Promise<VolumesAnswer>;
  return {
    ...actor,
    mount,
    put: (name: string, data: Readonly<Record<string, string>>): void => {
      version += 1;
      maps.set(name, data);
      void actor.tell({ type: 'objects-changed', keys: [`ConfigMap/shop/${name}`] });
    },
    /** Waits for a failed volume of a pod, and returns the messages. */
    said: async (uid: string): Promise<string> => {
      const failures = (): readonly string[] =>
        actor.told.flatMap(({ to, command }) =>
          to === `pod-worker/${uid}` ? [String('message' in command ? command.message : '')] : [],
        );
      await waitUntil(async () => failures().length > 0, { what: `word of ${uid}`, withinMs: 20_000, everyMs: 2 });
      return failures().join('\n');
    },
  };
}

const podOf = (uid: string, volumes: readonly VolumePlan[]): PodVolumes => ({
  podUid: uid,
  namespace: 'shop',
  podName: uid,
  volumes,
  fsGroupChangePolicy: 'Always',
});
const scratch: VolumePlan = { type: 'empty-dir', name: 'scratch', medium: 'disk' };
const mapCalled = (name: string): VolumePlan => ({
  type: 'files',
  name,
  plugin: 'configmap',
  defaultMode: 0o644,
  sources: [{ type: 'object', ref: { kind: 'ConfigMap', namespace: 'shop', name }, optional: false }],
});
const inPod = (uid: string, name: string, rootDir = root.dir): string =>
  join(rootDir, 'pods', uid, 'volumes/kubernetes.io~configmap', name);

const MIB = 1024 * 1024;
const OK = { ok: true };

describe('a ConfigMap of the maximum size', () => {
  it.each([
    ['of 1 MiB under one key', { big: 'x'.repeat(MIB) }],
    ['of 5,000 keys', Object.fromEntries(Array.from({ length: 5_000 }, (_, key) => [`key-${key}`, `${key}`]))],
  ])('%s is written and updated completely', { timeout: 30_000 }, async (_, data) => {
    const { mount, put, quiet } = await manager();
    put('large', data);
    expect(await mount('good', mapCalled('large'), scratch)).toEqual(OK);
    const volume = inPod('good', 'large');
    const held = () =>
      Object.fromEntries(
        readdirSync(volume).flatMap((name) =>
          name.startsWith('..') ? [] : [[name, readFileSync(join(volume, name), 'utf8')]],
        ),
      );
    expect(held()).toEqual(data);
    put('large', { small: 'y' });
    await waitUntil(async () => (await quiet(), existsSync(join(volume, 'small'))), {
      what: 'renewal',
      withinMs: 20_000,
    });
    await quiet();
    expect(await mount('good', mapCalled('large'), scratch)).toEqual(OK);
    expect(held()).toEqual({ small: 'y' });
  });
});

describe("a problem of one pod's volume", () => {
  it.each([
    [
      'a key that is no name of a file',
      { ['k'.repeat(256)]: 'x' },
      'invalid path: filenames must be less than or equal to 255',
    ],
    ['a key that leads out', { '../out': 'x' }, "invalid path: must not contain '..'"],
  ])('%s: is reported to that pod; another pod gets its own report', async (_, data, words) => {
    const { mount, put, said } = await manager();
    put('wrong', data);
    put('right', { k: 'v' });
    void mount('bad', mapCalled('wrong'));
    expect(await mount('good', mapCalled('right'))).toEqual(OK);
    expect(await said('bad')).toContain(`MountVolume.SetUp failed for volume "wrong" : ${words}`);
  });

  it.runIf(mayMount)('a subPath whose link leads out of the volume fails for that container only', async () => {
    const { mount, ask } = await manager();
    expect(await Promise.all([mount('bad', scratch), mount('good', scratch)])).toEqual([OK, OK]);
    const volume = (uid: string) => join(root.dir, 'pods', uid, 'volumes/kubernetes.io~empty-dir/scratch');
    symlinkSync('/etc', join(volume('bad'), 'out'));
    const bind = (uid: string, subPath: string) =>
      ask({
        type: 'bind-sub-paths',
        podUid: podUid(uid),
        container: 'main',
        binds: [{ volume: 'scratch', volumePath: volume(uid), subPath, index: 0 }],
      });
    expect(await bind('bad', 'out/cron.d')).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^failed to prepare subPath for volumeMount "scratch" of container "main": /),
    });
    expect(existsSync('/etc/cron.d/0')).toBe(false);
    expect(await bind('good', 'part')).toEqual(OK);
  });
});

describe.runIf(mayMount)('a failing disk', () => {
  it('full: is reported to the pod that needs more space; smaller volumes work, and this volume works once there is space', async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', root.dir + mountPoint()]);
    const rootDir = root.dir + mountPoint();
    const { mount, put, said } = await manager(rootDir);
    put('huge', { k: 'x'.repeat(MIB) });
    put('small', { k: 'v' });
    const waiting = mount('bad', mapCalled('huge'), scratch);
    expect(await said('bad')).toContain('MountVolume.SetUp failed for volume "huge" : ENOSPC: no space left on device');
    expect(await mount('good', mapCalled('small'), scratch)).toEqual(OK);
    expect(readdirSync(inPod('bad', 'huge', rootDir))).toEqual([]);
    put('huge', { k: 'less' });
    expect(await waiting).toEqual(OK);
    expect(readFileSync(join(inPod('bad', 'huge', rootDir), 'k'), 'utf8')).toBe('less');
  });

  it('read-only: is reported to the pod with a new volume; host paths work, and the rest once the disk is writable again', async () => {
    const rootDir = root.dir + mountPoint();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', rootDir]);
    const { mount, put, said, clock, quiet } = await manager(rootDir);
    put('map', { k: 'v' });
    const waiting = mount('bad', mapCalled('map'));
    expect(await mount('good', { type: 'host-path', name: 'h', path: '/', check: 'Directory' })).toEqual(OK);
    expect(await said('bad')).toContain('MountVolume.SetUp failed for volume "map" : EROFS: read-only file system');
    execFileSync('mount', ['-o', 'remount,rw', rootDir]);
    clock.advance(1_000);
    await quiet();
    expect(await waiting).toEqual(OK);
  });
});

/** A path below the root of the test, whose mounts are removed at the end. */
function mountPoint(): string {
  mkdirSync(join(root.dir, 'disk'), { recursive: true });
  return '/disk';
}

const NOT_THAT =
  /^hostPath type check failed: .*\/thing is not a (directory|file|socket file|character device|block device)$|^ENOENT: .*\/thing'$/;
const TYPES = ['', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket', 'CharDevice', 'BlockDevice'];

describe('a path of the host', () => {
  /** The kind of path, how it is created, and the hostPath types that accept it. */
  const things: readonly (readonly [string, (path: string) => void | Promise<void>, readonly string[]])[] = [
    ['a directory', (path) => mkdirSync(path), ['', 'Directory', 'DirectoryOrCreate']],
    ['a file', (path) => writeFileSync(path, ''), ['', 'File', 'FileOrCreate']],
    ['a socket', makeSocket, ['', 'Socket']],
    ['a character device', (path) => symlinkSync('/dev/null', path), ['', 'CharDevice']],
    ['a pipe', (path) => void execFileSync('mkfifo', [path]), ['']],
    ['a link to nowhere', (path) => symlinkSync('/nowhere/at/all', path), ['']],
    ['missing', () => {}, ['', 'DirectoryOrCreate', 'FileOrCreate']],
    ...(mayMount
      ? [
          [
            'a block device',
            (path: string) => void execFileSync('mknod', [path, 'b', '7', '250']),
            ['', 'BlockDevice'],
          ] as const,
        ]
      : []),
  ];
  const table = things.flatMap(([what, make, good]) =>
    TYPES.map((check) => ({ what, make, check, good: good.includes(check) })),
  );

  it.each(table)('that is $what, as $check: $good', async ({ make, check, good }) => {
    const path = join(root.dir, 'thing');
    await make(path);
    const plan: VolumePlan = { type: 'host-path', name: 'h', path, check };
    const pod = { podUid: 'uid-1', fsGroupChangePolicy: 'Always' } as const;
    const outcome = await setUpVolume({ type: 'set-up', rootDir: root.dir, pod, plan, fetched: [] }, volumeTools());
    expect(outcome.ok).toBe(good);
    expect(outcome.ok ? '' : outcome.message).toMatch(good ? /^$/ : NOT_THAT);
  });
});

const listening: Server[] = [];
afterEach(() => listening.splice(0).forEach((server) => server.close()));

async function makeSocket(path: string): Promise<void> {
  const server = createServer();
  listening.push(server);
  await new Promise<void>((resolve) => void server.listen(path, resolve));
}
