import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, status } from '@grpc/grpc-js';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Pod } from '../../src/kube/pod.ts';
import type { NodeServer } from '../../src/serving/node-server.ts';
import { openPodResourcesServer } from '../../src/serving/pod-resources-server.ts';
import { manualClock, type ManualClock } from '../support/manual-clock.ts';

const pod = (name: string, spec: object, phase = 'Running'): Pod =>
  ({ metadata: { name, namespace: 'a', uid: name }, spec, status: { phase } }) as unknown as Pod;

let folder: string;
let clock: ManualClock;
let server: NodeServer;
let client: Client;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pod-resources-'));
  clock = manualClock();
  const pods = [
    pod('web', {
      initContainers: [{ name: 'setup' }, { name: 'proxy', restartPolicy: 'Always' }],
      containers: [{ name: 'main' }, { name: 'log' }],
    }),
    pod('done', { containers: [{ name: 'main' }] }, 'Succeeded'),
  ];
  server = await openPodResourcesServer({ socketPath: socketPath(), pods: () => Promise.resolve(pods), clock });
  client = new Client(`unix:${socketPath()}`, credentials.createInsecure());
});
afterEach(async () => {
  client.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});
const socketPath = (): string => join(folder, 'pod-resources/kubelet.sock');

const call = (method: string, request: Uint8Array = new Uint8Array()): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const same = (bytes: Buffer): Buffer => bytes;
    client.makeUnaryRequest(`/v1.PodResourcesLister/${method}`, same, same, Buffer.from(request), (error, answer) =>
      error === null ? resolve(answer ?? Buffer.alloc(0)) : reject(error),
    );
  });

/** The fields of a message by number: text as text, nested messages as bytes. */
function fields(bytes: Uint8Array): [number, Uint8Array][] {
  const reader = new BinaryReader(bytes);
  const found: [number, Uint8Array][] = [];
  while (reader.pos < reader.len) found.push([reader.tag()[0], reader.bytes()]);
  return found;
}
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
/** `PodResources`, by the numbers of its fields. */
const podIn = (bytes: Uint8Array): unknown =>
  fields(bytes).map(([number, value]) => [
    number,
    number === 3 ? fields(value).map(([n, v]) => [n, text(v)]) : text(value),
  ]);
const webPod = [
  [1, 'web'],
  [2, 'a'],
  [3, [[1, 'proxy']]],
  [3, [[1, 'main']]],
  [3, [[1, 'log']]],
];
const named = (name: string, namespace: string): Uint8Array =>
  new BinaryWriter().uint32(10).string(name).uint32(18).string(namespace).finish();

describe('the pod resources service', () => {
  it('lists the pods that run or may run, with their containers and sidecars', async () => {
    expect(fields(await call('List')).map(([number, bytes]) => [number, podIn(bytes)])).toEqual([[1, webPod]]);
  });

  it('returns one pod by its name', async () => {
    expect(fields(await call('Get', named('web', 'a'))).map(([, bytes]) => podIn(bytes))).toEqual([webPod]);
  });

  it.each([
    ['done', 'a'],
    ['web', 'b'],
    ['', ''],
  ])('knows no pod %j in %j', async (name, namespace) => {
    await expect(call('Get', named(name, namespace))).rejects.toMatchObject({
      code: status.NOT_FOUND,
      details: `pod ${name} in namespace ${namespace} not found`,
    });
  });

  it('returns no exclusive devices, CPUs or memory', async () => {
    expect((await call('GetAllocatableResources')).length).toBe(0);
  });

  it('is limited to a hundred calls a second, ten at once', async () => {
    const burst = await Promise.allSettled(Array.from({ length: 12 }, () => call('List')));
    const refused = burst
      .filter((each) => each.status === 'rejected')
      .map(({ reason }) => (reason as { code: number }).code);
    expect(refused).toEqual([status.RESOURCE_EXHAUSTED, status.RESOURCE_EXHAUSTED]);
    clock.advance(10);
    await call('List');
    await expect(call('List')).rejects.toMatchObject({ details: 'rejected by rate limit' });
  });

  it('is open to root only, and replaces a stale socket', async () => {
    expect(statSync(socketPath()).mode & 0o777).toBe(0o600);
    await server.close();
    const left = createServer().listen(socketPath());
    await new Promise((resolve) => void left.once('listening', resolve));
    server = await openPodResourcesServer({ socketPath: socketPath(), pods: () => Promise.resolve([]), clock });
    client.close();
    client = new Client(`unix:${socketPath()}`, credentials.createInsecure());
    expect((await call('List')).length).toBe(0);
    left.close();
  });
});
