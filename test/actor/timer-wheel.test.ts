import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TimerWheel } from '../../src/actor/timer-wheel.ts';
import { manualClock } from '../support/manual-clock.ts';

function wheelOf() {
  const clock = manualClock();
  const fired: string[] = [];
  const wheel = new TimerWheel(clock);
  const arm = (name: string, delayMs: number) => wheel.after(delayMs, () => fired.push(name));
  return { clock, wheel, fired, arm };
}

const day = 86_400_000;

describe('a timer wheel', () => {
  it.each([1, 2, 63, 64, 65, 127, 4_095, 4_096, 4_097, 262_143, 262_144, 300_000, 40 * day, 400 * day])(
    'fires a timer of %i ms at its time, not before',
    (delayMs) => {
      const { clock, fired, arm } = wheelOf();
      clock.advance(17);
      arm('a', delayMs);
      clock.advance(delayMs - 1);
      expect(fired).toEqual([]);
      clock.advance(1);
      expect(fired).toEqual(['a']);
    },
  );

  it('fires in order of time, and in order of setting for equal times', () => {
    const { clock, fired, arm } = wheelOf();
    arm('late', 5_000);
    arm('soon', 100);
    clock.advance(60);
    arm('soon too', 40);
    arm('late too', 4_940);
    clock.advance(10_000);
    expect(fired).toEqual(['soon', 'soon too', 'late', 'late too']);
  });

  it('sets at most one timer on the clock below, and no timer when it is empty', () => {
    const { clock, arm } = wheelOf();
    const cancel = Array.from({ length: 1_000 }, (_, each) => arm('a', each * 10 + 60));
    expect(clock.armed).toBe(1);
    for (const one of cancel) one();
    clock.advance(50);
    expect(clock.armed).toBe(0);
  });

  it('does not fire a timer that another timer of the same instant has cancelled', () => {
    const { clock, wheel, fired, arm } = wheelOf();
    wheel.after(10, () => cancel());
    const cancel = arm('a', 10);
    clock.advance(20);
    expect(fired).toEqual([]);
    expect(wheel.size).toBe(0);
  });

  it('fires the other timers if one throws', () => {
    const { clock, wheel, fired, arm } = wheelOf();
    wheel.after(10, () => {
      throw new Error('boom');
    });
    arm('same moment', 10);
    arm('later', 20);
    expect(() => clock.advance(10)).toThrow('boom');
    clock.advance(20);
    expect(fired).toEqual(['same moment', 'later']);
  });

  it('agrees with plain timers, for any sequence of set and cancelled timers', () => {
    const step = fc.oneof(
      fc.record({ arm: fc.oneof(fc.nat(100), fc.nat(5_000), fc.nat(1_000_000)) }),
      fc.record({ cancel: fc.nat(30) }),
      fc.record({ advance: fc.oneof(fc.nat(70), fc.nat(5_000), fc.nat(300_000)) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { clock, wheel, fired, arm } = wheelOf();
        const plain = manualClock();
        const expected: string[] = [];
        const cancels: (() => void)[] = [];
        for (const [index, each] of steps.entries()) {
          const name = `timer ${index}`;
          if ('arm' in each) {
            // The wheel never fires within the millisecond in which the timer is set.
            const delayMs = Math.max(1, each.arm);
            const cancel = [arm(name, delayMs), plain.after(delayMs, () => expected.push(name))];
            cancels.push(() => cancel.forEach((one) => one()));
          } else if ('cancel' in each) cancels[each.cancel]?.();
          else {
            clock.advance(each.advance);
            plain.advance(each.advance);
          }
          expect(fired).toEqual(expected);
          expect(wheel.size).toBe(plain.armed);
        }
      }),
    );
  });
});
