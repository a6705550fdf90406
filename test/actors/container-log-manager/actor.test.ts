import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ContainerLogManager } from '../../../actors/container-log-manager/actor.ts';
import { REST } from '../../../actors/container-log-manager/log-queue.ts';
import { hostLogDisk, type LogDisk } from '../../../actors/container-log-manager/log-disk.ts';
import type { ContainerLogManagerProtocol } from '../../../actors/container-log-manager/protocol.ts';
import type { CriByteCall } from '../../../src/cri/client.ts';
import type { CriOutcome } from '../../../src/cri/fault.ts';
import { ContainerState, ContainerStatusResponse } from '../../../src/cri/gen/api.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { criFault } from '../../support/fake-cri-client.ts';

const CHECK_MS = 10_000;

/** Running containers named after their IDs, in one pod; logs of ten bytes and more are rotated, three files are kept. */
async function manager(
  ids: readonly string[],
  {
    logPath = (root, id) => `${root}/shop_web_u1/${id}/0.log`,
    compress,
    ...settings
  }: {
    readonly compress?: LogDisk['compress'];
    readonly maxSizeBytes?: number;
    readonly maxFiles?: number;
    /** The log path of a container in the runtime's status. */
    readonly logPath?: (root: string, id: string) => string;
  } = {},
) {
  const place = mkdtempSync(join(tmpdir(), 'logs-'));
  onTestFinished(() => rmSync(place, { recursive: true }));
  const root = join(place, 'pods');
  const pathOf = (id: string): string => logPath(root, id);
  const directory = (id: string): string => dirname(pathOf(id));
  const calls: string[] = [];
  const script: {
    reopen: (id: string) => CriOutcome<object>;
    state: ContainerState;
    plegAnswers: boolean;
  } = {
    reopen: (id) => {
      writeFileSync(join(directory(id), '0.log'), '', { flag: 'a', mode: 0o640 });
      return { ok: true, value: {} };
    },
    state: ContainerState.CONTAINER_RUNNING,
    plegAnswers: true,
  };
  const cri: CriByteCall = (method, request, { lane }) => {
    const id = Buffer.from(request).toString('latin1').slice(2);
    calls.push(`${method} ${id}`);
    expect(lane).toBe('background');
    const bytes = (encoded: { finish(): Uint8Array }): CriOutcome<Uint8Array> => ({
      ok: true,
      value: encoded.finish(),
    });
    switch (method) {
      case 'ContainerStatus': {
        const status = { id, state: script.state, logPath: pathOf(id) };
        return Promise.resolve(bytes(ContainerStatusResponse.encode(ContainerStatusResponse.fromPartial({ status }))));
      }
      case 'ReopenContainerLog': {
        const outcome = script.reopen(id);
        return Promise.resolve(outcome.ok ? { ok: true, value: new Uint8Array() } : outcome);
      }
      default:
        throw new Error(`nobody should call ${method}`);
    }
  };
  const test = await actorUnderTest<ContainerLogManagerProtocol>({
    address: 'container-log-manager',
    others: {
      pleg({ type }) {
        expect(type).toBe('running-logs');
        return script.plegAnswers ? ids.map((id) => [id, pathOf(id)]) : undefined;
      },
    },
    startMs: new Date(2026, 0, 1).getTime(),
    make: (context) =>
      new ContainerLogManager(context, {
        podLogsDir: root,
        cri,
        disk: { ...hostLogDisk(context.incarnation), ...(compress && { compress }) },
        maxSizeBytes: 10,
        maxFiles: 3,
        atOnce: 1,
        checkEveryMs: CHECK_MS,
        ...settings,
      }),
  });
  for (const id of ids) mkdirSync(directory(id), { recursive: true });
  return {
    ...test,
    calls,
    script,
    write: (id: string, text: string) => appendFileSync(join(directory(id), '0.log'), text, { mode: 0o640 }),
    put: (id: string, name: string, text: string) => writeFileSync(join(directory(id), name), text),
    names: (id: string) => readdirSync(directory(id)).toSorted(),
    text: (id: string, name: string) => readFileSync(join(directory(id), name)),
    mode: (id: string, name: string) => statSync(join(directory(id), name)).mode & 0o777,
    /** Time passes, and the disk has its time. */
    async check(until: () => boolean) {
      await test.pass(CHECK_MS);
      await expect.poll(until, { interval: 1 }).toBe(true);
      await test.quiet();
    },
  };
}

