import { describe, expect, it } from 'vitest';
import { backOffMs, nextBackOffMs, withJitter } from '../../src/actor/back-off.ts';

const LIMITS = { initialMs: 100, maxMs: 700 };

describe('a back-off', () => {
  it.each([
    { failures: 0, delayMs: 100 },
    { failures: 1, delayMs: 100 },
    { failures: 2, delayMs: 200 },
    { failures: 3, delayMs: 400 },
    { failures: 4, delayMs: 700 },
    { failures: 5_000, delayMs: 700 },
  ])('waits $delayMs ms after $failures failures', ({ failures, delayMs }) => {
    expect(backOffMs(failures, LIMITS)).toBe(delayMs);
  });

  it('is the same from one delay to the next', () => {
    const delays = [0];
    for (let failures = 1; failures <= 5; failures += 1) delays.push(nextBackOffMs(delays.at(-1) ?? 0, LIMITS));
    expect(delays).toEqual([0, 100, 200, 400, 700, 700]);
  });

  it('grows by a share of itself, by chance', () => {
    expect([0, 0.5].map((chance) => withJitter(1_000, 1 / 2, chance))).toEqual([1_000, 1_250]);
  });
});
