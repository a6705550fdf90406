import { describe, expect, it } from 'vitest';
import type { CriFault, CriOutcome } from '../../src/cri/fault.ts';
import type { CriTransport } from '../../src/cri/transport.ts';
import { ThreadFaults } from '../../src/faults/thread-faults.ts';
import type { FaultRule } from '../../src/faults/fault-plan.ts';
import { manualClock, settled } from '../support/manual-clock.ts';
import { orderOf } from './plan-support.ts';

type Rule = Omit<FaultRule, 'when'> & Partial<FaultRule>;

/** A runtime that answers everything at once, and a client under these rules. */
function faultyRuntime(...rules: readonly Rule[]) {
  const clock = manualClock();
  const asked: string[] = [];
  const timeouts: (number | undefined)[] = [];
  let stream: { event(bytes: Uint8Array): void; ended(fault: CriFault): void } | undefined;
  const runtime: CriTransport = {
    unary: (path, _request, timeoutMs) => {
      asked.push(path);
      timeouts.push(timeoutMs);
      return Promise.resolve({ ok: true, value: new Uint8Array([asked.length]) });
    },
    containerEvents: (listener) => {
      stream = listener;
      return () => (stream = undefined);
    },
    close: () => {},
  };
  const fail = (): never => {
    throw new Error('no thread was to fail');
  };
  const faults = new ThreadFaults({ thread: 'cri', clock, provoke: fail, spin: fail, block: fail });
  const transport = faults.transport(runtime);
  faults.apply(rules.length === 0 ? [] : [orderOf(rules)]);
  const outcomes: CriOutcome<Uint8Array>[] = [];
  return {
    clock,
    faults,
    transport,
    asked,
    timeouts,
    outcomes,
    tellOfEvent: (byte: number) => stream?.event(new Uint8Array([byte])),
    isStreaming: () => stream !== undefined,
    call: async (method: string, within: number | 'ever' = 1_000): Promise<void> => {
      const timeoutMs = within === 'ever' ? undefined : within;
      void transport.unary(`/x/${method}`, new Uint8Array(), timeoutMs).then((outcome) => outcomes.push(outcome));
      await settled();
    },
  };
}

const start = { at: 'cri', criMethod: 'StartContainer' } as const;
const codes = (outcomes: readonly CriOutcome<Uint8Array>[]): readonly string[] =>
  outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.fault.code));

