import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../src/actor/fault-seam.ts';
import type { FaultAction, FaultMatch, FaultRule } from '../../src/faults/fault-plan.ts';
import { FaultCounts } from '../../src/faults/fault-counts.ts';
import { ThreadFaults } from '../../src/faults/thread-faults.ts';
import type { PodFiles } from '../../src/host/pod-files.ts';
import { manualClock } from '../support/manual-clock.ts';
import { orderOf } from './plan-support.ts';

type Rule = Omit<FaultRule, 'when'> & Partial<FaultRule>;

function faultsOn(thread: string) {
  const clock = manualClock(1_000_000);
  const done: string[] = [];
  const faults = new ThreadFaults({
    thread,
    clock,
    provoke: (how) => done.push(how),
    spin: (ms) => done.push(`spin ${ms}`),
    block: (ms) => done.push(`block ${ms}`),
  });
  return { clock, done, faults };
}

const envelope: Envelope = { thread: 'pleg', from: '', to: 'pleg', message: { type: 'relist' }, question: false };
const everything: FaultMatch = { at: 'mailbox' };

describe('a message in transit', () => {
  it.each([
    [{ type: 'crash' }, { type: 'throw', reason: 'made to fail by a fault plan' }],
    [
      { type: 'crash', reason: 'why not' },
      { type: 'throw', reason: 'why not' },
    ],
    [{ type: 'hang' }, { type: 'stall' }],
    [
      { type: 'hang', forMs: 5 },
      { type: 'stall', forMs: 5 },
    ],
    [
      { type: 'delay', delayMs: 5 },
      { type: 'delay', delayMs: 5 },
    ],
    [{ type: 'drop' }, { type: 'drop' }],
    [{ type: 'duplicate' }, { type: 'duplicate', times: 1 }],
    [{ type: 'reorder' }, { type: 'reorder', atMostMs: 1_000 }],
    [
      { type: 'error', code: 'overloaded' },
      { type: 'refuse', code: 'overloaded', detail: 'made to fail by a fault plan' },
    ],
    [{ type: 'exit-thread' }, { type: 'exit' }],
    [{ type: 'hang-thread' }, { type: 'hang' }],
    [{ type: 'block-thread' }, { type: 'wait' }],
    [{ type: 'reject-in-thread' }, { type: 'reject' }],
    [{ type: 'exhaust-heap' }, { type: 'exhaust-heap' }],
    [{ type: 'exhaust-buffers' }, { type: 'exhaust-buffers' }],
  ] satisfies [FaultAction, object][])('with %j in the plan becomes %j', (action, fault) => {
    const { faults } = faultsOn('pleg');
    const seam = faults.apply([orderOf([{ match: everything, action }])]);
    expect(seam?.onMessage(envelope)).toMatchObject(fault);
    expect(seam?.onSend(envelope)).toBe('deliver');
  });

  it('is matched at its sender by link rules only', () => {
    const { faults } = faultsOn('pleg');
    const seam = faults.apply([orderOf([{ match: { at: 'link' }, action: { type: 'drop' } }])]);
    expect(seam?.onSend(envelope)).toEqual({ type: 'drop' });
    expect(seam?.onMessage(envelope)).toBe('deliver');
  });

  it('blocks the thread for a while on delivery', () => {
    const { faults, done, clock } = faultsOn('pleg');
    const seam = faults.apply([orderOf([{ match: everything, action: { type: 'hang-thread', forMs: 50 } }])]);
    expect(seam?.onMessage(envelope)).toBe('deliver');
    clock.advance(0);
    expect(done).toEqual(['spin 50']);
  });

  it('is not inspected without a message rule', () => {
    const { faults } = faultsOn('pleg');
    expect(faults.apply([])).toBeUndefined();
    expect(faults.apply([orderOf([{ match: { at: 'clock' }, action: { type: 'step', byMs: 1 } }])])).toBeUndefined();
  });

  it('hits an actor within the blast radius again also after another plan was applied', () => {
    const { faults } = faultsOn('pleg');
    const order = orderOf([{ match: everything, action: { type: 'drop' } }], { radius: { maxActors: 1 } });
    expect(faults.apply([order])?.onMessage(envelope)).toEqual({ type: 'drop' });
    expect(faults.apply([order, orderOf([], { id: 2 })])?.onMessage(envelope)).toEqual({ type: 'drop' });
    expect(new FaultCounts(order.counts).figures().actors).toBe(1);
  });
});

describe('messages that a plan holds back', () => {
  it.each([
    [{ type: 'delay', delayMs: 60_000 }],
    [{ type: 'reorder', atMostMs: 60_000 }],
    [{ type: 'hang' }],
  ] satisfies [FaultAction][])('by %j ends when the plan is cleared, and not earlier', (action) => {
    const { faults } = faultsOn('pleg');
    const [order, other] = [orderOf([{ match: everything, action }]), orderOf([], { id: 2 })];
    const fault = faults.apply([order, other])?.onMessage(envelope);
    const released: string[] = [];
    const lift = typeof fault === 'object' && 'lift' in fault ? fault.lift : undefined;
    lift?.add(() => released.push('released'));
    lift?.add(() => released.push('forgotten'))();
    faults.apply([order]);
    expect(released).toEqual([]);
    faults.apply([other]);
    expect(released).toEqual(['released']);
  });
});

