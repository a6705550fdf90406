import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/actor/clock.ts';

const DAY_MS = 86_400_000;

describe('the clock of the system', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([1, 1_000, 30 * DAY_MS, 300 * DAY_MS])('fires after %i ms, and not before', (delayMs) => {
    const fire = vi.fn<() => void>();
    systemClock.after(delayMs, fire);
    vi.advanceTimersByTime(delayMs - 1);
    expect(fire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(fire).toHaveBeenCalledTimes(1);
  });

  it('cancels a timer that is far off, at any time', () => {
    const fire = vi.fn<() => void>();
    const cancel = systemClock.after(60 * DAY_MS, fire);
    vi.advanceTimersByTime(40 * DAY_MS);
    cancel();
    vi.advanceTimersByTime(60 * DAY_MS);
    expect(fire).not.toHaveBeenCalled();
  });
});

describe('its monotonic scale', () => {
  it('never goes backwards', () => {
    const before = systemClock.monotonic();
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
  });
});
