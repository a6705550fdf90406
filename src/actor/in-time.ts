import type { Clock } from './clock.ts';

/** Returns the work's result, or `time-up` when the work takes longer than `ms`. The work itself continues. */
export async function within<T>(clock: Pick<Clock, 'after'>, ms: number, work: Promise<T>): Promise<T | 'time-up'> {
  const { promise, resolve } = Promise.withResolvers<'time-up'>();
  const cancel = clock.after(ms, () => resolve('time-up'));
  try {
    return await Promise.race([work, promise]);
  } finally {
    cancel();
  }
}

/** Resolves when the work has ended, however it did, or its time is up. Never rejects. */
export async function inTime(
  work: Promise<unknown>,
  { withinMs, clock }: { readonly withinMs: number; readonly clock: Pick<Clock, 'after'> },
): Promise<void> {
  await within(clock, withinMs, Promise.allSettled([work]));
}
