import { describe, expect, it } from 'vitest';
import { HealthMonitor } from '../../../actors/health-monitor/actor.ts';
import { FAILING_DUTIES, TROUBLES } from '../../../actors/health-monitor/metrics.ts';
import { HEALTH_MONITOR, type HealthMonitorProtocol } from '../../../actors/health-monitor/protocol.ts';
import { decideHealth, failingOf, FORGET_AFTER_MS, newHealth } from '../../../actors/health-monitor/state.ts';
import type { FailingDuty } from '../../../src/health/duty.ts';
import { MetricFamilies } from '../../../src/metrics/metric-families.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';

const duty = (why = 'refused', failingForMs = 10_000): FailingDuty => ({
  work: 'write events',
  follows: 'events are dropped',
  why,
  failingForMs,
});
const failing = (why?: string) => ({ type: 'failing', actor: 'event-recorder', duty: duty(why) }) as const;
const SOURCE = 'event-recorder: write events';

describe('the failing duties', () => {
  it.each([
    { rule: 'a new trouble is a change', before: [], input: failing(), changes: [{ source: SOURCE, duty: duty() }] },
    { rule: 'the same trouble again is none', before: [failing()], input: failing(), changes: [] },
    {
      rule: 'another reason is a change',
      before: [failing()],
      input: failing('timed out'),
      changes: [{ source: SOURCE, duty: duty('timed out') }],
    },
    {
      rule: 'its end is a change',
      before: [failing()],
      input: { type: 'working', actor: 'event-recorder', work: 'write events' } as const,
      changes: [{ source: SOURCE, duty: undefined }],
    },
    {
      rule: 'the success of a duty that never failed is none',
      before: [],
      input: { type: 'working', actor: 'event-recorder', work: 'write events' } as const,
      changes: [],
    },
  ])('$rule', ({ before, input, changes }) => {
    const state = before.reduce((known, each) => decideHealth(known, each, 0).state, newHealth);
    expect(decideHealth(state, input, 1).changes).toEqual(changes);
  });

  it('are forgotten when nobody reports them any more', () => {
    const { state } = decideHealth(newHealth, failing(), 0);
    expect(decideHealth(state, { type: 'forget' }, FORGET_AFTER_MS).changes).toEqual([]);
    expect(decideHealth(state, { type: 'forget' }, FORGET_AFTER_MS + 1).changes).toEqual([
      { source: SOURCE, duty: undefined },
    ]);
  });

  it('are as old as their first report says', () => {
    const first = decideHealth(newHealth, failing(), 10_000).state;
    const { state } = decideHealth(first, { ...failing(), duty: duty('refused', 1) }, 40_000);
    expect(failingOf(state, 50_000)).toEqual([{ ...duty('refused', 50_000), actor: 'event-recorder' }]);
  });
});

describe('the health monitor', () => {
  it('answers with the failing duties, shows them as metrics, and passes each change on once', async () => {
    const families = new MetricFamilies();
    const troubles = families.counter(TROUBLES);
    const changes: string[] = [];
    const test = await actorUnderTest<HealthMonitorProtocol>({
      address: HEALTH_MONITOR,
      others: {},
      make(context) {
        const monitor = new HealthMonitor(context, {
          troubles,
          changed: (change) => changes.push(`${change.source}: ${change.duty?.why ?? 'over'}`),
        });
        families
          .gauge(FAILING_DUTIES)
          .readBy(() =>
            monitor.failing().map(({ actor, work, failingForMs }) => [[actor, work], failingForMs / 1_000] as const),
          );
        return monitor;
      },
    });
    await test.tell({ type: 'duty-failing', actor: 'event-recorder', duty: duty() });
    await test.tell({ type: 'duty-failing', actor: 'event-recorder', duty: duty() });
    expect(await test.ask({ type: 'failing-duties' })).toEqual([{ ...duty(), actor: 'event-recorder' }]);
    expect(families.text()).toContain('hivelet_duty_failing_seconds{actor="event-recorder",duty="write events"} 10\n');
    expect(families.text()).toContain('hivelet_duty_troubles_total{actor="event-recorder",duty="write events"} 1\n');
    await test.tell({ type: 'duty-working', actor: 'event-recorder', work: 'write events' });
    expect(await test.ask({ type: 'failing-duties' })).toEqual([]);
    expect(families.text()).not.toContain('hivelet_duty_failing_seconds{');
    expect(changes).toEqual([`${SOURCE}: refused`, `${SOURCE}: over`]);
  });

  it('forgets the duty of an actor that is gone', async () => {
    const families = new MetricFamilies();
    const changes: string[] = [];
    const test = await actorUnderTest<HealthMonitorProtocol>({
      address: HEALTH_MONITOR,
      others: {},
      make: (context) =>
        new HealthMonitor(context, {
          troubles: families.counter(TROUBLES),
          changed: ({ source }) => changes.push(source),
        }),
    });
    await test.tell({ type: 'duty-failing', actor: 'event-recorder', duty: duty() });
    for (let passed = 0; passed <= FORGET_AFTER_MS; passed += 30_000) {
      test.clock.advance(30_000);
      await test.quiet();
    }
    expect(await test.ask({ type: 'failing-duties' })).toEqual([]);
    expect(changes).toEqual([SOURCE, SOURCE]);
  });
});
