import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openKernelLog } from '../../src/host/kernel-log.ts';
import { readOomCounts } from '../../src/host/oom-counts.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kernel-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('the kernel log', () => {
  it('is read from its end on', () => {
    const path = join(root, 'kmsg');
    writeFileSync(path, '6,1,1,-;before\n');
    const log = openKernelLog(path);
    expect(log?.next()).toBeUndefined();
    appendFileSync(path, '6,2,2,-;after\n');
    expect(log?.next()).toBe('6,2,2,-;after\n');
    expect(log?.next()).toBeUndefined();
    log?.close();
  });

  it('may be missing', () => {
    expect(openKernelLog(join(root, 'none'))).toBeUndefined();
  });
});

describe('the kernel’s counts of kills', () => {
  it("cover the machine, with the pods' share", () => {
    writeFileSync(join(root, 'vmstat'), 'nr_free_pages 12\noom_kill 7\n');
    mkdirSync(join(root, 'kubepods'));
    writeFileSync(join(root, 'kubepods/memory.events'), 'low 0\noom 9\noom_kill 3\noom_group_kill 4\n');
    const where = { proc: root, cgroups: root };
    expect(readOomCounts('/kubepods', where)).toEqual({ onNode: 7, inPods: 3 });
    expect(readOomCounts('/none', where)).toEqual({ onNode: 7, inPods: 0 });
    expect(readOomCounts('/kubepods', { ...where, proc: join(root, 'none') })).toBeUndefined();
  });
});
