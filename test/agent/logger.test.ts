import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogFollower, warningIn } from '../../src/cli/dev/log-follower.ts';
import { levelOf, makeLog } from '../../src/agent/logger.ts';
import { mountPoints } from '../../src/cli/dev/remove-unmounted.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hivelet-log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the log', () => {
  it.each([
    [0, 'info'],
    [3, 'info'],
    [4, 'debug'],
    [10, 'debug'],
  ])('at --v=%d starts at %s', (verbosity, level) => {
    expect(levelOf(verbosity)).toBe(level);
  });

  it('is a JSON object a line, with the fields of its thread', () => {
    const destination = join(folder, 'sub', 'agent.log');
    const log = makeLog({ verbosity: 2, format: 'json', destination, bindings: { thread: 'pleg' } });
    log.debug({}, 'too much detail');
    log.info({ pod: 'default/web' }, 'pod started');
    const lines = readFileSync(destination, 'utf8').trimEnd().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        thread: 'pleg',
        pod: 'default/web',
        msg: 'pod started',
      },
    ]);
  });

  it('is one line for people as text', () => {
    const destination = join(folder, 'agent.log');
    makeLog({ verbosity: 2, format: 'text', destination }).warn({ pod: 'default/web' }, 'pull failed');
    expect(readFileSync(destination, 'utf8')).toMatch(/^\[[\d:.]+\] WARN: pull failed \{"pod":"default\/web"\}\n$/);
  });
});

describe('warnings out of a log file', () => {
  it('appear once each, whole, from every writer', () => {
    const path = join(folder, 'agent.log');
    const follower = new LogFollower(path);
    expect(follower.warnings()).toEqual([]);
    const log = makeLog({ verbosity: 2, format: 'json', destination: path });
    log.info({}, 'nothing special');
    log.warn({ pod: 'default/web' }, 'pull failed');
    expect(follower.warnings()).toEqual(['warn: pull failed pod=default/web']);
    appendFileSync(path, '{"level":"error","msg":"half');
    expect(follower.warnings()).toEqual([]);
    appendFileSync(path, ' a line"}\n');
    expect(follower.warnings()).toEqual(['error: half a line']);
  });

  it.each(['not json', '3', '{"level":"info","msg":"fine"}', '{"msg":"no level"}'])('are not found in %s', (line) => {
    expect(warningIn(line)).toBeUndefined();
  });
});

describe('the mount points in the table of the kernel', () => {
  it('are read with the blanks that are in them', () => {
    const table =
      '36 35 98:0 / /a\\040b rw,noatime master:1 - ext3 /dev/root rw\n37 35 0:5 / /proc rw - proc proc rw\n';
    expect(mountPoints(table)).toEqual(['/a b', '/proc']);
  });
});