describe('a log that has grown too large', () => {
  it('is renamed, and the runtime opens a new file', async () => {
    const test = await manager(['main', 'side']);
    test.write('main', '0123456789');
    test.write('side', '012345678');
    await test.check(() => test.calls.length === 2);
    expect(test.calls).toEqual(['ContainerStatus main', 'ReopenContainerLog main']);
    expect(test.names('main')).toEqual(['0.log', '0.log.20260101-000010']);
    expect(test.names('side')).toEqual(['0.log']);
  });

  it('keeps as many rotated files as configured, all compressed but the newest', async () => {
    const test = await manager(['main']);
    for (const round of [1, 2, 3]) {
      test.write('main', `${round} 0123456789`);
      await test.check(() => test.calls.length === 2 * round);
    }
    expect(test.names('main')).toEqual(['0.log', '0.log.20260101-000020.gz', '0.log.20260101-000030']);
    expect(gunzipSync(test.text('main', '0.log.20260101-000020.gz')).toString()).toBe('2 0123456789');
    expect(test.text('main', '0.log.20260101-000030').toString()).toBe('3 0123456789');
    expect(test.mode('main', '0.log.20260101-000020.gz')).toBe(0o640);
  });

  it('gets its name back when the runtime does not reopen it, and waits before the next try', async () => {
    const test = await manager(['main']);
    test.write('main', '0123456789');
    test.script.reopen = () => criFault('INTERNAL', 'no');
    await test.check(() => test.calls.length === 2);
    await expect.poll(() => test.names('main'), { interval: 1 }).toEqual(['0.log']);
    await test.quiet();
    expect(test.logged.join()).toContain('reopening the log (rotation undone)');
    await test.pass(CHECK_MS);
    expect(test.calls).toHaveLength(2);
  });

  it('never replaces a file that the runtime has created in spite of its error', async () => {
    const test = await manager(['main']);
    test.write('main', '0123456789');
    test.script.reopen = () => {
      test.write('main', 'new');
      return criFault('DEADLINE_EXCEEDED');
    };
    await test.check(() => test.logged.length === 1);
    expect(test.names('main')).toEqual(['0.log', '0.log.20260101-000010']);
    expect(test.text('main', '0.log').toString()).toBe('new');
  });

  it.each([
    { rule: 'whose container has ended', state: ContainerState.CONTAINER_EXITED },
    { rule: 'whose container is not known to run', state: ContainerState.CONTAINER_UNKNOWN },
  ])('is not changed if it is a log $rule', async ({ state }) => {
    const test = await manager(['main']);
    test.write('main', '0123456789');
    test.script.state = state;
    await test.check(() => test.calls.length === 1);
    expect(test.names('main')).toEqual(['0.log']);
  });

  it('is rotated after an interrupted compression, which starts over', async () => {
    const test = await manager(['main'], { maxFiles: 5 });
    test.write('main', '0123456789');
    test.put('main', '0.log.20251231-000000', 'before');
    test.put('main', '0.log.20251231-000000.0.tmp', 'half');
    await test.check(() => test.calls.length === 2);
    expect(test.names('main')).toEqual(['0.log', '0.log.20251231-000000.gz', '0.log.20260101-000010']);
    expect(gunzipSync(test.text('main', '0.log.20251231-000000.gz')).toString()).toBe('before');
  });

  it('stays as it is while the disk has no room to compress an earlier one, and each attempt is logged', async () => {
    const noRoom = () => Promise.reject(new Error('ENOSPC: no space left on device'));
    const test = await manager(['main'], { maxFiles: 5, compress: noRoom });
    test.write('main', '0123456789');
    test.put('main', '0.log.20251231-000000', 'before');
    await test.check(() => test.logged.length === 1);
    await test.pass(REST.initialMs);
    await test.check(() => test.logged.length === 2);
    expect(test.names('main')).toEqual(['0.log', '0.log.20251231-000000']);
    for (const line of test.logged) expect(line).toMatch(/^warn: rotating a container log failed: .*ENOSPC/);
    expect(test.calls).not.toContain('ReopenContainerLog main');
  });

  it('is not rotated when the size is unlimited', async () => {
    const test = await manager(['main'], { maxSizeBytes: -1 });
    test.write('main', '0123456789');
    await test.pass(CHECK_MS);
    expect(test.calls).toEqual([]);
  });
});

describe('a log at another path in the runtime’s status', () => {
  it.each<{ where: string; elsewhere: (root: string, id: string) => string }>([
    { where: 'beside the directory of logs', elsewhere: (root, id) => `${root}/../${id}/0.log` },
    { where: 'in a directory with the same name prefix', elsewhere: (root, id) => `${root}-more/${id}/0.log` },
    { where: 'up from a directory within', elsewhere: (root, id) => `${root}/shop_web_u1/../../${id}/0.log` },
    { where: 'up to the directory of logs again', elsewhere: (root, id) => `${root}/../pods/${id}/0.log` },
    { where: 'below a nameless directory', elsewhere: (root, id) => `${root}//${id}/0.log` },
    { where: 'below the same directory, in another spelling', elsewhere: (root, id) => `${root}/./${id}/0.log` },
  ])('$where is not touched, and the others are rotated', async ({ elsewhere }) => {
    const test = await manager(['main', 'stray', 'missing'], {
      logPath: (root, id) => (id === 'main' ? `${root}/shop_web_u1/${id}/0.log` : elsewhere(root, id)),
    });
    for (const id of ['main', 'stray']) test.write(id, '0123456789');
    await test.check(() => test.calls.length === 2);
    expect(test.calls).toEqual(['ContainerStatus main', 'ReopenContainerLog main']);
    expect(test.names('stray')).toEqual(['0.log']);
    expect(test.names('missing')).toEqual([]);
    expect(test.logged).toEqual([]);
  });
});

describe('a missing log', () => {
  it('is reopened: an agent may have died between rename and reopen', async () => {
    const test = await manager(['main']);
    await test.check(() => test.calls.length === 2);
    expect(test.calls).toEqual(['ContainerStatus main', 'ReopenContainerLog main']);
    expect(test.names('main')).toEqual(['0.log']);
  });

  it('is reopened at growing intervals while it is missing', async () => {
    const test = await manager(['main']);
    test.script.reopen = () => ({ ok: true, value: {} });
    for (let minute = 0; minute < 60 * 6; minute += 1) await test.pass(CHECK_MS);
    expect(test.calls.length).toBeLessThan(2 * 12);
    expect(test.logged).toEqual([]);
  });
});

describe('a PLEG that does not answer where logs are', () => {
  it('is asked again, and the failure is logged once', async () => {
    const test = await manager(['main']);
    test.script.plegAnswers = false;
    test.write('main', '0123456789');
    for (let check = 0; check < 3; check += 1) {
      await test.pass(CHECK_MS);
      await test.pass(10_000);
    }
    expect(test.logged).toEqual([expect.stringContaining('cannot list the logs of running containers')]);
    test.script.plegAnswers = true;
    await test.check(() => test.calls.length === 2);
    expect(test.names('main')).toHaveLength(2);
  });
});
