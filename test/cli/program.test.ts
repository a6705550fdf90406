import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serveAdmin } from '../../src/cli/admin/serve-admin.ts';
import type { Program } from '../../src/cli/program-context.ts';
import { runProgram } from '../../src/cli/program.ts';
import { packageVersion } from '../../src/package-root.ts';
import { asksForLauncher } from '../../src/agent/launcher.ts';
import { fakeBackend, namedPod } from './admin/fake-backend.ts';
import { manualClock } from '../support/manual-clock.ts';
import { fakeTerminal } from './fake-terminal.ts';
import type { AgentMachine } from '../../src/cli/run/agent-machine.ts';
import { plainMachine } from './run/plain-machine.ts';

let rootDir: string;
beforeEach(() => {
  rootDir = mkdtempSync(join(tmpdir(), 'hivelet-cli-'));
});
afterEach(() => rmSync(rootDir, { recursive: true }));

/** Runs one command line to its end. */
const hivelet = (...args: string[]) => hiveletOn(plainMachine, ...args);

async function hiveletOn(
  machine: AgentMachine,
  ...args: string[]
): Promise<{ code: number | undefined; out: string; err: string }> {
  const terminal = fakeTerminal();
  let code: number | undefined;
  const program: Program = {
    terminal,
    clock: manualClock(),
    random: () => 0,
    startAgent: () => Promise.reject(new Error('an agent was started')),
    machine,
    mainScript: 'main.ts',
    args,
    leave: (given) => (code = given),
  };
  await runProgram(program);
  return { code, out: terminal.written.join(''), err: terminal.complaints.join('') };
}

describe('the command line', () => {
  it('prints its version', async () => {
    expect(await hivelet('--version')).toEqual({ code: 0, out: `hivelet ${packageVersion()}\n`, err: '' });
  });

  it('has help for each command, and keeps the debug commands out of it', async () => {
    const { code, out } = await hivelet('--help');
    expect(code).toBe(0);
    for (const command of ['dev', 'run', 'get', 'top', 'runtime'])
      expect(out).toMatch(new RegExp(`^  ${command} `, 'm'));
    expect(out).not.toContain('debug');
  });

  it('lists in the help of run every flag of the kubelet', async () => {
    const { out } = await hivelet('run', '--help');
    for (const flag of [
      '--config <file>',
      '--v <value>',
      '--pod-manifest-path',
      '--eviction-hard',
      '--no-launcher',
      '--memory-limit <amount>',
    ]) {
      expect(out).toContain(flag);
    }
  });

  it.each([
    { args: ['prod'], says: "unknown command 'prod'" },
    { args: ['run', '--memory-limit', '100Mi'], says: '100Mi must be auto, none, or an amount of at least 256Mi' },
    { args: ['run', '--max-podz=3'], says: 'Did you mean --max-pods?' },
    { args: ['run', '--no-launcher', '--exit-on-lock-contention'], says: 'unless --lock-file is given' },
    { args: ['dev', '--timeout', 'soon'], says: '--timeout takes a duration such as 90s or 2m, not soon' },
    { args: ['dev', '--pods', '/does/not/exist'], says: 'cannot read --pods /does/not/exist: ' },
    { args: ['get', 'pods', '-o', 'xml'], says: 'json, yaml, wide, name' },
    { args: ['runtime'], says: '--socket' },
  ])('rejects $args with the reason', async ({ args, says }) => {
    const { code, err } = await hivelet(...args);
    expect(code).toBe(1);
    expect(err).toContain(says);
  });

  it('reports that no agent runs', async () => {
    expect(await hivelet('get', 'pods', '--root-dir', rootDir)).toEqual({
      code: 1,
      out: '',
      err: `no hivelet agent listens on ${rootDir}/hivelet.sock\n`,
    });
  });

  it('reports each problem of a configuration on its own line, and starts nothing', async () => {
    const config = join(rootDir, 'config.yaml');
    writeFileSync(
      config,
      'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPodz: 3\nsyncFrequency: soon\n',
    );
    const { code, err } = await hivelet(
      'run',
      '--no-launcher',
      '--config',
      config,
      '--root-dir',
      rootDir,
      '--max-pods=-2',
    );
    expect(code).toBe(1);
    expect(err.trimEnd().split('\n')).toEqual([
      expect.stringContaining(`${config}:3:1: maxPodz`),
      expect.stringContaining(`${config}:4:16: syncFrequency`),
      expect.stringContaining('--max-pods=-2'),
    ]);
  });

  it('does not start on a machine that the configuration does not permit, and names the settings that would', async () => {
    const machine: AgentMachine = { ...plainMachine, startFacts: () => ({ cgroupVersion: 1, swaps: ['/dev/sda2'] }) };
    const { code, err } = await hiveletOn(machine, 'run', '--no-launcher', '--root-dir', rootDir);
    expect(code).toBe(1);
    expect(err.trimEnd().split('\n')).toEqual([
      'defaults: failCgroupV1: found true by default, expected false: this host has cgroup v1',
      'defaults: failSwapOn: found true by default, expected false: this host swaps to /dev/sda2',
    ]);
  });

  it('does not start without the lock file that it was given', async () => {
    const { code, err } = await hivelet('run', '--no-launcher', '--root-dir', rootDir, '--lock-file', '/run/k.lock');
    expect({ code, err }).toEqual({
      code: 1,
      err: 'cannot lock --lock-file /run/k.lock: this machine has no lock files\n',
    });
  });

  it('does not start an agent beside a running agent', async () => {
    const other = await serveAdmin({ rootDir, faultInjection: false, identity: { pid: 4711, version: '1' } });
    const listening = process.listenerCount('SIGTERM');
    const { code, err } = await hivelet('run', '--no-launcher', '--root-dir', rootDir);
    expect(code).toBe(1);
    expect(process.listenerCount('SIGTERM')).toBe(listening);
    expect(err).toBe(`another hivelet (process 4711, version 1) runs with --root-dir ${rootDir}\n`);
    await other.close();
  });
});

describe('hivelet with a running agent', () => {
  it('shows pods, threads, and injected faults', async () => {
    const server = await serveAdmin({ rootDir, faultInjection: true, identity: { pid: 1, version: '1' } });
    server.open(fakeBackend({ pods: async () => [namedPod('web'), namedPod('db')] }));
    const ask = (...args: string[]) => hivelet(...args, '--root-dir', rootDir);
    expect(await ask('get', 'pods', '-o', 'name')).toEqual({ code: 0, out: 'pod/db\npod/web\n', err: '' });
    expect((await ask('top')).out).toMatch(/^THREAD +CPU/);
    expect((await ask('debug', 'crash', 'pleg')).out).toBe('made actor pleg throw\n');
    expect(await ask('debug', 'thread', 'nobody', 'exit')).toMatchObject({
      code: 1,
      err: expect.stringContaining('there is no thread nobody'),
    });
    await server.close();
  });
});

describe('a launcher', () => {
  it.each([
    { args: ['run'], is: true },
    { args: ['run', '--config', 'c.yaml'], is: true },
    { args: ['run', '--no-launcher'], is: false },
    { args: ['run', '--help'], is: false },
    { args: ['dev'], is: false },
    { args: [], is: false },
  ])('is asked for by $args: $is', ({ args, is }) => {
    expect(asksForLauncher(args)).toBe(is);
  });
});
