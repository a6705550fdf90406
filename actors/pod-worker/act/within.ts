import type { Clock } from '../../../src/actor/clock.ts';

/** Returns the result of the work, or `time-up` when it takes longer. The work itself continues. */
export async function within<T>(clock: Pick<Clock, 'after'>, ms: number, work: Promise<T>): Promise<T | 'time-up'> {
  const { promise, resolve } = Promise.withResolvers<'time-up'>();
  const cancel = clock.after(ms, () => resolve('time-up'));
  try {
    return await Promise.race([work, promise]);
  } finally {
    cancel();
  }
}
