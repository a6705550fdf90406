import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  ExecSyncRequest,
  ImageServiceService as image,
  ListImagesRequest,
  RuntimeServiceService as runtime,
} from '../../src/cri/gen/api.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { onNode, podCalled, untilGone, untilRunning } from '../support/agent-process/observe-pods.ts';
import { describeOnRuntimes } from '../support/agent-process/runtime-under-test.ts';
import { runningContainers } from '../support/agent-process/runtime-view.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';
import { imageArchive } from '../support/containerd/image-archive.ts';
import { BUSYBOX_IMAGE, BUSYBOX_LATEST_IMAGE, PAUSE_IMAGE } from '../support/containerd/test-images.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';
import { CsiDriver } from '../support/csi-driver.ts';
import { mountsBelow } from '../volumes/temporary-root.ts';

const mount = (name: string, more: object = {}) => ({ name, mountPath: `/${name}`, ...more });
const object = (kind: string, name: string, content: object) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name },
  ...content,
});

/** A volume of each kind, and subPaths of some. */
const spec = {
  securityContext: { fsGroup: 4321 },
  volumes: [
    { name: 'scratch', emptyDir: {} },
    { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
    { name: 'config', configMap: { name: 'settings' } },
    { name: 'absent', configMap: { name: 'nowhere', optional: true } },
    { name: 'secret', secret: { secretName: 'keys', defaultMode: 0o400 } },
    { name: 'self', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
    {
      name: 'all',
      projected: {
        sources: [
          { configMap: { name: 'settings', items: [{ key: 'color', path: 'deep/color' }] } },
          { secret: { name: 'keys' } },
        ],
      },
    },
  ],
};
const mounts = [
  ...['scratch', 'memory', 'config', 'absent', 'secret', 'self', 'all'].map((name) => mount(name)),
  mount('scratch', { mountPath: '/part', subPath: 'a/b' }),
  mount('config', { mountPath: '/pinned', subPath: 'color' }),
];

const UNUSED_IMAGE = 'localhost/unused:1';
/** Any disk is too full for this. */
const littleRoom = { imageGCHighThresholdPercent: 1, imageGCLowThresholdPercent: 0, imageMinimumGCAge: '1s' };
const shortLogs = { containerLogMaxSize: '1Ki', containerLogMaxFiles: 2, containerLogMonitorInterval: '3s' };

describeOnRuntimes('the volumes of a pod', ['containerd'], (kind) => {
  let node: NodeUnderTest;
  const withVolumes = (name: string) => {
    const manifest = podManifest(name, { spec });
    const containers = manifest.spec.containers.map((container) => ({ ...container, volumeMounts: mounts }));
    return { ...manifest, spec: { ...manifest.spec, containers } };
  };
  const settings = (color: string, more: object = {}) =>
    node.folder.put(
      'settings.yaml',
      object('ConfigMap', 'settings', { data: { color, ...more } }),
      node.folder.objects,
    );

  beforeAll(async () => {
    node = await NodeUnderTest.prepare(kind);
    await settings('red', { old: 'x' });
    await node.folder.put(
      'keys.yaml',
      object('Secret', 'keys', { stringData: { key: 's3cret' } }),
      node.folder.objects,
    );
    const archive = await imageArchive({ tags: [UNUSED_IMAGE], entries: [], config: {} });
    await node.runtime.containerd?.importImage({ tags: [UNUSED_IMAGE], archive });
    await node.folder.configure({ ...littleRoom, ...shortLogs });
    await node.startAgent({ objects: 'folder' });
    await node.folder.put('web.yaml', withVolumes('web'));
    await untilRunning(node.admin, 'web');
  }, 150_000);
  afterAll(() => node?.stop(), 60_000);

  const run = async (command: string, pod = 'web'): Promise<string> => {
    const containerId = (await runningContainers(node.runtime.cri))[`${onNode(pod)}/app`] ?? '';
    const request = ExecSyncRequest.create({ containerId, cmd: ['sh', '-c', command], timeout: 10n });
    const { stdout, stderr, exitCode } = await node.runtime.cri.call(runtime.execSync, request);
    return exitCode === 0 ? Buffer.from(stdout).toString().trim() : `failed: ${Buffer.from(stderr).toString()}`;
  };

  it('have the right content inside the container', async () => {
    expect(await run('cat /config/color /config/old')).toBe('redx');
    expect(await run('cat /secret/key')).toBe('s3cret');
    expect(await run('cat /self/labels')).toBe('app="web"');
    expect(await run('cat /all/deep/color /all/key')).toBe('reds3cret');
    expect(await run('ls /absent')).toBe('');
    expect(await run('stat -L -c "%a %g" /secret/key')).toBe('440 4321');
  });

  it('are writable where intended, and only there', async () => {
    expect(await run('echo x > /part/file && cat /scratch/a/b/file')).toBe('x');
    expect(await run('echo x > /memory/file && cat /memory/file')).toBe('x');
    expect(await run('dd if=/dev/zero of=/memory/big bs=1k count=2000 2>&1 | grep -c "No space"; rm /memory/big')).toBe(
      '1',
    );
    expect(await run('echo x > /config/color')).toMatch(/Read-only file system/);
    expect(await run('echo x > /secret/key')).toMatch(/Read-only file system/);
    expect(await run('stat -c "%a %g" /scratch')).toBe('2777 4321');
  });

  it('follow their object while the container runs; a subPath stays unchanged', async () => {
    await settings('blue', { fresh: 'y' });
    const seen = async (): Promise<boolean> => (await run('cat /config/color /all/deep/color')) === 'blueblue';
    await waitUntil(seen, { what: 'the container sees the new content', withinMs: 10_000, everyMs: 50 });
    expect(await run('ls /config')).toBe('color\nfresh');
    expect(await run('cat /pinned')).toBe('red');
  });

  it('are awaited: a pod with a missing object starts when the object appears', async () => {
    const volumes = [{ name: 'late', configMap: { name: 'late' } }];
    const manifest = podManifest('late', { spec: { volumes } });
    const containers = manifest.spec.containers.map((each) => ({ ...each, volumeMounts: [mount('late')] }));
    await node.folder.put('late.yaml', { ...manifest, spec: { ...manifest.spec, containers } });
    const message = 'MountVolume.SetUp failed for volume "late" : configmap "late" not found';
    const said = async (): Promise<boolean> => (await node.folder.log()).some(({ msg }) => msg === message);
    await waitUntil(said, { what: 'the log says what is missing', withinMs: 10_000, everyMs: 100 });
    expect((await podCalled(node.admin, 'late'))?.status?.containerStatuses?.[0]?.state).toEqual({
      waiting: { reason: 'ContainerCreating' },
    });
    await node.folder.put('late-object.yaml', object('ConfigMap', 'late', { data: { k: 'v' } }), node.folder.objects);
    await untilRunning(node.admin, 'late');
    await node.folder.remove('late.yaml');
    await untilGone(node.admin, 'late');
  });

  it('of a CSI driver are published when the driver registers, written to, and removed with their pod', async () => {
    const volumes = [{ name: 'disk', csi: { driver: 'disks.test' } }];
    const manifest = podManifest('stored', { spec: { volumes } });
    const containers = manifest.spec.containers.map((each) => ({ ...each, volumeMounts: [mount('disk')] }));
    await node.folder.put('stored.yaml', { ...manifest, spec: { ...manifest.spec, containers } });
    const driver = new CsiDriver('disks.test', join(node.folder.rootDir, 'disks'));
    try {
      await driver.start(join(node.folder.rootDir, 'plugins_registry'));
      await untilRunning(node.admin, 'stored');
      expect(await run('echo kept > /disk/file && cat /disk/file', 'stored')).toBe('kept');
      await node.folder.remove('stored.yaml');
      await untilGone(node.admin, 'stored');
      expect(driver.calls.map((call) => call.split(' ')[0])).toEqual(['publish', 'unpublish']);
    } finally {
      driver.stop();
    }
  });

  it('survive restarts of the agent and of their manager, and are kept up to date', async () => {
    await node.agent.kill();
    await settings('green');
    await node.startAgent({ objects: 'folder' });
    const seen = async (): Promise<boolean> => (await run('cat /config/color')) === 'green';
    await waitUntil(seen, { what: 'the new agent has brought the new content', withinMs: 20_000, everyMs: 50 });
    expect(await node.admin.crashActor('volume-manager')).toBe(true);
    await settings('yellow');
    const seenAgain = async (): Promise<boolean> => (await run('cat /config/color')) === 'yellow';
    await waitUntil(seenAgain, { what: 'the next manager has brought the new content', withinMs: 20_000, everyMs: 50 });
    expect(await run('cat /part/file /memory/file')).toBe('x\nx');
  });

  it('do not hinder housekeeping: a large log is rotated, an unused image is removed', async () => {
    await run('i=0; while [ $i -lt 100 ]; do echo "long line $i" >/proc/1/fd/1; i=$((i+1)); done');
    const [pod = ''] = await readdir(node.folder.podLogs);
    const logs = join(node.folder.podLogs, pod, 'app');
    const rotated = async (): Promise<boolean> => (await readdir(logs)).length === 2;
    await waitUntil(rotated, { what: 'the log is rotated', withinMs: 10_000, everyMs: 50 });
    await run('echo after >/proc/1/fd/1');
    const [now = '', before = ''] = (await readdir(logs)).toSorted();
    const afterwards = async (): Promise<boolean> => (await readFile(join(logs, now), 'utf8')).includes('after');
    await waitUntil(afterwards, { what: 'the runtime writes to the new log', withinMs: 5_000, everyMs: 50 });
    expect(await readFile(join(logs, before), 'utf8')).toContain('long line 99\n');
    const images = async (): Promise<readonly string[]> => {
      const listed = await node.runtime.cri.call(image.listImages, ListImagesRequest.create());
      return listed.images.flatMap(({ repoTags }) => repoTags).toSorted();
    };
    const isGone = async (): Promise<boolean> => !(await images()).includes(UNUSED_IMAGE);
    await waitUntil(isGone, { what: 'the unused image is gone', withinMs: 15_000, everyMs: 100 });
    expect(await images()).toEqual([BUSYBOX_IMAGE, BUSYBOX_LATEST_IMAGE, PAUSE_IMAGE].toSorted());
  });

  it('are removed with the pod, with all mounts', async () => {
    expect(mountsBelow(node.folder.rootDir).length).toBeGreaterThan(4);
    await node.folder.remove('web.yaml');
    await untilGone(node.admin, 'web');
    expect(mountsBelow(node.folder.rootDir)).toEqual([]);
    expect(await readdir(join(node.folder.rootDir, 'pods'))).toEqual([]);
  });
});
