import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';

/**
 * Where `TMPDIR` says, else in memory: the benchmark measures the agent, not a disk's handling of earlier small files.
 * (ext4 without a journal takes ten times as long for a directory in the minutes after many were removed.)
 */
const place = (): string => (process.env['TMPDIR'] === undefined && existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir());

/** A folder that goes, with all in it, when its user is done. */
export class TemporaryFolder implements Disposable {
  readonly path = mkdtempSync(join(place(), 'hivelet-density-'));

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
