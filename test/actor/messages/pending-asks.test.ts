import { describe, expect, it } from 'vitest';
import type { ActorFault } from '../../../src/actor/fault.ts';
import { PendingAsks } from '../../../src/actor/messages/pending-asks.ts';
import { TimerWheel } from '../../../src/actor/timer-wheel.ts';
import { manualClock } from '../../support/manual-clock.ts';

/** Asks, and writes down how each ends. */
function askedOf(firstId = 0) {
  const clock = manualClock();
  const inquiries: (readonly [thread: string, ids: readonly number[]])[] = [];
  const asks = new PendingAsks(new TimerWheel(clock), firstId, (thread, ids) => inquiries.push([thread, ids]));

  const ends: Record<number, unknown> = {};
  const ask = (deadlineMs: number, thread = 'other'): number => {
    const id: number = asks.add({
      thread,
      callee: 'pleg',
      question: 'relist',
      deadlineMs,
      resolve: (answer) => (ends[id] = answer),
      reject: (fault: ActorFault) => (ends[id] = fault.code),
    });
    return id;
  };
  return { clock, asks, ends, ask, inquiries };
}

describe('pending questions', () => {
  it('end with their answer', () => {
    const { asks, ends, ask } = askedOf();
    const id = ask(1_000);
    asks.answer(id, 'fine');
    expect(ends).toEqual({ [id]: 'fine' });
    expect(asks.size).toBe(0);
  });

  it('end with a fault', () => {
    const { asks, ends, ask } = askedOf();
    const id = ask(1_000);
    asks.fault(id, 'overloaded', 'the mailbox is full');
    expect(ends).toEqual({ [id]: 'overloaded' });
  });

  it.each([1, 49, 50, 51, 333, 10_000])('never end before their deadline of %i ms, and soon after it', (deadlineMs) => {
    const { clock, ends, ask } = askedOf();
    clock.advance(17);
    const id = ask(deadlineMs);
    clock.advance(deadlineMs - 1);
    expect(ends).toEqual({});
    clock.advance(101);
    expect(ends).toEqual({ [id]: 'deadline-exceeded' });
  });

  it('pass their deadline each on its own', () => {
    const { clock, ends, ask } = askedOf();
    const soon = ask(100);
    const late = ask(500);
    clock.advance(300);
    expect(ends).toEqual({ [soon]: 'deadline-exceeded' });
    clock.advance(400);
    expect(ends).toEqual({ [soon]: 'deadline-exceeded', [late]: 'deadline-exceeded' });
  });

  it('ignore a late answer', () => {
    const { clock, asks, ends, ask } = askedOf();
    const id = ask(100);
    clock.advance(300);
    asks.answer(id, 'late');
    asks.fault(id, 'callee-ended', 'late');
    expect(ends).toEqual({ [id]: 'deadline-exceeded' });
  });

  it('are settled at once when their thread ends, and only those', () => {
    const { asks, ends, ask } = askedOf();
    const lost = [ask(1_000, 'cri'), ask(1_000, 'cri')];
    const other = ask(1_000, 'node');
    asks.threadEnded('cri');
    expect(ends).toEqual(Object.fromEntries(lost.map((id) => [id, 'thread-ended'])));
    asks.answer(other, 'fine');
    expect(ends[other]).toBe('fine');
  });

  it('are checked at their thread after some seconds without an answer', () => {
    const { clock, asks, ends, ask, inquiries } = askedOf();
    const [lost, slow, elsewhere] = [ask(60_000), ask(60_000), ask(60_000, 'node')];
    clock.advance(1_900);
    expect(inquiries).toEqual([]);
    clock.advance(2_200);
    expect(inquiries).toEqual([
      ['other', [lost, slow]],
      ['node', [elsewhere]],
    ]);
    asks.missing([lost]);
    expect(ends).toEqual({ [lost]: 'question-lost' });
    asks.answer(slow, 'fine');
    asks.missing([slow]);
    expect(ends[slow]).toBe('fine');
  });

  it('arm no timer without open questions', () => {
    const { clock, asks, ask } = askedOf();
    expect(clock.armed).toBe(0);
    const id = ask(60_000);
    expect(clock.armed).toBeGreaterThan(0);
    asks.answer(id, 'fine');
    clock.advance(100);
    expect(clock.armed).toBe(0);
  });

  it('have numbers that no earlier incarnation of the thread has used', () => {
    const { ask } = askedOf(5_000);
    expect(ask(1_000)).toBeGreaterThan(5_000);
  });
});
