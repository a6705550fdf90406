import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { onNode, untilGone, untilRunning } from '../support/agent-process/observe-pods.ts';
import type { LogLine } from '../support/agent-process/log-line.ts';
import { describeOnRuntimes } from '../support/agent-process/runtime-under-test.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';

/** A pod with an affinity of this depth, as JSON text: JSON writers cannot write such a depth. */
function deepManifest(levels: number): string {
  const json = JSON.stringify(podManifest('deep', { spec: { affinity: 'DEEP' } }));
  return json.replace('"DEEP"', `${'{"a":'.repeat(levels)}{}${'}'.repeat(levels)}`);
}

describeOnRuntimes('an entry of the static pod folder that is not for reading', ['embedded'], (kind) => {
  let node: NodeUnderTest;
  let server: Server;
  const path = (name: string): string => join(node.folder.manifests, name);
  const errorsOf = async (name: string): Promise<readonly LogLine[]> =>
    (await node.folder.log()).filter(({ level, file }) => level === 'error' && file === path(name));
  const untilReported = (name: string): Promise<LogLine> =>
    waitUntil(async () => (await errorsOf(name)).at(-1), { what: `an error about ${name}`, withinMs: 60_000 });

  beforeAll(async () => {
    node = await NodeUnderTest.start(kind, { profile: 'compact' });
    await node.folder.put('before.yaml', podManifest('before'));
    await untilRunning(node.admin, 'before');
    server = createServer();
    await new Promise<void>((resolve) => server.listen(path('socket.yaml'), resolve));
  }, 90_000);
  afterAll(async () => {
    await new Promise<unknown>((resolve) => server.close(resolve));
    await node?.stop();
  }, 60_000);

  const entries = [
    { name: 'pipe.yaml', make: (at: string) => execFileSync('mkfifo', [at]), says: 'named pipe' },
    { name: 'zero.yaml', make: (at: string) => symlinkSync('/dev/zero', at), says: 'device' },
    { name: 'nowhere.yaml', make: (at: string) => symlinkSync('/nowhere/at/all', at), says: 'link to nothing' },
    { name: 'loop.yaml', make: (at: string) => symlinkSync(at, at), says: 'ELOOP' },
    {
      name: 'sparse.yaml',
      make: (at: string) => {
        writeFileSync(at, '');
        truncateSync(at, 1024 ** 4);
      },
      says: '10 MiB',
    },
    { name: 'deep.yaml', make: (at: string) => writeFileSync(at, deepManifest(5_000)), says: 'levels deep' },
    // Parsing would take hours, so the file is rejected before.
    { name: 'slow.yaml', make: (at: string) => writeFileSync(at, `${'? '.repeat(800)}a`), says: 'nested too deeply' },
  ];

  it.each(entries)(
    'is reported with its name, and other files still become pods: $name',
    async ({ name, make, says }) => {
      make(path(name));
      const beside = `beside-${name.split('.')[0]}`;
      await node.folder.put(`${beside}.yaml`, podManifest(beside));
      expect((await untilReported(name)).msg).toContain(says);
      await untilRunning(node.admin, beside);
    },
    90_000,
  );

  it('is reported once, each', async () => {
    expect((await untilReported('socket.yaml')).msg).toContain('socket');
    for (const { name } of [...entries, { name: 'socket.yaml' }]) expect(await errorsOf(name)).toHaveLength(1);
  });

  it('becomes a pod when it is repaired', async () => {
    for (const { name } of entries) {
      rmSync(path(name));
      const mended = `mended-${name.split('.')[0]}`;
      await node.folder.put(name, podManifest(mended));
      expect((await untilRunning(node.admin, mended)).status?.phase).toBe('Running');
    }
  }, 120_000);

  it('does not affect later reads of the folder', async () => {
    await node.folder.remove('before.yaml');
    await untilGone(node.admin, 'before');
    await node.folder.put('after.yaml', podManifest('after'));
    expect((await untilRunning(node.admin, 'after')).metadata.name).toBe(onNode('after'));
  }, 60_000);

  it('crashed no actor and cost little memory', async () => {
    expect((await node.folder.log()).filter(({ msg }) => msg === 'crashed')).toEqual([]);
    const peakKb = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${node.agent.pid}/status`, 'utf8'))?.[1]);
    expect(peakKb).toBeLessThan(1024 ** 2);
  });
});
