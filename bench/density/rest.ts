import { systemClock } from '../../src/actor/clock.ts';

export const rest = (ms: number): Promise<void> => new Promise((resolve) => systemClock.after(ms, resolve));

/** Waits for the work, or no longer than this for it; a wait that is over keeps no process alive. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const disarm = systemClock.after(ms, late.resolve);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    disarm();
  }
}
