import { describe, expect, it, vi } from 'vitest';
import { ScopedClock } from '../../src/actor/clock.ts';
import { manualClock } from '../support/manual-clock.ts';

describe('a scoped clock', () => {
  it('returns the time of the clock below it', () => {
    const below = manualClock(1_000);
    below.advance(5);
    expect(new ScopedClock(below).now()).toBe(1_005);
    expect(new ScopedClock(below).monotonic()).toBe(5);
  });

  it('fires a timer once', () => {
    const below = manualClock();
    const fire = vi.fn<() => void>();
    new ScopedClock(below).after(10, fire);
    below.advance(9);
    expect(fire).not.toHaveBeenCalled();
    below.advance(100);
    expect(fire).toHaveBeenCalledTimes(1);
  });

  it('cancels one timer', () => {
    const below = manualClock();
    const fire = vi.fn<() => void>();
    const cancel = new ScopedClock(below).after(10, fire);
    cancel();
    below.advance(100);
    expect(fire).not.toHaveBeenCalled();
  });

  it('cancels all timers at once, also on the clock below', () => {
    const below = manualClock();
    const fire = vi.fn<() => void>();
    const scoped = new ScopedClock(below);
    for (const delay of [1, 2, 3]) scoped.after(delay, fire);
    scoped.cancelAll();
    expect(below.armed).toBe(0);
    below.advance(100);
    expect(fire).not.toHaveBeenCalled();
  });

  it('sets no more timers once it has ended', () => {
    const below = manualClock();
    const scoped = new ScopedClock(below);
    scoped.cancelAll();
    scoped.after(1, () => {});
    expect(below.armed).toBe(0);
  });

  it('passes an error of a callback to its owner', () => {
    const below = manualClock();
    const thrown = vi.fn<(reason: unknown) => void>();
    new ScopedClock(below, thrown).after(1, () => {
      throw new Error('boom');
    });
    below.advance(1);
    expect(thrown).toHaveBeenCalledWith(new Error('boom'));
  });
});
