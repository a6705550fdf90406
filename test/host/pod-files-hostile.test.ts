import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostPodFiles } from '../../src/host/pod-files.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hivelet-pod-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a pod's file that is not a regular file", () => {
  it.each([
    { what: 'a pipe without a writer', make: (path: string) => execFileSync('mkfifo', [path]) },
    { what: 'a link to a device without end', make: (path: string) => symlinkSync('/dev/zero', path) },
  ])('is not read: $what', ({ make }) => {
    const path = join(folder, 'termination-log');
    make(path);
    expect(hostPodFiles.readTail(path, 4096)).toBeUndefined();
    expect(hostPodFiles.read(path)).toBeUndefined();
  });
});
