import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AdminClient } from '../../../src/cli/admin/admin-client.ts';
import { adminTarget, type AdminRequest, readAdminTarget } from '../../../src/cli/admin/admin-route.ts';
import { adminSocketPath } from '../../../src/cli/admin/admin-socket.ts';
import { type AdminServer, type AdminServerOptions, serveAdmin } from '../../../src/cli/admin/serve-admin.ts';
import { runProgram } from '../../support/containerd/run-program.ts';
import { fakeBackend } from './fake-backend.ts';

let rootDir: string;
const opened: AdminServer[] = [];

async function serve(more: Partial<AdminServerOptions> = {}): Promise<AdminServer> {
  const server = await serveAdmin({
    rootDir,
    faultInjection: true,
    identity: { pid: 4711, version: '1.2.3' },
    ...more,
  });
  opened.push(server);
  return server;
}
const client = (): AdminClient => new AdminClient(adminSocketPath(rootDir));

beforeEach(() => {
  rootDir = mkdtempSync(join(tmpdir(), 'hivelet-admin-'));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
  rmSync(rootDir, { recursive: true });
});

describe('the admin socket', () => {
  it('may be opened by its owner only', async () => {
    const { socketPath } = await serve();
    expect(statSync(socketPath).mode & 0o777).toBe(0o600);
  });

  it('is gone once the agent has stopped', async () => {
    const server = await serve();
    await server.close();
    await expect(client().pods()).rejects.toMatchObject({ code: 'not-running' });
    expect(statSync(server.socketPath, { throwIfNoEntry: false })).toBeUndefined();
  });

  it('answers requests', async () => {
    (await serve()).open(fakeBackend());
    const pods = await client().pods();
    expect(pods.map((pod) => pod.metadata.name)).toEqual(['web']);
    expect(await client().threads()).toEqual([]);
    expect(await client().metrics()).toBe('up 1\n');
    expect(await client().runtime()).toEqual({ name: 'fake', version: '1', state: 'up' });
    expect(await client().agent()).toEqual({ pid: 4711, version: '1.2.3' });
  });

  it('reports whether a fault had a target', async () => {
    (await serve()).open(fakeBackend());
    expect(await client().crashActor('pleg')).toBe(true);
    expect(await client().crashActor('nobody')).toBe(false);
    expect(await client().provokeThread('pods-0', 'hang')).toBe(true);
    expect(await client().provokeThread('pods-9', 'exit')).toBe(false);
  });

  it('rejects fault injection unless it is enabled', async () => {
    (await serve({ faultInjection: false })).open(fakeBackend());
    await expect(client().crashActor('pleg')).rejects.toMatchObject({ code: 'refused' });
    await expect(client().provokeThread('pods-0', 'exit')).rejects.toThrow('--enable-fault-injection');
  });

  it('answers with "starting" while the agent starts', async () => {
    await serve();
    await expect(client().pods()).rejects.toMatchObject({ code: 'starting' });
  });

  it('returns the reason why the agent could not answer', async () => {
    (await serve()).open(fakeBackend({ pods: () => Promise.reject(new Error('status manager is restarting')) }));
    await expect(client().pods()).rejects.toMatchObject({ code: 'failed', message: 'status manager is restarting' });
  });
});

describe('a root folder', () => {
  it('belongs to one agent at a time, and the second agent’s error names the first', async () => {
    await serve();
    await expect(serve()).rejects.toThrow(
      `another hivelet (process 4711, version 1.2.3) runs with --root-dir ${rootDir}`,
    );
  });

  it('can be taken over from an agent that was killed', async () => {
    const bind = `require('net').createServer().listen(${JSON.stringify(adminSocketPath(rootDir))}, () => process.kill(process.pid, 'SIGKILL'))`;
    await expect(runProgram(process.execPath, ['-e', bind])).rejects.toThrow('SIGKILL');
    expect(statSync(adminSocketPath(rootDir)).isSocket()).toBe(true);
    (await serve()).open(fakeBackend());
    expect(await client().metrics()).toBe('up 1\n');
  });

  it('is not taken from another program that listens there', async () => {
    const stranger = createServer((socket) => socket.end('hello\r\n\r\n')).listen(adminSocketPath(rootDir));
    await expect(serve()).rejects.toThrow('another process');
    stranger.close();
  });

  it("is not used when the socket's path is a file", async () => {
    writeFileSync(adminSocketPath(rootDir), 'precious');
    await expect(serve()).rejects.toThrow('is not a socket');
  });

  it('must be short enough for a socket path', async () => {
    await expect(serve({ rootDir: join(rootDir, 'x'.repeat(100)) })).rejects.toThrow('too long');
  });
});

describe('a request', () => {
  it.each([
    { type: 'agent' },
    { type: 'pods' },
    { type: 'threads' },
    { type: 'metrics' },
    { type: 'runtime' },
    { type: 'crash-actor', address: 'pod-worker/a b&c' },
    { type: 'provoke-thread', thread: 'pods-0', how: 'throw' },
  ] satisfies AdminRequest[])('to $type is read as it was written', (asked) => {
    const { method, path } = adminTarget(asked);
    expect(readAdminTarget(method, path)).toEqual(asked);
  });

  it.each([
    ['GET', '/nothing'],
    ['GET', '/debug/crash?actor=pleg'],
    ['POST', '/pods'],
    ['POST', '/debug/crash'],
    ['POST', '/debug/thread?thread=a&how=explode'],
    ['DELETE', '/pods'],
  ])('%s %s is not an endpoint', (method, path) => {
    expect(readAdminTarget(method, path)).toBeUndefined();
  });
});
