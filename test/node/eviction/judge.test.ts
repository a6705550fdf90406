import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { observationsOf, type NodeFigures } from '../../../src/node/eviction/figures.ts';
import {
  isRelieved,
  judge,
  NO_HISTORY,
  resumedHistory,
  type EvictionHistory,
  type Judgement,
} from '../../../src/node/eviction/judge.ts';
import { SIGNALS } from '../../../src/node/eviction/signals.ts';
import { thresholdKey, type Threshold } from '../../../src/node/eviction/thresholds.ts';
import { MI } from './eviction-fixtures.ts';

const memory = (value: string, more: Partial<Threshold> = {}): Threshold => ({
  signal: 'memory.available',
  value,
  graceMs: 0,
  minReclaim: undefined,
  ...more,
});

const TRANSITION_MS = 300_000;
const CAPACITY = 1_000 * MI;

const free = (mib: number, at: number): NodeFigures => ({
  memory: {
    time: new Date(at).toISOString(),
    availableBytes: mib * MI,
    workingSetBytes: CAPACITY - mib * MI,
  },
});

interface Step {
  readonly at: number;
  readonly mib: number;
  /** When it was measured; otherwise now. */
  readonly measuredAt?: number;
}

/** Looks at the node again and again; says what follows from the last look. */
function after(
  thresholds: readonly Threshold[],
  steps: readonly Step[],
  before: EvictionHistory = NO_HISTORY,
): Judgement {
  let last: Judgement = {
    history: before,
    pressures: { memory: false, disk: false, pid: false },
    due: [],
  };
  for (const { at, mib, measuredAt = at } of steps) {
    const observations = observationsOf(free(mib, measuredAt));
    last = judge({ thresholds, observations, history: last.history, now: at, transitionMs: TRANSITION_MS });
  }
  return last;
}

const soft = memory('200Mi', { graceMs: 60_000 });
const hard = memory('100Mi');

describe('a look at the node', () => {
  it.each([
    {
      rule: 'just at the threshold is enough',
      thresholds: [hard],
      steps: [{ at: 0, mib: 100 }],
      pressed: false,
      due: 0,
    },
    { rule: 'below a hard one evicts', thresholds: [hard], steps: [{ at: 0, mib: 99 }], pressed: true, due: 1 },
    {
      rule: 'below a soft one shows at once, and evicts nobody yet',
      thresholds: [soft],
      steps: [{ at: 0, mib: 150 }],
      pressed: true,
      due: 0,
    },
    {
      rule: 'evicts when a soft one has been met for its grace period',
      thresholds: [soft],
      steps: [
        { at: 0, mib: 150 },
        { at: 60_000, mib: 150 },
      ],
      pressed: true,
      due: 1,
    },
    {
      rule: 'starts the grace period anew after a soft one was not met once',
      thresholds: [soft],
      steps: [
        { at: 0, mib: 150 },
        { at: 30_000, mib: 250 },
        { at: 60_000, mib: 150 },
      ],
      pressed: true,
      due: 0,
    },
    {
      rule: 'keeps the condition for the transition period',
      thresholds: [hard],
      steps: [
        { at: 0, mib: 50 },
        { at: TRANSITION_MS - 1, mib: 500 },
      ],
      pressed: true,
      due: 0,
    },
    {
      rule: 'takes the condition back after the transition period',
      thresholds: [hard],
      steps: [
        { at: 0, mib: 50 },
        { at: TRANSITION_MS, mib: 500 },
      ],
      pressed: false,
      due: 0,
    },
    {
      rule: 'goes on until the least amount is free as well',
      thresholds: [memory('100Mi', { minReclaim: '50Mi' })],
      steps: [
        { at: 0, mib: 99 },
        { at: 10_000, mib: 149 },
      ],
      pressed: true,
      due: 1,
    },
    {
      rule: 'ends when the least amount is free as well',
      thresholds: [memory('100Mi', { minReclaim: '5%' })],
      steps: [
        { at: 0, mib: 99 },
        { at: 10_000, mib: 150 },
      ],
      pressed: true,
      due: 0,
    },
    {
      rule: 'does not ask for the least amount before pods are evicted for it',
      thresholds: [memory('100Mi', { minReclaim: '50Mi' })],
      steps: [
        { at: 0, mib: 120 },
        { at: 10_000, mib: 120 },
      ],
      pressed: false,
      due: 0,
    },
    {
      rule: 'that was measured before the last one evicts nobody',
      thresholds: [hard],
      steps: [
        { at: 0, mib: 50 },
        { at: 10_000, mib: 50, measuredAt: 0 },
      ],
      pressed: true,
      due: 0,
    },
    {
      rule: 'that was measured anew evicts again',
      thresholds: [hard],
      steps: [
        { at: 0, mib: 50 },
        { at: 10_000, mib: 50 },
      ],
      pressed: true,
      due: 1,
    },
  ])('$rule', ({ thresholds, steps, pressed, due }) => {
    const judged = after(thresholds, steps);
    expect({ pressed: judged.pressures.memory, due: judged.due.length }).toEqual({ pressed, due });
  });

  it('that says nothing of a signal says nothing against anybody', () => {
    const judged = judge({
      thresholds: [hard],
      observations: observationsOf({ memory: { availableBytes: 1 } }),
      history: NO_HISTORY,
      now: 0,
      transitionMs: TRANSITION_MS,
    });
    expect(judged.due).toEqual([]);
  });

  it('deals with memory first', () => {
    const disk: Threshold = { signal: 'nodefs.available', value: '10%', graceMs: 0, minReclaim: undefined };
    const figures = { ...free(1, 1), fs: { availableBytes: 1, capacityBytes: 100 } };
    const judged = judge({
      thresholds: [disk, hard],
      observations: observationsOf(figures),
      history: NO_HISTORY,
      now: 0,
      transitionMs: TRANSITION_MS,
    });
    expect(judged.due).toEqual([hard, disk]);
    expect(judged.pressures).toEqual({ memory: true, disk: true, pid: false });
  });

  it('after a crash takes the node to be as short as it was said to be, for one more period', () => {
    const resumed = resumedHistory({ memory: true, disk: false, pid: false }, 1_000);
    expect(after([hard], [{ at: TRANSITION_MS + 999, mib: 500 }], resumed).pressures.memory).toBe(true);
    expect(after([hard], [{ at: TRANSITION_MS + 1_000, mib: 500 }], resumed).pressures.memory).toBe(false);
  });

  it('relieves the node only when nothing is too low, least amounts included', () => {
    const thresholds = [memory('100Mi', { minReclaim: '50Mi' })];
    expect(isRelieved(thresholds, observationsOf(free(149, 0)))).toBe(false);
    expect(isRelieved(thresholds, observationsOf(free(150, 0)))).toBe(true);
  });
});

