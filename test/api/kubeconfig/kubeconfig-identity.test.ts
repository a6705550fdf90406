import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { runExecPlugin, type PluginCredential } from '../../../src/api/kubeconfig/exec-plugin.ts';
import { kubeconfigIdentity } from '../../../src/api/kubeconfig/kubeconfig-identity.ts';

const NOW = Date.UTC(2026, 0, 1);
const folder = mkdtempSync(join(tmpdir(), 'hivelet-identity-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (user: object): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'https://api.example:6443' } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
const plugin = (command: string) => ({
  exec: { apiVersion: 'client.authentication.k8s.io/v1', command, interactiveMode: 'Never' },
});

let now: number;
let files: Record<string, string>;
let given: PluginCredential[];
let runs: number;
beforeEach(() => {
  now = NOW;
  files = {};
  given = [];
  runs = 0;
});

const source = () =>
  kubeconfigIdentity('/kubeconfig', {
    readFile: (path) => {
      const text = files[path];
      return text === undefined ? Promise.reject(new Error('ENOENT')) : Promise.resolve(text);
    },
    runPlugin: () => {
      runs += 1;
      const next = given.shift();
      return next === undefined ? Promise.reject(new Error('it ended with exit code 1')) : Promise.resolve(next);
    },
    now: () => now,
  });
const bearer = async (from: ReturnType<typeof source>): Promise<unknown> =>
  (await from.read()).headers['authorization'];

describe('credentials of a plugin', () => {
  it('are used until ten seconds before they expire, and then requested again', async () => {
    files['/kubeconfig'] = file(plugin('/bin/plugin'));
    given = [
      { token: 'one', expiresAt: NOW + 60_000 },
      { token: 'two', expiresAt: Infinity },
    ];
    const from = source();
    expect(await bearer(from)).toBe('Bearer one');
    now += 49_000;
    expect(await bearer(from)).toBe('Bearer one');
    now += 2_000;
    expect(await bearer(from)).toBe('Bearer two');
    now += 1e12;
    expect(await bearer(from)).toBe('Bearer two');
    expect(runs).toBe(2);
  });

  it('that the server rejected are requested again before they expire', async () => {
    files['/kubeconfig'] = file(plugin('/bin/plugin'));
    given = [
      { token: 'one', expiresAt: Infinity },
      { token: 'two', expiresAt: Infinity },
    ];
    const from = source();
    await from.read();
    from.discardCredentials();
    expect(await bearer(from)).toBe('Bearer two');
  });

  it("that are unavailable fail with the plugin's name, and are retried", async () => {
    files['/kubeconfig'] = file(plugin('/bin/plugin'));
    const from = source();
    await expect(from.read()).rejects.toThrow('/kubeconfig: credential plugin /bin/plugin: it ended with exit code 1');
    given = [{ token: 'late', expiresAt: Infinity }];
    expect(await bearer(from)).toBe('Bearer late');
  });

  it("are read from a real program's standard output", async () => {
    const command = join(folder, 'plugin');
    const status = { token: 'from-a-program', expirationTimestamp: '2026-01-01T01:00:00Z' };
    const said = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status };
    writeFileSync(command, `#!/bin/sh\ncat <<END\n${JSON.stringify(said)}\nEND\n`, { mode: 0o755 });
    const text = file(plugin(command));
    const readFile = () => Promise.resolve(text);
    const from = kubeconfigIdentity('/kubeconfig', { readFile, runPlugin: runExecPlugin, now: () => NOW });
    expect((await from.read()).headers).toEqual({ authorization: 'Bearer from-a-program' });
  });
});

describe('credentials in files', () => {
  it('are read again each time, so that a rotated file is used', async () => {
    files['/kubeconfig'] = file({ tokenFile: '/token' });
    files['/token'] = 'one\n';
    const from = source();
    expect(await bearer(from)).toBe('Bearer one');
    files['/token'] = 'two\n';
    expect(await bearer(from)).toBe('Bearer two');
  });

  it.each([
    { what: 'is not there', text: undefined, says: /token file \/token cannot be read: ENOENT/ },
    { what: 'is empty', text: ' \n', says: /token file \/token is empty/ },
  ])('that $what cause a fault that names the file', async ({ text, says }) => {
    files['/kubeconfig'] = file({ tokenFile: '/token' });
    if (text !== undefined) files['/token'] = text;
    await expect(source().read()).rejects.toThrow(says);
  });
});
