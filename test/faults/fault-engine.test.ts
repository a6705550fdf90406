import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideFault, type FaultDecision } from '../../src/faults/decide-fault.ts';
import type { FaultEngine, FaultEvent } from '../../src/faults/fault-engine.ts';
import type { FaultAction, FaultMatch, FaultWhen } from '../../src/faults/fault-plan.ts';
import { FaultCounts } from '../../src/faults/fault-counts.ts';
import { manualClock } from '../support/manual-clock.ts';
import { engineOn, orderOf } from './plan-support.ts';

const still = manualClock();
const crash: FaultAction = { type: 'crash' };
const mail = (to: string, message = 'sync-pod'): FaultEvent => ({ at: 'mailbox', to, message });
const anyMail: FaultMatch = { at: 'mailbox' };
/** Which of these events something is done about. */
const struck = (engine: FaultEngine, events: readonly FaultEvent[]): readonly boolean[] =>
  events.map((event) => engine.decide(event) !== undefined);
const times = (count: number, event: FaultEvent): readonly FaultEvent[] => Array.from({ length: count }, () => event);

describe('a rule decides on its matches', () => {
  it.each([
    { rule: 'acts on all of them', when: {}, match: 1, acted: 0, decision: 'acts' },
    { rule: 'acts on the nth', when: { nth: 3 }, match: 3, acted: 0, decision: 'acts' },
    { rule: 'ignores matches before the nth', when: { nth: 3 }, match: 2, acted: 0, decision: 'not-this-one' },
    { rule: 'ignores matches after the nth', when: { nth: 3 }, match: 4, acted: 0, decision: 'not-this-one' },
    { rule: 'acts on the nth once', when: { nth: 3 }, match: 3, acted: 1, decision: 'spent' },
    { rule: 'never exceeds its limit', when: { atMost: 2 }, match: 9, acted: 2, decision: 'spent' },
    { rule: 'acts up to its limit', when: { atMost: 2 }, match: 9, acted: 1, decision: 'acts' },
    { rule: 'always acts at a rate of 1', when: { rate: 1 }, match: 5, acted: 4, decision: 'acts' },
    { rule: 'never acts at a rate of 0', when: { rate: 0 }, match: 5, acted: 0, decision: 'spared-by-chance' },
  ] satisfies { rule: string; when: FaultWhen; match: number; acted: number; decision: FaultDecision }[])(
    '$rule',
    ({ when, match, acted, decision }) => {
      expect(decideFault(when, { seed: 1, rule: 0, match, acted })).toBe(decision);
    },
  );

  it.each([0.1, 0.5, 0.9])('at a rate of %d on about that share', (rate) => {
    const acts = Array.from({ length: 10_000 }, (_, match) =>
      decideFault({ rate }, { seed: 5, rule: 2, match, acted: 0 }),
    );
    const part = acts.filter((decision) => decision === 'acts').length / acts.length;
    expect(Math.abs(part - rate)).toBeLessThan(0.02);
  });
});

