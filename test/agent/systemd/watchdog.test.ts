import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/actor/log.ts';
import {
  launcherNotifies,
  notifyWhileHealthy,
  watchdogAsked,
  watchdogNotifier,
} from '../../../src/agent/systemd/watchdog.ts';
import { manualClock, settled } from '../../support/manual-clock.ts';

describe("systemd's watchdog", () => {
  it.each([
    { rule: 'is off without a time', env: {}, asked: { type: 'off' } },
    {
      rule: 'is off when it is another process’s',
      env: { WATCHDOG_USEC: '9000000', WATCHDOG_PID: '8' },
      asked: { type: 'off' },
    },
    {
      rule: 'is on for this process',
      env: { WATCHDOG_USEC: '9000000', WATCHDOG_PID: '7' },
      asked: { type: 'on', withinMs: 9_000 },
    },
    {
      rule: 'is on for any process of the service',
      env: { WATCHDOG_USEC: '1500000' },
      asked: { type: 'on', withinMs: 1_500 },
    },
    {
      rule: 'cannot be a second or less',
      env: { WATCHDOG_USEC: '1000000' },
      asked: {
        type: 'unusable',
        problem: 'WATCHDOG_USEC=1000000: expected more than a second (WatchdogSec of the unit)',
      },
    },
    {
      rule: 'has a time in microseconds',
      env: { WATCHDOG_USEC: '30s', WATCHDOG_PID: '8' },
      asked: { type: 'unusable', problem: 'WATCHDOG_USEC=30s: expected microseconds (WatchdogSec of the unit)' },
    },
  ])('$rule', ({ env, asked }) => {
    expect(watchdogAsked(env, 7)).toEqual(asked);
  });
});

/** An agent with a watchdog of ten seconds: when it was notified, and what the log says. */
function watched(healthProblem: () => Promise<string | undefined>) {
  const clock = manualClock();
  const notified: number[] = [];
  const lines: string[] = [];
  const say = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const end = notifyWhileHealthy({
    withinMs: 10_000,
    clock,
    log: { ...silentLog, error: say, info: say },
    healthProblem,
    notify: () => void notified.push(clock.monotonic()),
  });
  return { clock, notified, lines, end };
}

describe('an agent with a watchdog', () => {
  it('notifies at once and then twice in its time, while it is healthy', async () => {
    const { clock, notified, end } = watched(() => Promise.resolve(undefined));
    await clock.advanceAndSettle(15_000);
    expect(notified).toEqual([0, 5_000, 10_000, 15_000]);
    end();
    await clock.advanceAndSettle(20_000);
    expect(notified).toHaveLength(4);
  });

  it.each([
    {
      how: 'fails',
      check: () => Promise.resolve('PLEG has not relisted lately'),
      says: 'PLEG has not relisted lately',
    },
    { how: 'throws', check: () => Promise.reject(new Error('pleg is gone')), says: 'pleg is gone' },
    { how: 'hangs', check: () => new Promise<undefined>(() => {}), says: 'no answer within 5 s' },
  ])('is silent while a check $how, and says why', async ({ check, says }) => {
    const { clock, notified, lines } = watched(check);
    await clock.advanceAndSettle(30_000);
    expect(notified).toEqual([]);
    expect(lines.every((line) => line.includes(says))).toBe(true);
    expect(lines.length).toBeGreaterThan(3);
  });

  it('notifies again once it is healthy again', async () => {
    let problem: string | undefined = 'busy';
    const { clock, notified, lines } = watched(() => Promise.resolve(problem));
    await clock.advanceAndSettle(5_000);
    problem = undefined;
    await clock.advanceAndSettle(5_000);
    expect(notified).toEqual([10_000]);
    expect(lines.at(-1)).toContain('healthy again');
  });

  it('repeats a notice that was not sent, once', async () => {
    const clock = manualClock();
    let sent = 0;
    watchdogNotifier(clock, () => {
      sent += 1;
      return Promise.resolve(false);
    })();
    await settled();
    await clock.advanceAndSettle(10_000);
    expect(sent).toBe(2);
  });
});

describe('a launcher', () => {
  it.each([
    { rule: 'while it waits to restart the agent', phase: { type: 'restarting' }, notifies: true },
    { rule: 'while the agent starts', phase: { type: 'starting', since: 0 }, notifies: true },
    { rule: 'not for an agent that does not get ready', phase: { type: 'starting', since: -60_000 }, notifies: false },
    { rule: 'not for an agent that reports its own health', phase: { type: 'ready' }, notifies: false },
  ] as const)('notifies the watchdog $rule', ({ phase, notifies }) => {
    expect(launcherNotifies(phase, 60_000)).toBe(notifies);
  });
});
