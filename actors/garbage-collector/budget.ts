import { later, type Clock } from '../../src/actor/clock.ts';

/** Limits how much one pass may do. */
export interface Budget {
  /** `true` if another step may be taken; uses up that step. */
  take(): boolean;
}

export function budget(
  clock: Pick<Clock, 'monotonic'>,
  { atMost, withinMs }: { readonly atMost: number; readonly withinMs: number },
): Budget {
  const until = later(clock.monotonic(), withinMs);
  let left = atMost;
  return { take: () => clock.monotonic() < until && left-- > 0 };
}

/** Does the work for each item, `atOnce` at a time, while the budget lasts. Returns `all` if every item was reached. */
export async function forEach<T>(
  items: readonly T[],
  { atOnce, budget: room }: { readonly atOnce: number; readonly budget: Budget },
  work: (item: T) => Promise<void>,
): Promise<'all' | 'some'> {
  const rest = items.values();
  let isOut = false;
  const worker = async (): Promise<void> => {
    for (const item of rest) {
      if (!room.take()) {
        isOut = true;
        return;
      }
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return isOut ? 'some' : 'all';
}
