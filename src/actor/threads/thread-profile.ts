import { Session } from 'node:inspector/promises';
import { writeHeapSnapshot } from 'node:v8';
import type { Clock } from '../clock.ts';

/**
 * Returns a CPU profile of the calling thread over this time, as JSON that developer tools open (`.cpuprofile`). The
 * thread keeps working meanwhile.
 */
export async function cpuProfile(durationMs: number, clock: Clock): Promise<string> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await new Promise<void>((resolve) => void clock.after(durationMs, resolve));
    const { profile } = await session.post('Profiler.stop');
    return JSON.stringify(profile);
  } finally {
    session.disconnect();
  }
}

/** Writes the calling thread's heap to a file (`.heapsnapshot`). The thread stands still until it is written. */
export const heapSnapshot = (path: string): void => void writeHeapSnapshot(path);
