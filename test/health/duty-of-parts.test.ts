import { describe, expect, it } from 'vitest';
import { DutyOfParts } from '../../src/health/duty-of-parts.ts';
import { Duty, type FailingDuty } from '../../src/health/duty.ts';
import { silentLog } from '../../src/actor/log.ts';
import { manualClock } from '../support/manual-clock.ts';

function dutyInTest() {
  const clock = manualClock();
  const reports: (FailingDuty | undefined)[] = [];
  const spec = { work: 'mount volumes', follows: 'pods wait' };
  const duty = new DutyOfParts(
    new Duty(spec, { clock, log: silentLog, report: (failing) => void reports.push(failing) }),
  );
  return { duty, clock, shown: () => reports.at(-1)?.why };
}

describe('a duty towards many objects', () => {
  it('is in trouble until each object that failed works', () => {
    const { duty, clock, shown } = dutyInTest();
    duty.failed('a', 'a is stuck');
    duty.failed('b', 'b is stuck');
    clock.advance(10_000);
    duty.worked('c');
    duty.worked('a');
    expect(shown()).toBe('b is stuck');
    duty.worked('b');
    expect(shown()).toBeUndefined();
  });

  it('stays in trouble while the attempt on one object hangs', () => {
    const { duty, clock, shown } = dutyInTest();
    const hanging = duty.attempt('a', 'mounting a');
    clock.advance(10_000);
    duty.attempt('b').worked();
    expect(shown()).toBe('mounting a has no answer yet');
    hanging.worked();
    expect(shown()).toBeUndefined();
  });

  it('is not ended by the attempt on another object', () => {
    const { duty, clock, shown } = dutyInTest();
    duty.attempt('a').failed('a is stuck');
    clock.advance(10_000);
    duty.attempt('b').worked();
    expect(shown()).toBe('a is stuck');
    duty.attempt('a').worked();
    expect(shown()).toBeUndefined();
  });

  it('forgets the failures of objects that are gone', () => {
    const { duty, clock, shown } = dutyInTest();
    duty.failed('a', 'a is stuck');
    clock.advance(10_000);
    duty.keep((part) => part === 'a');
    expect(shown()).toBe('a is stuck');
    duty.keep(() => false);
    expect(shown()).toBeUndefined();
  });

  it('withdraws its trouble when it ceases, and reports nothing afterwards', () => {
    const { duty, clock, shown } = dutyInTest();
    duty.failed('a', 'a is stuck');
    clock.advance(10_000);
    duty.cease();
    expect(shown()).toBeUndefined();
    duty.failed('a', 'a is stuck again');
    clock.advance(60_000);
    expect(shown()).toBeUndefined();
  });
});
