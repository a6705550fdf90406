import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statfsSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { walkPods } from '../../src/jobs/walk-pods.ts';
import { walk, walkPod } from '../../src/stats/walk-pod.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hivelet-walk-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (path: string, bytes: number): void => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), Buffer.alloc(bytes, 1));
};
const du = (path: string): number =>
  Number(execFileSync('du', ['-s', '--block-size=1', path], { encoding: 'utf8' }).split('\t')[0]);

describe('a walk', () => {
  it('finds the same usage as du, with hard links, holes and symbolic links', () => {
    file('a/one', 100_000);
    file('a/b/c/two', 5_000);
    linkSync(join(folder, 'a/one'), join(folder, 'a/b/again'));
    writeFileSync(join(folder, 'a/hole'), '');
    truncateSync(join(folder, 'a/hole'), 50_000_000);
    symlinkSync('/', join(folder, 'a/root'));
    symlinkSync('.', join(folder, 'a/b/loop'));
    const { usedBytes, inodesUsed } = walk(folder);
    expect(usedBytes).toBe(du(folder));
    expect(usedBytes).toBeLessThan(1_000_000);
    // Five folders including the root, three files (hard links count once), two symbolic links.
    expect(inodesUsed).toBe(4 + 3 + 2);
  });

  it('finds nothing in missing folders', () => {
    expect(walk(join(folder, 'gone'))).toEqual({ usedBytes: 0, inodesUsed: 0 });
  });

  it('skips driver volumes, and reads the file systems of local volumes', () => {
    file('pod/volumes/kubernetes.io~csi/pv-1/vol_data.json', 10);
    file('pod/volumes/kubernetes.io~local-volume/pv-2/data', 10_000);
    const pod = walkPod({ uid: 'u', podDir: join(folder, 'pod'), logDir: join(folder, 'logs') });
    expect(pod.volumes).toEqual([]);
    const { blocks, bsize } = statfsSync(folder);
    expect(pod.localVolumes).toMatchObject({ 'pv-2': { capacityBytes: blocks * bsize } });
  });

  it('ends with its budget, with a lower bound', () => {
    for (let index = 0; index < 20; index += 1) file(`many/${index}`, 10);
    expect(walk(folder, { left: 5 }).inodesUsed).toBe(5);
  });

  it("separates volumes, logs and the agent's own files", () => {
    file('pod/volumes/kubernetes.io~empty-dir/cache/data', 10_000);
    file('pod/volumes/kubernetes.io~configmap/settings/..data/key', 10);
    file('pod/volumes/kubernetes.io~secret/token/key', 10);
    file('pod/etc-hosts', 200);
    file('logs/main/0.log', 20_000);
    file('logs/side/0.log', 10);
    file('logs/note', 10);
    const pod = walkPod({ uid: 'u', podDir: join(folder, 'pod'), logDir: join(folder, 'logs') });
    expect(Object.fromEntries(pod.volumes.map(({ name, local }) => [name, local]))).toEqual({
      cache: true,
      settings: true,
      token: false,
    });
    expect(Object.keys(pod.logs).toSorted()).toEqual(['main', 'side']);
    expect(pod.logs['main']?.usedBytes).toBe(du(join(folder, 'logs/main')));
    expect(pod.otherLogs.inodesUsed).toBe(1);
    expect(pod.ownFiles.usedBytes).toBeGreaterThan(0);
    expect(pod.volumes[0]?.fileSystem?.capacityBytes).toBeGreaterThan(0);
  });

  it('finds nothing for removed pods', () => {
    const gone = { uid: 'u', podDir: join(folder, 'p'), logDir: join(folder, 'l') };
    expect(walkPods([gone])).toMatchObject([{ uid: 'u', volumes: [], logs: {} }]);
  });
});
