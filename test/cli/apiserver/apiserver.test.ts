import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const MAIN_SCRIPT = join(import.meta.dirname, '../../../src/main.ts');

let folder: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hivelet-apiserver-'));
});
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

const start = (...args: readonly string[]): ChildProcess =>
  (child = spawn(process.execPath, [MAIN_SCRIPT, 'apiserver', ...args], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] }));

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
  }[];
  readonly users: readonly {
    readonly user: { readonly 'client-certificate-data': string; readonly 'client-key-data': string };
  }[];
}

/** The user that the server sees for a kubeconfig. */
async function whoAmI(file: string): Promise<unknown> {
  const { clusters, users } = parse(readFileSync(file, 'utf8')) as Kubeconfig;
  const [{ cluster }, { user }] = [clusters[0] ?? { cluster: undefined }, users[0] ?? { user: undefined }];
  if (!cluster || !user) throw new Error(`${file} has no cluster or no user`);
  const decoded = (text: string): string => Buffer.from(text, 'base64').toString();
  const dispatcher = new Agent({
    connect: {
      ca: decoded(cluster['certificate-authority-data']),
      cert: decoded(user['client-certificate-data']),
      key: decoded(user['client-key-data']),
    },
  });
  const { body } = await request(`${cluster.server}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
    method: 'POST',
    dispatcher,
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  const { status } = (await body.json()) as { readonly status: { readonly userInfo: unknown } };
  await dispatcher.close();
  return status.userInfo;
}

describe('hivelet apiserver', () => {
  it('writes its kubeconfig, reports that it is ready, and ends on request', async () => {
    const [kubeconfig, node] = [join(folder, 'deep', 'kubeconfig'), join(folder, 'node')];
    const server = start('--kubeconfig', kubeconfig, '--node', 'n', '--node-kubeconfig', node);
    const [notice] = (await once(server, 'message')) as [unknown];
    expect(notice).toMatchObject({
      type: 'apiserver-ready',
      address: expect.stringMatching(/^https:\/\/127\.0\.0\.1:/) as unknown,
    });
    for (const file of [kubeconfig, node]) expect(statSync(file).mode & 0o077).toBe(0);
    expect(await whoAmI(kubeconfig)).toMatchObject({
      username: 'hivelet-admin',
      groups: ['system:masters', 'system:authenticated'],
    });
    expect(await whoAmI(node)).toMatchObject({
      username: 'system:node:n',
      groups: ['system:nodes', 'system:authenticated'],
    });
    server.kill('SIGTERM');
    expect(await once(server, 'exit')).toEqual([0, null]);
  });

  it('ends with its parent process', async () => {
    const server = start('--kubeconfig', join(folder, 'kubeconfig'));
    await once(server, 'message');
    server.disconnect();
    expect(await once(server, 'exit')).toEqual([0, null]);
  });

  it.each([
    { what: 'an invalid port', args: ['--port', '99999'], says: '--port takes a number up to 65535, not 99999\n' },
    {
      what: 'a node without a file',
      args: ['--node', 'n'],
      says: '--node and --node-kubeconfig must be given together\n',
    },
  ])('rejects $what', async ({ args, says }) => {
    const server = start('--kubeconfig', join(folder, 'kubeconfig'), ...args);
    let err = '';
    server.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
    expect(await once(server, 'close')).toEqual([1, null]);
    expect(err).toBe(says);
  });
});
