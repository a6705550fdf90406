import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';

/** A bare Node process starts and ends in this time on the machine that the limits of timed tests are for, milliseconds. */
const BARE_PROCESS_MS = 60;

/**
 * Returns how many times slower this machine is now than the one that time limits are for; 1 at least. Limits are
 * multiplied by it: a shared machine changes its pace from hour to hour, and figures compare within one run only.
 */
export function slownessOfMachine(): number {
  const times = Array.from({ length: 5 }, () => {
    const began = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    return performance.now() - began;
  });
  return Math.max(1, Math.min(...times) / BARE_PROCESS_MS);
}
