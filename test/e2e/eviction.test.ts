import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nodePath, podPath, podsPath } from '../../src/api/api-path.ts';
import type { ApiRequest } from '../../src/api/api-request.ts';
import type { ApiTransport } from '../../src/api/api-transport.ts';
import { ImageServiceService, ListImagesRequest } from '../../src/cri/gen/api.ts';
import { inProcessTransport } from '../../src/embedded/apiserver/http/in-process-transport.ts';
import { kubeconfig } from '../../src/embedded/apiserver/kubeconfig.ts';
import { serveEmbeddedApi, type EmbeddedApiServer } from '../../src/embedded/apiserver/serve.ts';
import type { Node } from '../../src/kube/node.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { NODE_NAME } from '../support/agent-process/agent-process.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { describeOnRuntimes } from '../support/agent-process/runtime-under-test.ts';
import { imageArchive } from '../support/containerd/image-archive.ts';
import { BUSYBOX_IMAGE } from '../support/containerd/test-images.ts';
import { runProgram } from '../support/containerd/run-program.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';

const MIB = 1024 ** 2;
const NAMESPACE = 'default';
/** The memory limit of all pods together, and the eviction threshold. */
const PODS_MIB = 300;
const DISK_MIB = 64;
const DISK_INODES = 4_096;
/** Of the runtime: its images and the writable layers of its containers. */
const IMAGE_DISK_MIB = 160;
const UNUSED_IMAGE = 'localhost/unused:1';
/** An image uses twice its size: packed and unpacked. */
const UNUSED_IMAGE_MIB = 32;
/** With that on the disk there is too little room for all, and enough without the image. */
const BALLAST_MIB = 40;
const LOOK_EVERY_MS = 100;

/** Pods that take longer than the transition period to end, so that conditions are taken back as soon as they are gone. */
const stubborn = (work: string) => ['sh', '-c', `trap "" TERM; ${work}; sleep 600 & wait; sleep 600`];
const REQUEST = { resources: { requests: { memory: '32Mi' } } };
const fill = (folder: string, mib: number): string =>
  `dd if=/dev/zero of=/${folder}/x bs=1M count=${mib} && touch /full`;
const litter = (folder: string, files: number): string =>
  `i=0; while [ $i -lt ${files} ]; do : > /${folder}/$i; i=$((i+1)); done; touch /full`;
const manifest = (name: string, work: string, spec: object = {}, container: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    nodeName: NODE_NAME,
    automountServiceAccountToken: false,
    volumes: [
      { name: 'ram', emptyDir: { medium: 'Memory' } },
      { name: 'disk', emptyDir: {} },
    ],
    containers: [
      {
        name: 'main',
        image: BUSYBOX_IMAGE,
        imagePullPolicy: 'IfNotPresent',
        command: stubborn(work),
        // The container has allocated all its memory.
        readinessProbe: { exec: { command: ['cat', '/full'] }, periodSeconds: 1 },
        volumeMounts: [
          { name: 'ram', mountPath: '/ram' },
          { name: 'disk', mountPath: '/disk' },
        ],
        ...container,
      },
    ],
    ...spec,
  },
});

