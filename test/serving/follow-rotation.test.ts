import { appendFileSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { hostLogDisk } from '../../actors/container-log-manager/log-disk.ts';
import { handleLog } from '../../actors/container-log-manager/rotate-log.ts';
import { systemClock } from '../../src/actor/clock.ts';
import { ContainerState, ContainerStatusResponse } from '../../src/cri/gen/api.ts';
import { hostLogFiles } from '../../src/serving/logs/log-files.ts';
import { readContainerLog } from '../../src/serving/logs/read-container-log.ts';
import { FakeCriClient } from '../support/fake-cri-client.ts';

const ROTATIONS = 4;
const LINES_EACH = 100;
const options = {
  follow: true,
  previous: false,
  timestamps: false,
  since: undefined,
  tailLines: undefined,
  limitBytes: undefined,
  stream: 'All',
} as const;

it('a follower of a log gets every line once, in order, over any number of rotations', async () => {
  const root = mkdtempSync(join(tmpdir(), 'follow-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const directory = join(root, 'shop_web_u1/main');
  mkdirSync(directory, { recursive: true });
  const path = join(directory, '0.log');
  let file = openSync(path, 'a');
  let isRunning = true;
  // As in a runtime: the new file exists before the old file is closed.
  const reopen = (): undefined => {
    const next = openSync(path, 'a');
    writeLine();
    closeSync(file);
    file = next;
  };
  let written = 0;
  const writeLine = (): void => {
    writeSync(file, `2026-01-01T00:00:00.000000001Z stdout F line ${written++}\n`);
  };
  const cri = new FakeCriClient({
    ContainerStatus: () => ({
      ok: true,
      value: ContainerStatusResponse.fromPartial({
        status: { state: ContainerState.CONTAINER_RUNNING, logPath: path },
      }),
    }),
    ReopenContainerLog: reopen,
  });
  let second = 0;
  const tools = {
    cri,
    disk: hostLogDisk(1),
    maxFiles: 3,
    now: () => new Date(2026, 0, 1, 0, 0, (second += 1)).getTime(),
    alive: () => true,
  };
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const log = readContainerLog(
    {
      files: hostLogFiles,
      path,
      isRunning: () => Promise.resolve(isRunning),
      clock: systemClock,
      signal: leave.signal,
    },
    options,
  );
  let text = '';
  const followed = (async () => {
    for await (const piece of log) text += piece.toString();
  })();
  for (let rotation = 0; rotation < ROTATIONS; rotation += 1) {
    for (let line = 0; line < LINES_EACH; line += 1) writeLine();
    const last = written - 1;
    expect(await handleLog(tools, { containerId: 'c1', path, why: 'large' })).toEqual({ type: 'rotated' });
    // The next rotation follows once this one was seen: rotations are ten seconds apart, and a follower checks every second.
    await expect.poll(() => text, { interval: 5 }).toContain(`line ${last}\n`);
  }
  closeSync(file);
  isRunning = false;
  appendFileSync(path, '2026-01-01T00:00:00.000000001Z stdout F the end\n');
  await followed;
  const expected = Array.from({ length: written }, (_, index) => `line ${index}\n`).join('');
  expect(text).toBe(`${expected}the end\n`);
});
