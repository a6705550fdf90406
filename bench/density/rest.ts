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

/** Returns the work's result. Rejects with the name of the work when it takes longer. */
export async function within<T>(
  ms: number,
  { what, work }: { readonly what: string; readonly work: Promise<T> },
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const disarm = systemClock.after(ms, () => late.reject(new Error(`waited ${ms / 1_000} s until ${what}, in vain`)));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    disarm();
  }
}