describe('faults of CRI calls', () => {
  it('change nothing without a plan, or for methods without a rule', async () => {
    const free = faultyRuntime();
    await free.call('StartContainer');
    const other = faultyRuntime({ match: start, action: { type: 'drop' } });
    await other.call('StopContainer');
    expect([...codes(free.outcomes), ...codes(other.outcomes)]).toEqual(['ok', 'ok']);
  });

  it('fail a call without the runtime', async () => {
    const { call, outcomes, asked } = faultyRuntime({
      match: start,
      action: { type: 'error', code: 'UNAVAILABLE', text: 'gone' },
    });
    await call('StartContainer');
    expect(outcomes).toEqual([{ ok: false, fault: { code: 'UNAVAILABLE', detail: 'gone' } }]);
    expect(asked).toEqual([]);
  });

  it.each([
    { lose: 'request', reaches: 0 },
    { lose: 'answer', reaches: 1 },
  ] as const)('loses the $lose: the call ends at its deadline', async ({ lose, reaches }) => {
    const { call, outcomes, asked, clock } = faultyRuntime({ match: start, action: { type: 'drop', lose } });
    await call('StartContainer', 1_000);
    await clock.advanceAndSettle(999);
    expect(outcomes).toEqual([]);
    await clock.advanceAndSettle(1);
    expect(codes(outcomes)).toEqual(['DEADLINE_EXCEEDED']);
    expect(asked).toHaveLength(reaches);
  });

  it('delay a call, which reduces its remaining time', async () => {
    const { call, outcomes, timeouts, clock } = faultyRuntime({
      match: start,
      action: { type: 'delay', delayMs: 300 },
    });
    await call('StartContainer', 1_000);
    expect(timeouts).toEqual([]);
    await clock.advanceAndSettle(300);
    expect(timeouts).toEqual([700]);
    expect(codes(outcomes)).toEqual(['ok']);
  });

  it('drop a delayed call whose caller has stopped waiting', async () => {
    const { call, outcomes, asked, clock } = faultyRuntime({ match: start, action: { type: 'hang' } });
    await call('StartContainer', 1_000);
    await clock.advanceAndSettle(1_000);
    expect(codes(outcomes)).toEqual(['DEADLINE_EXCEEDED']);
    expect(asked).toEqual([]);
  });

  it('repeat a call, and use the first answer', async () => {
    const { call, outcomes, asked } = faultyRuntime({ match: start, action: { type: 'duplicate' } });
    await call('StartContainer');
    expect(asked).toHaveLength(2);
    expect(outcomes).toEqual([{ ok: true, value: new Uint8Array([1]) }]);
  });

  it.each([
    { what: 'the next call has gone', next: true, waitMs: 0, asked: ['/x/StopContainer', '/x/StartContainer'] },
    { what: 'no call follows for a second', next: false, waitMs: 1_000, asked: ['/x/StartContainer'] },
  ])('lets a call be overtaken until $what', async ({ next, waitMs, asked }) => {
    const runtime = faultyRuntime({ match: start, action: { type: 'reorder' } });
    await runtime.call('StartContainer', 'ever');
    expect(runtime.asked).toEqual([]);
    if (next) await runtime.call('StopContainer');
    await runtime.clock.advanceAndSettle(waitMs);
    expect(runtime.asked).toEqual(asked);
  });

  it('release held calls once the plan is removed', async () => {
    const { call, outcomes, asked, faults, clock } = faultyRuntime(
      { match: start, action: { type: 'hang' } },
      { match: { at: 'cri', criMethod: 'PullImage' }, action: { type: 'drop' } },
    );
    await call('StartContainer', 'ever');
    await call('PullImage', 'ever');
    expect(outcomes).toEqual([]);
    faults.apply([]);
    await settled();
    expect(codes(outcomes).toSorted()).toEqual(['DEADLINE_EXCEEDED', 'ok']);
    expect(asked).toEqual(['/x/StartContainer']);
    expect(clock.armed).toBe(0);
  });

  it('keep calls that another plan holds', async () => {
    const { call, outcomes, faults } = faultyRuntime();
    const [one, other] = [orderOf([{ match: start, action: { type: 'hang' } }], { id: 1 }), orderOf([], { id: 2 })];
    faults.apply([one, other]);
    await call('StartContainer');
    faults.apply([one]);
    await settled();
    expect(outcomes).toEqual([]);
  });
});

describe('the stream of container events', () => {
  const events = { at: 'cri', criMethod: 'GetContainerEvents' } as const;

  it.each([
    { action: { type: 'drop' }, heard: [2] },
    { action: { type: 'duplicate' }, heard: [1, 1, 2] },
    { action: { type: 'delay', delayMs: 10 }, heard: [2, 1] },
    { action: { type: 'hang' }, heard: [2] },
  ] as const)('suffers $action', async ({ action, heard }) => {
    const { transport, tellOfEvent, clock } = faultyRuntime({ match: events, when: { nth: 1 }, action });
    const got: number[] = [];
    transport.containerEvents({ event: (bytes) => got.push(...bytes), ended: () => got.push(-1) });
    tellOfEvent(1);
    tellOfEvent(2);
    await clock.advanceAndSettle(10);
    expect(got).toEqual(heard);
  });

  it('is interrupted by an error', () => {
    const { transport, tellOfEvent, isStreaming } = faultyRuntime({
      match: events,
      action: { type: 'error', code: 'INTERNAL' },
    });
    const ended: CriFault[] = [];
    transport.containerEvents({ event: () => {}, ended: (fault) => ended.push(fault) });
    tellOfEvent(1);
    expect(ended.map(({ code }) => code)).toEqual(['INTERNAL']);
    expect(isStreaming()).toBe(false);
  });
});