describe('a thread', () => {
  const exitAt = (atMs: number): Rule => ({
    match: { at: 'thread', thread: 'pleg' },
    when: { atMs },
    action: { type: 'exit-thread' },
  });

  it('fails once at its time', () => {
    const { faults, clock, done } = faultsOn('pleg');
    const order = orderOf([exitAt(500)]);
    faults.apply([order]);
    clock.advance(499);
    expect(done).toEqual([]);
    clock.advance(1);
    expect(done).toEqual(['exit']);
    // Its successor gets the same plans.
    faults.apply([order]);
    clock.advance(10_000);
    expect(done).toEqual(['exit']);
  });

  it('does not fail when the plan was removed, nor in place of another thread', () => {
    const { faults, clock, done } = faultsOn('pleg');
    faults.apply([orderOf([exitAt(500)])]);
    faults.apply([]);
    const other = faultsOn('cri');
    other.faults.apply([orderOf([exitAt(0)])]);
    clock.advance(10_000);
    other.clock.advance(10_000);
    expect([...done, ...other.done]).toEqual([]);
  });

  it('hangs for the given time', () => {
    const { faults, clock, done } = faultsOn('pleg');
    const hang: Rule = { match: { at: 'thread', thread: 'pleg' }, action: { type: 'hang-thread', forMs: 70 } };
    faults.apply([orderOf([hang])]);
    clock.advance(0);
    expect(done).toEqual(['spin 70']);
  });
});

describe('the clock of a thread', () => {
  it('is correct without a plan, and again once the plan is removed', () => {
    const { faults, clock } = faultsOn('pleg');
    expect(faults.clock.now()).toBe(1_000_000);
    faults.apply([orderOf([{ match: { at: 'clock' }, action: { type: 'step', byMs: -60_000 } }])]);
    expect(faults.clock.now()).toBe(940_000);
    expect(faults.clock.monotonic()).toBe(clock.monotonic());
    faults.apply([]);
    expect(faults.clock.now()).toBe(1_000_000);
  });

  it('runs too fast', () => {
    const { faults, clock } = faultsOn('pleg');
    faults.apply([orderOf([{ match: { at: 'clock', thread: 'pleg' }, action: { type: 'skew', factor: 1.5 } }])]);
    clock.advance(1_000);
    expect(faults.clock.now()).toBe(1_001_500);
  });

  it('fires its timers late', () => {
    const { faults, clock } = faultsOn('pleg');
    faults.apply([orderOf([{ match: { at: 'clock' }, when: { nth: 2 }, action: { type: 'delay', delayMs: 30 } }])]);
    const fired: string[] = [];
    faults.clock.after(10, () => fired.push('in time'));
    faults.clock.after(10, () => fired.push('late'));
    clock.advance(39);
    expect(fired).toEqual(['in time']);
    clock.advance(1);
    expect(fired).toEqual(['in time', 'late']);
  });
});

describe('the disk of a thread', () => {
  /** A disk on which every file exists, and every call is recorded. */
  function disk(...rules: readonly Rule[]) {
    const { faults, done } = faultsOn('pods-0');
    const calls: string[] = [];
    const noted =
      <T>(name: string, value: T) =>
      (path: string): T => {
        calls.push(`${name} ${path}`);
        return value;
      };
    const files: PodFiles = {
      makeDirectory: noted('makeDirectory', undefined),
      writeFile: noted('writeFile', undefined),
      claim: noted('claim', true),
      list: noted('list', ['a']),
      read: noted('read', 'text'),
      readShared: noted('readShared', 'text'),
      readTail: noted('readTail', 'tail'),
      kindOf: noted('kindOf', 'file'),
      link: (_target, path) => void calls.push(`link ${path}`),
      removeEntry: (directory, name) => void calls.push(`removeEntry ${directory}/${name}`),
    };
    faults.apply(rules.length === 0 ? [] : [orderOf(rules)]);
    return { calls, done, files: faults.files(files) };
  }
  const useAll = (files: PodFiles): readonly unknown[] =>
    [
      () => files.makeDirectory('/d', 0o755),
      () => files.writeFile('/f', 'x', 0o644),
      () => files.list('/d'),
      () => files.read('/f'),
      () => files.readTail('/f', 9),
      () => files.kindOf('/f'),
      () => files.link('/f', '/l'),
      () => files.removeEntry('/d', 'e'),
    ].map((use) => {
      try {
        return use();
      } catch (error) {
        return (error as NodeJS.ErrnoException).code;
      }
    });
  const untouched = [undefined, undefined, ['a'], 'text', 'tail', 'file', undefined, undefined];

  it('has no faults without a plan', () => {
    const { files, calls } = disk();
    expect(useAll(files)).toEqual(untouched);
    expect(calls).toHaveLength(8);
  });

  it('is slow, and blocks the thread', () => {
    const { files, done, calls } = disk({ match: { at: 'files' }, action: { type: 'delay', delayMs: 20 } });
    expect(useAll(files)).toEqual(untouched);
    expect(done).toEqual(Array.from({ length: 8 }, () => 'block 20'));
    expect(calls).toHaveLength(8);
  });

  it('fails like a disk: writes throw, reads find nothing', () => {
    const { files, calls } = disk({
      match: { at: 'files' },
      action: { type: 'error', code: 'EIO', text: 'bad block' },
    });
    const [directory, file, list, read, tail, kind, link, removed] = useAll(files);
    expect([directory, file, link, removed]).toEqual(['EIO', 'EIO', 'EIO', 'EIO']);
    expect([list, read, tail, kind]).toEqual([[], undefined, undefined, undefined]);
    expect(calls).toEqual([]);
  });

  it('loses writes silently', () => {
    const { files, calls } = disk({ match: { at: 'files', file: 'writeFile' }, action: { type: 'drop' } });
    expect(useAll(files)).toEqual(untouched);
    expect(calls).not.toContain('writeFile /f');
    expect(calls).toHaveLength(7);
  });
});
