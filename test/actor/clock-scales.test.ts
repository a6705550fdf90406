import { describe, expect, it } from 'vitest';
import { elapsedMs, later, systemClock, type MonotonicMs, type ThreadMs, type WallMs } from '../../src/actor/clock.ts';

const monotonic = (at: MonotonicMs): number => at;
const wall = (at: WallMs): number => at;

/** The compiler checks this function; nothing calls it. A mix that compiles makes its `@ts-expect-error` an error. */
export function mixesThatMustNotCompile(onThread: ThreadMs): void {
  // @ts-expect-error -- a wall-clock instant in place of a monotonic instant
  monotonic(systemClock.now());
  // @ts-expect-error -- the other way round
  wall(systemClock.monotonic());
  // @ts-expect-error -- a sum keeps the clock of its instant
  monotonic(later(systemClock.now(), 1_000));
  // @ts-expect-error -- no time passes between two clocks
  elapsedMs(systemClock.now(), systemClock.monotonic());
  // @ts-expect-error -- a monotonic instant is meaningless on another thread
  monotonic(onThread);
  // @ts-expect-error -- a record must not hold a monotonic instant
  const record: { readonly at: MonotonicMs } = { at: systemClock.now() };
  monotonic(record.at);
}

describe('instants of two clocks', () => {
  it('are plain numbers when the agent runs', () => {
    const from: MonotonicMs = 1_000;
    expect(later(from, 500)).toBe(1_500);
    expect(elapsedMs(from, later(from, -200))).toBe(-200);
  });
});
