import type { Clock } from './clock.ts';

/** Resolves when the work has ended, in any way, or when its time is up. */
export async function inTime(
  work: Promise<unknown>,
  { withinMs, clock }: { readonly withinMs: number; readonly clock: Clock },
): Promise<void> {
  const over = Promise.withResolvers<void>();
  const disarm = clock.after(withinMs, over.resolve);
  work.then(
    () => over.resolve(),
    () => over.resolve(),
  );
  await over.promise;
  disarm();
}
