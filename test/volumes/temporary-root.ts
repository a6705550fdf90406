import { mkdtempSync, rmSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseMountInfo, systemMounter, type Mounter } from '../../src/volumes/disk/mounter.ts';
import type { VolumeTools } from '../../src/volumes/disk/set-up-volume.ts';

/** A test's own root directory. `discard` unmounts only the mounts below the directory, and removes it. */
export function temporaryRoot() {
  const dir = mkdtempSync(join(tmpdir(), 'hv-vol-'));
  return {
    dir,
    mountsBelow: () => mountsBelow(dir),
    discard() {
      for (const path of mountsBelow(dir).toReversed()) execFileSync('umount', [path]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export const mountsBelow = (dir: string): readonly string[] =>
  parseMountInfo(readFileSync('/proc/self/mountinfo', 'utf8'))
    .map(({ path }) => path)
    .filter((path) => path.startsWith(`${dir}/`));

/** `true` if this process may mount, as root on its own host may. */
export const mayMount = process.getuid?.() === 0;

let chances = 0;

/** The host's own mounts, a clock that advances by a second at each reading, and unique names. */
export const volumeTools = (mounter: Mounter = systemMounter): VolumeTools => ({
  mounter,
  now: () => Date.UTC(2030, 0, 2, 3, 4, 5) + chances * 1_000,
  chance: () => (chances = (chances + 1) % 100_000) / 100_000,
  tmpfsNoSwap: false,
});
