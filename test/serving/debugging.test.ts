import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/actor/clock.ts';
import { cpuProfile, heapSnapshot } from '../../src/actor/threads/thread-profile.ts';
import { ProfileAnswers } from '../../src/serving/profiles.ts';
import { ask, serverUnderTest, upkeepOf, type ServerUnderTest } from './server-under-test.ts';

let node: ServerUnderTest;
let folder: string;
const verbosities: number[] = [];
let finishCpu: (profile: string) => void = () => {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'profiles-'));
  const debugging = upkeepOf({
    profiles: new ProfileAnswers({
      names: () => Promise.resolve(['main', 'pleg']),
      cpu(thread, durationMs) {
        if (thread === 'gone') return Promise.resolve(undefined);
        if (thread !== 'slow') return Promise.resolve(JSON.stringify({ thread, durationMs }));
        return new Promise((resolve) => (finishCpu = resolve));
      },
      heap(thread, path) {
        if (thread === 'gone') return Promise.resolve(false);
        writeFileSync(path, `heap of ${thread}`);
        return Promise.resolve(true);
      },
      makeFolder: () => Promise.resolve(folder),
    }),
    setVerbosity: (verbosity) => Promise.resolve(void verbosities.push(verbosity)),
  });
  node = await serverUnderTest({ anonymous: true, debugging });
  node.reviews.rights.add('system:anonymous *');
});
afterAll(async () => {
  await node.server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('profiles of the agent', () => {
  it.each([
    ['of the main thread', 'profile?seconds=2', 200, '{"thread":"main","durationMs":2000}'],
    ['of another', 'profile?seconds=1&thread=pleg', 200, '{"thread":"pleg","durationMs":1000}'],
    [
      'of all',
      'profile?seconds=1&thread=all',
      200,
      '{"main":{"thread":"main","durationMs":1000},"pleg":{"thread":"pleg","durationMs":1000}}',
    ],
    ['of a heap', 'heap?thread=pleg', 200, 'heap of pleg'],
    ['of a thread that is not there', 'profile?thread=gone', 404, 'there is no thread "gone"\n'],
    ['of a heap that is not there', 'heap?thread=gone', 404, 'there is no thread "gone"\n'],
  ])('%s', async (_, path, status, text) => {
    expect(await ask(node, `/debug/pprof/${path}`)).toMatchObject({ status, text });
  });

  it.each(['0', '-1', '301', 'x', ''])('take no %j seconds', async (seconds) => {
    expect((await ask(node, `/debug/pprof/profile?seconds=${seconds}`)).status).toBe(400);
  });

  it('are listed, and leave no file behind', async () => {
    await ask(node, '/debug/pprof/heap');
    expect(readdirSync(folder)).toEqual([]);
    expect((await ask(node, '/debug/pprof/')).text).toContain('Threads: main pleg');
    expect((await ask(node, '/debug/pprof/goroutine')).status).toBe(404);
    expect((await ask(node, '/debug/pprof/cmdline')).text).toContain('\0');
  });

  it('are taken one at a time', async () => {
    const first = ask(node, '/debug/pprof/profile?thread=slow');
    await expect.poll(async () => (await ask(node, '/debug/pprof/profile')).status).toBe(503);
    finishCpu('{}');
    expect(await first).toMatchObject({ status: 200, text: '{}' });
    expect((await ask(node, '/debug/pprof/profile')).status).toBe(200);
  });

  it('can be opened by developer tools', async () => {
    const profile = JSON.parse(await cpuProfile(1, systemClock)) as { readonly nodes: readonly unknown[] };
    expect(profile.nodes.length).toBeGreaterThan(0);
    const path = join(folder, 'own.heapsnapshot');
    heapSnapshot(path);
    expect(readdirSync(folder)).toEqual(['own.heapsnapshot']);
    rmSync(path);
  });
});

describe('checkpoints', () => {
  const asks = (path: string): ReturnType<typeof ask> => ask(node, path, { method: 'POST' });
  it('are created by the runtime, and named after their container', async () => {
    const { status, text } = await asks('/checkpoint/a/web/main?timeout=1&timeout=7');
    expect(status).toBe(200);
    const { items } = JSON.parse(text) as { items: readonly string[] };
    expect(items[0]).toMatch(/^\/checkpoints\/checkpoint-web_a-main-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\.tar$/);
    expect(node.calls.at(-1)).toEqual({
      method: 'CheckpointContainer',
      request: { containerId: 'c1', location: items[0], timeout: 7n },
    });
  });

  it.each([
    ['a pod that is not there', '/checkpoint/a/who/main', 404],
    ['a container that is not there', '/checkpoint/a/web/who', 404],
    ['a timeout that is none', '/checkpoint/a/web/main?timeout=soon', 404],
  ])('of %s', async (_, path, status) => {
    expect((await asks(path)).status).toBe(status);
  });

  it("fail with the runtime's error", async () => {
    node.failing.add('CheckpointContainer');
    expect(await asks('/checkpoint/a/web/main')).toMatchObject({
      status: 500,
      text: 'checkpointing of a/web/main failed (CheckpointContainer is not there)\n',
    });
    node.failing.delete('CheckpointContainer');
  });
});

describe('pages about the agent', () => {
  const json = 'application/json;v=v1beta1;g=config.k8s.io;as=';
  it('are text by default', async () => {
    const { text, headers } = await ask(node, '/statusz');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(text).toMatch(/^\nkubelet statusz\nWarning: .*\n\nStarted: .*\nUp: \d+ hr \d\d min \d\d sec\n/);
    expect((await ask(node, '/flagz')).text).toMatch(/\n\nv=2\n$/);
  });

  it('are objects in JSON or YAML on request', async () => {
    const status = await ask(node, '/statusz', { headers: { accept: `${json}Statusz` } });
    expect(JSON.parse(status.text)).toMatchObject({
      kind: 'Statusz',
      apiVersion: 'config.k8s.io/v1beta1',
      startTime: '1970-01-01T00:00:00Z',
      binaryVersion: 'v1.36.2+test',
      emulationVersion: '1.36',
      paths: ['/pods'],
    });
    const flags = await ask(node, '/flagz', {
      headers: { accept: `${json.replace('json', 'yaml')}Flagz, text/plain` },
    });
    expect(flags.text).toContain('flags:\n  v: "2"\n');
  });

  it.each(['application/json', `${json}Other`, 'image/png'])('are not available as %s', async (accept) => {
    expect((await ask(node, '/statusz', { headers: { accept } })).status).toBe(406);
  });
});

describe('the log level', () => {
  const put = (body: string): ReturnType<typeof ask> => ask(node, '/debug/flags/v', { method: 'PUT', body });
  it('can be changed while the agent runs', async () => {
    expect(await put('4')).toMatchObject({ status: 200, text: 'successfully set verbosity to 4' });
    expect(verbosities).toEqual([4]);
  });

  it.each(['', 'loud', '-1', '9999'])('is not changed to %j', async (body) => {
    expect((await put(body)).status).toBe(400);
    expect(verbosities).toEqual([4]);
  });
});