describe('whatever happened before', () => {
  const looks = fc.array(
    fc.record({ passMs: fc.integer({ min: 1, max: 400_000 }), mib: fc.integer({ min: 0, max: 999 }) }),
    {
      minLength: 1,
      maxLength: 12,
    },
  );
  const thresholds = [hard, soft, memory('300Mi', { graceMs: 0, minReclaim: '100Mi' })].slice(0, 2);

  it('whoever is evicted for something, the node says that it is short of it', () => {
    fc.assert(
      fc.property(looks, (steps) => {
        let at = 0;
        const judged = after(
          thresholds,
          steps.map(({ passMs, mib }) => ({ at: (at += passMs), mib })),
        );
        expect(judged.pressures.memory || judged.due.length === 0).toBe(true);
      }),
    );
  });

  it('a hard threshold that is met is dealt with, and one that never was is not', () => {
    fc.assert(
      fc.property(looks, (steps) => {
        let at = 0;
        const judged = after(
          [hard],
          steps.map(({ passMs, mib }) => ({ at: (at += passMs), mib })),
        );
        expect(judged.due.length).toBe((steps.at(-1)?.mib ?? 0) < 100 ? 1 : 0);
      }),
    );
  });
});

describe('what figures say of signals', () => {
  it('is said of every signal that has its figures', () => {
    const fs = { availableBytes: 10, capacityBytes: 100, inodesFree: 3, inodes: 30 };
    const figures: NodeFigures = {
      memory: { availableBytes: 4, workingSetBytes: 6 },
      systemContainers: [
        { name: 'kubelet', memory: { availableBytes: 1, workingSetBytes: 1 } },
        { name: 'pods', memory: { availableBytes: 2, workingSetBytes: 3 } },
      ],
      fs,
      runtime: { imageFs: { ...fs, availableBytes: 20 }, containerFs: { ...fs, availableBytes: 30 } },
      rlimit: { maxpid: 100, curproc: 60 },
    };
    const said = [...observationsOf(figures)].map(([signal, { available, capacity }]) => [signal, available, capacity]);
    expect(said).toEqual([
      ['memory.available', 4n, 10n],
      ['allocatableMemory.available', 2n, 5n],
      ['nodefs.available', 10n, 100n],
      ['nodefs.inodesFree', 3n, 30n],
      ['imagefs.available', 20n, 100n],
      ['imagefs.inodesFree', 3n, 30n],
      ['containerfs.available', 30n, 100n],
      ['containerfs.inodesFree', 3n, 30n],
      ['pid.available', 40n, 100n],
    ]);
    expect(said.map(([signal]) => signal)).toEqual([...SIGNALS]);
  });
  it('has no inodes where a file system does not count them', () => {
    expect(observationsOf({ fs: { inodesFree: 0, inodes: 0 } }).size).toBe(0);
  });
  it('tells thresholds apart by signal and kind', () => {
    expect(new Set([hard, soft].map(thresholdKey)).size).toBe(2);
  });
});