describe('an engine', () => {
  it.each([
    { match: anyMail, event: mail('pleg'), fits: true },
    { match: { at: 'mailbox', actor: 'pleg' }, event: mail('pleg'), fits: true },
    { match: { at: 'mailbox', actor: 'pleg' }, event: mail('pleg-helper'), fits: false },
    { match: { at: 'mailbox', actor: 'pod-worker' }, event: mail('pod-worker/a'), fits: true },
    { match: { at: 'mailbox', actor: 'pod-worker/a*' }, event: mail('pod-worker/abc'), fits: true },
    { match: { at: 'mailbox', actor: 'pod-worker/a*' }, event: mail('pod-worker/b'), fits: false },
    { match: { at: 'mailbox', actor: ['pleg', 'pod-worker/b'] }, event: mail('pod-worker/b'), fits: true },
    { match: { at: 'mailbox', actor: 'pod.worker' }, event: mail('pod-worker'), fits: false },
    { match: { at: 'mailbox', message: 'relist' }, event: mail('pleg', 'relist'), fits: true },
    { match: { at: 'mailbox', message: 'relist' }, event: mail('pleg', 'listed'), fits: false },
    { match: { at: 'mailbox', thread: 'pods-0' }, event: mail('pleg'), fits: false },
    { match: { at: 'link' }, event: mail('pleg'), fits: false },
    { match: anyMail, event: mail('host/pods-0'), fits: false },
    { match: { at: 'cri' }, event: { at: 'cri', criMethod: 'Version' }, fits: true },
    { match: { at: 'cri', criMethod: 'PullImage' }, event: { at: 'cri', criMethod: 'Version' }, fits: false },
    { match: { at: 'files', path: '/var/*' }, event: { at: 'files', file: 'read', path: '/var/lib/x' }, fits: true },
    { match: { at: 'files', file: 'read' }, event: { at: 'files', file: 'list', path: '/' }, fits: false },
  ] satisfies { match: FaultMatch; event: FaultEvent; fits: boolean }[])(
    'on thread pleg finds that $match and $event fit: $fits',
    ({ match, event, fits }) => {
      expect(struck(engineOn('pleg', still, orderOf([{ match, action: { type: 'drop' } }])), [event])).toEqual([fits]);
    },
  );

  it('uses the first rule that acts', () => {
    const order = orderOf([
      { match: anyMail, when: { nth: 2 }, action: { type: 'drop' } },
      { match: anyMail, action: { type: 'delay', delayMs: 5 } },
    ]);
    const engine = engineOn('pleg', still, order);
    const types = times(3, mail('pleg')).map((event) => engine.decide(event)?.action.type);
    expect(types).toEqual(['delay', 'drop', 'delay']);
  });

  it("counts matches from the rule's start time on", () => {
    const clock = manualClock();
    const engine = engineOn(
      'pleg',
      clock,
      orderOf([{ match: anyMail, when: { afterMs: 100, nth: 2 }, action: crash }]),
    );
    expect(struck(engine, times(3, mail('pleg')))).toEqual([false, false, false]);
    clock.advance(100);
    expect(struck(engine, times(3, mail('pleg')))).toEqual([false, true, false]);
  });

  it('does nothing after the end of the plan', () => {
    const clock = manualClock();
    const order = orderOf([{ match: anyMail, action: crash }], { radius: { maxMinutes: 1 } });
    const engine = engineOn('pleg', clock, order);
    clock.advance(59_999);
    expect(struck(engine, [mail('pleg')])).toEqual([true]);
    clock.advance(1);
    expect(struck(engine, [mail('pleg')])).toEqual([false]);
  });

  it('may hit an actor within the blast radius again, and no other once the radius is full', () => {
    const engine = engineOn(
      'pods-0',
      still,
      orderOf([{ match: anyMail, action: crash }], { radius: { maxActors: 1 } }),
    );
    expect(struck(engine, [mail('pod-worker/a'), mail('pod-worker/b'), mail('pod-worker/a')])).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('makes no more threads fail than the blast radius allows', () => {
    const order = orderOf([{ match: anyMail, action: { type: 'exit-thread' } }], { radius: { maxThreads: 1 } });
    const [one, other] = [engineOn('pods-0', still, order), engineOn('pods-1', still, order)];
    expect([one, other, one].map((engine) => struck(engine, [mail('x')])[0])).toEqual([true, false, true]);
  });

  it('never makes a protected thread fail', () => {
    const engine = engineOn('main', still, orderOf([{ match: anyMail, action: { type: 'exit-thread' } }]));
    expect(struck(engine, [mail('job-pool')])).toEqual([false]);
  });

  it('sets the wall clock by the sum of all clock rules', () => {
    const order = orderOf([
      { match: { at: 'clock' }, action: { type: 'step', byMs: -500 } },
      { match: { at: 'clock' }, when: { afterMs: 100 }, action: { type: 'skew', factor: 2 } },
    ]);
    const engine = engineOn('pleg', still, order);
    expect([0, 100, 150].map((at) => engine.clockShiftMs(at))).toEqual([-500, -500, -450]);
    expect(engine.clockShiftMs(600_000)).toBe(0);
  });
});

const whens: fc.Arbitrary<FaultWhen> = fc.oneof(
  fc.record({ nth: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ rate: fc.double({ min: 0, max: 1, noNaN: true }), atMost: fc.integer({ min: 1, max: 10 }) }),
  fc.record({ atMost: fc.integer({ min: 1, max: 10 }) }),
);
const addresses = fc.array(fc.constantFrom('pod-worker/a', 'pod-worker/b', 'pod-worker/c', 'pleg'), { maxLength: 60 });

describe('any events on two threads', () => {
  it('a plan never exceeds its limits', () => {
    fc.assert(
      fc.property(whens, fc.integer({ min: 1, max: 3 }), addresses, addresses, (when, maxActors, here, there) => {
        const order = orderOf([{ match: anyMail, when, action: crash }], { radius: { maxActors } });
        const [one, other] = [engineOn('pods-0', still, order), engineOn('pods-1', still, order)];
        // An address belongs to one thread only.
        const hits = [
          ...here.filter((to) => one.decide(mail(`here-${to}`)) !== undefined).map((to) => `here-${to}`),
          ...there.filter((to) => other.decide(mail(to)) !== undefined),
        ];
        const { rules, actors } = new FaultCounts(order.counts).figures();
        expect(hits.length).toBeLessThanOrEqual(when.nth === undefined ? (when.atMost ?? Infinity) : 1);
        expect(new Set(hits).size).toBeLessThanOrEqual(maxActors);
        expect(rules).toEqual([{ matched: here.length + there.length, acted: hits.length }]);
        expect(actors).toBe(new Set(hits).size);
      }),
    );
  });

  it('the same seed gives the same verdicts, and another seed different verdicts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (seed) => {
        const verdicts = (of: number): string =>
          struck(
            engineOn('pods-0', still, orderOf([{ match: anyMail, when: { rate: 0.5 }, action: crash }], { seed: of })),
            times(64, mail('pleg')),
          ).join();
        expect(verdicts(seed)).toBe(verdicts(seed));
        expect(verdicts(seed)).not.toBe(verdicts((seed + 1) % 2 ** 32));
      }),
    );
  });
});