describeOnRuntimes('a node that runs short', ['containerd'], (kind) => {
  const conditions: string[] = [];
  let node: NodeUnderTest;
  let server: EmbeddedApiServer;
  let api: ApiTransport;
  const watching = { on: true };
  let watched: Promise<void> = Promise.resolve();
  const mounted: string[] = [];
  const disk = async (path: string, size: string): Promise<void> => {
    await runProgram('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', path]);
    mounted.push(path);
  };
  let imageDisk: string | undefined;

  const call = async <T>(request: Omit<ApiRequest, 'priority'>): Promise<T> => {
    const outcome = await api.call({ ...request, priority: 'object' }, 10_000);
    if (!outcome.ok) throw new Error(`${request.verb} ${request.path}: ${JSON.stringify(outcome.fault)}`);
    return outcome.value as T;
  };
  const create = (body: object) => call({ verb: 'create', path: podsPath(NAMESPACE), body });
  const pod = (name: string) => call<Pod>({ verb: 'get', path: podPath(NAMESPACE, name) });
  const isReady = async (name: string): Promise<boolean> =>
    (await pod(name)).status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
  const isEvicted = async (name: string): Promise<boolean> => (await pod(name)).status?.reason === 'Evicted';
  /** Or is gone already, on a slow machine. */
  const untilFull = (name: string) =>
    waitUntil(async () => (await isReady(name)) || (await isEvicted(name)), {
      what: `${name} is full`,
      withinMs: 40_000,
    });
  const untilEvicted = (name: string) =>
    waitUntil(() => isEvicted(name), { what: `${name} is evicted`, withinMs: 20_000 });

  /** The pressure conditions of the node, in the order of their starts and ends. */
  const watchConditions = async (): Promise<void> => {
    let before = '';
    while (watching.on) {
      const found = await api.call({ verb: 'get', path: nodePath(NODE_NAME), priority: 'object' }, 10_000);
      const { status } = (found.ok ? found.value : {}) as Partial<Node>;
      const now = (status?.conditions ?? []).filter(
        ({ type, status: is }) => type.endsWith('Pressure') && is === 'True',
      );
      const text = now.map(({ type }) => type).join('+') || 'none';
      if (text !== before) conditions.push(text);
      before = text;
      await delay(LOOK_EVERY_MS);
    }
  };

  beforeAll(async () => {
    imageDisk = mkdtempSync(join(tmpdir(), 'hvi-'));
    await disk(imageDisk, `size=${IMAGE_DISK_MIB}m`);
    node = await NodeUnderTest.prepare(kind, undefined, join(imageDisk, 'c'));
    const entries = [{ path: 'x', kind: 'file', content: randomBytes(UNUSED_IMAGE_MIB * MIB) }] as const;
    const archive = await imageArchive({ tags: [UNUSED_IMAGE], entries, config: {} });
    await node.runtime.containerd?.importImage({ tags: [UNUSED_IMAGE], archive });
    const { folder } = node;
    await disk(folder.rootDir, `size=${DISK_MIB}m,nr_inodes=${DISK_INODES}`);
    server = await serveEmbeddedApi();
    api = inProcessTransport(server.core, { later: (run) => setImmediate(run) });
    const user = await server.credentials({ username: `system:node:${NODE_NAME}`, groups: ['system:nodes'] });
    const credentials = join(folder.dir, 'kubeconfig');
    writeFileSync(credentials, kubeconfig({ server: server.address, authority: server.authority.certificate, user }));
    await folder.configure({
      cgroupDriver: 'cgroupfs',
      enableServer: false,
      nodeStatusUpdateFrequency: '250ms',
      systemReserved: { memory: String(totalmem() - PODS_MIB * MIB) },
      evictionHard: {
        'memory.available': '200Mi',
        'nodefs.available': '30Mi',
        'nodefs.inodesFree': '1k',
        'imagefs.available': '60Mi',
      },
      imageMinimumGCAge: '1ms',
      evictionPressureTransitionPeriod: '1s',
      volumeStatsAggPeriod: '1s',
    });
    await node.startAgent({ kubeconfig: credentials });
    watched = watchConditions();
    const important = {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'important' },
      value: 9,
    };
    await call({ verb: 'create', path: '/apis/scheduling.k8s.io/v1/priorityclasses', body: important });
    await create(manifest('critical', fill('ram', 20), { priorityClassName: 'system-cluster-critical' }));
    await create(manifest('important', fill('ram', 20), { priorityClassName: 'important' }, REQUEST));
    await create(manifest('greedy', fill('ram', 100)));
    for (const name of ['critical', 'important', 'greedy']) await untilFull(name);
    await create(manifest('hoarder', fill('disk', 40), {}, REQUEST));
    await create(manifest('litterer', litter('disk', 3_200), {}, REQUEST));
    for (const name of ['hoarder', 'litterer']) await untilFull(name);
  }, 120_000);

  afterAll(async () => {
    watching.on = false;
    await watched;
    await node?.agent.kill();
    await node?.runtime.stop();
    for (const path of mounted) await runProgram('umount', ['-l', path]);
    await node?.folder.discard();
    if (imageDisk !== undefined) rmdirSync(imageDisk);
    await server?.close();
  }, 60_000);

  it('evicts the pods that cause the pressure, one after the other, memory first, and then reports that the pressure is over', async () => {
    // A restarted manager observes at once, and knows only the node's current state.
    await node.admin.crashActor('eviction-manager');
    await untilEvicted('greedy');
    await untilEvicted('hoarder');
    await untilEvicted('litterer');
    await waitUntil(() => Promise.resolve(conditions.length > 1 && conditions.at(-1) === 'none'), {
      what: 'the node has enough',
      withinMs: 20_000,
    });

    const [greedy, hoarder, litterer] = [await pod('greedy'), await pod('hoarder'), await pod('litterer')];
    expect(greedy.status).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
    expect(greedy.status?.message).toMatch(
      /^The node was low on resource: memory\. Threshold quantity: 200Mi, available: \d+Ki\. Container main was using \d+Ki, request is 0, has larger consumption of memory\. $/,
    );
    expect(hoarder.status?.message).toMatch(
      /^The node was low on resource: ephemeral-storage\. Threshold quantity: 30Mi, available: \d+Ki\. /,
    );
    expect(litterer.status?.message).toMatch(
      /^The node was low on resource: inodes\. Threshold quantity: 1k, available: \d+\. $/,
    );
    const ends = [greedy, hoarder, litterer].map(({ status }) => status?.containerStatuses?.[0]?.state?.terminated);
    expect(ends.map((end) => end?.exitCode)).toEqual([137, 137, 137]);
    const [first = '', ...others] = ends.map((end) => end?.finishedAt ?? '');
    expect(others.every((other) => first <= other)).toBe(true);
    for (const { status } of [greedy, hoarder, litterer]) {
      expect(status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
        status: 'True',
        reason: 'TerminationByKubelet',
      });
    }
    expect([await isReady('critical'), await isReady('important')]).toEqual([true, true]);
    expect(conditions.join()).toMatch(/^(none,)?MemoryPressure.*DiskPressure.*,none$/);
  });

  it('removes unused images when their disk is full, reports it, and evicts no pod', async () => {
    const { runtime, admin } = node;
    conditions.length = 0;
    writeFileSync(join(imageDisk ?? '', 'ballast'), Buffer.alloc(BALLAST_MIB * MIB));
    // The same as in ten seconds.
    await admin.crashActor('eviction-manager');
    const isGone = async (): Promise<boolean> => {
      const { images } = await runtime.cri.call(ImageServiceService.listImages, ListImagesRequest.create());
      return !images.some(({ repoTags }) => repoTags.includes(UNUSED_IMAGE));
    };
    await waitUntil(isGone, { what: 'the image that nobody uses is gone', withinMs: 20_000 });
    await waitUntil(() => conditions.includes('DiskPressure'), { what: 'the node says so', withinMs: 5_000 });
    expect([await isReady('critical'), await isReady('important')]).toEqual([true, true]);
  });
});
