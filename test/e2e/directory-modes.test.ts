import { readdirSync, rmSync, statSync, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { untilRunning } from '../support/agent-process/observe-pods.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';

/** Runs a function that starts a process, which inherits the umask. */
async function underMask<T>(mask: number, start: () => Promise<T>): Promise<T> {
  const before = process.umask(mask);
  try {
    return await start();
  } finally {
    process.umask(before);
  }
}

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

function directoriesBelow(path: string): readonly string[] {
  const below = readdirSync(path)
    .map((name) => join(path, name))
    .filter((each) => lstatSync(each).isDirectory());
  return [path, ...below.flatMap(directoriesBelow)];
}

describe.each([{ mask: 0o000 }, { mask: 0o077 }])('an agent started with the file mode mask $mask', ({ mask }) => {
  let node: NodeUnderTest;
  let uid = '';
  beforeAll(async () => {
    node = await NodeUnderTest.prepare('embedded');
    rmSync(node.folder.rootDir, { recursive: true });
    await underMask(mask, () => node.startAgent({ profile: 'compact' }));
    await node.folder.put('web.yaml', podManifest('web'));
    uid = (await untilRunning(node.admin, 'web')).metadata.uid;
  }, 90_000);
  afterAll(() => node?.stop(), 60_000);

  it("creates its directories with the kubelet's modes", () => {
    const { rootDir, podLogs } = node.folder;
    const [logs = ''] = readdirSync(podLogs);
    const modes = Object.fromEntries(
      [
        rootDir,
        join(rootDir, 'pods'),
        join(rootDir, 'plugins'),
        join(rootDir, 'plugins_registry'),
        join(rootDir, 'pods', uid),
        join(rootDir, 'pods', uid, 'containers'),
        podLogs,
        join(podLogs, logs),
      ].map((path) => [
        path
          .slice(node.folder.dir.length + 1)
          .replace(logs, 'POD')
          .replace(uid, 'UID'),
        modeOf(path),
      ]),
    );
    expect(modes).toEqual({
      root: '750',
      'root/pods': '750',
      'root/plugins': '750',
      'root/plugins_registry': '750',
      'root/pods/UID': '750',
      'root/pods/UID/containers': '750',
      'pod-logs': '750',
      'pod-logs/POD': '755',
    });
  });

  it('gives files and log folders of a container the modes that its own user needs', () => {
    const { rootDir, podLogs } = node.folder;
    const [logs = ''] = readdirSync(podLogs);
    const [container = ''] = readdirSync(join(podLogs, logs));
    const files = join(rootDir, 'pods', uid, 'containers', container);
    const [message = ''] = readdirSync(files);
    expect({
      logs: modeOf(join(podLogs, logs, container)),
      hosts: modeOf(join(rootDir, 'pods', uid, 'etc-hosts')),
      message: modeOf(join(files, message)),
    }).toEqual({ logs: '755', hosts: '644', message: '666' });
  });

  it('creates no directory that other users may write to', () => {
    const all = [node.folder.rootDir, node.folder.podLogs].flatMap(directoriesBelow);
    expect(all.length).toBeGreaterThan(10);
    expect(all.filter((path) => (statSync(path).mode & 0o022) !== 0)).toEqual([]);
  });
});

describe('an agent with existing directories', () => {
  let node: NodeUnderTest;
  afterAll(() => node?.stop(), 60_000);

  it('keeps their modes', async () => {
    node = await NodeUnderTest.prepare('embedded');
    const pods = join(node.folder.rootDir, 'pods');
    await underMask(0, async () => mkdirSync(pods, { mode: 0o711 }));
    await node.startAgent({ profile: 'compact' });
    expect([modeOf(node.folder.rootDir), modeOf(pods)]).toEqual(['755', '711']);
  }, 60_000);
});
