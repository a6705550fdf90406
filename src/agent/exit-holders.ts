import type { Clock } from '../actor/clock.ts';
import { within } from '../actor/in-time.ts';

/**
 * How long an exit may take. It takes milliseconds, unless a thread waits for the kernel: for the other end of a pipe,
 * or for a disk that is gone.
 */
export const EXIT_WITHIN_MS = 2_000;

/** The threads and file operations that hold up an exit of this process. */
export interface ExitWaits {
  /** Ends all threads at once. Stays pending while a thread waits for the kernel. */
  readonly endThreads: () => Promise<void>;
  /** The types of what the main thread has under way, as `process.getActiveResourcesInfo` returns them. */
  readonly activeResources: () => readonly string[];
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
}

const LOOK_EVERY_MS = 20;

/** Work on the threads of the C library's pool that may wait for the kernel: files, and names of hosts. */
const IN_POOL = /^(FSReq|FileHandle|GetAddrInfo|GetNameInfo)/;

/**
 * Returns what `process.exit` would wait for beyond its time, in words for people. Node waits for every thread, whatever
 * that thread does. `undefined` when an exit takes no longer than usual. Never rejects.
 */
export async function exitHolder({ endThreads, activeResources, clock }: ExitWaits): Promise<string | undefined> {
  const until = clock.monotonic() + EXIT_WITHIN_MS;
  const ended = endThreads().then(
    () => true,
    // A thread that could not be stopped in order has ended anyway.
    () => true,
  );
  if ((await within(clock, EXIT_WITHIN_MS, ended)) === 'time-up') return 'a thread does not end';
  for (;;) {
    const work = activeResources().find((type) => IN_POOL.test(type));
    if (work === undefined) return undefined;
    if (clock.monotonic() >= until) return `the main thread's file operation does not end (${work})`;
    await new Promise<void>((resolve) => void clock.after(LOOK_EVERY_MS, resolve));
  }
}
