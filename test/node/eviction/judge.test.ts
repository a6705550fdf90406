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
  /** The instant of the measurement; now by default. */
  readonly measuredAt?: number;
}

/** Observes the node repeatedly; returns the result of the last observation. */
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

describe('a pass over the node', () => {
  it.each([
    {
      rule: 'exactly at the threshold is not below it',
      thresholds: [hard],
      steps: [{ at: 0, mib: 100 }],
      pressed: false,
      due: 0,
    },
    { rule: 'below a hard threshold evicts', thresholds: [hard], steps: [{ at: 0, mib: 99 }], pressed: true, due: 1 },
    {
      rule: 'below a soft threshold reports pressure at once, and evicts no pod yet',
      thresholds: [soft],
      steps: [{ at: 0, mib: 150 }],
      pressed: true,
      due: 0,
    },
    {
      rule: 'evicts when a soft threshold was met for its grace period',
      thresholds: [soft],
      steps: [
        { at: 0, mib: 150 },
        { at: 60_000, mib: 150 },
      ],
      pressed: true,
      due: 1,
    },
    {
      rule: 'restarts the grace period after a soft threshold was not met',
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
      rule: 'ends the condition after the transition period',
      thresholds: [hard],
      steps: [
        { at: 0, mib: 50 },
        { at: TRANSITION_MS, mib: 500 },
      ],
      pressed: false,
      due: 0,
    },
    {
      rule: 'continues until the minimum reclaim is free as well',
      thresholds: [memory('100Mi', { minReclaim: '50Mi' })],
      steps: [
        { at: 0, mib: 99 },
        { at: 10_000, mib: 149 },
      ],
      pressed: true,
      due: 1,
    },
    {
      rule: 'ends when the minimum reclaim is free as well',
      thresholds: [memory('100Mi', { minReclaim: '5%' })],
      steps: [
        { at: 0, mib: 99 },
        { at: 10_000, mib: 150 },
      ],
      pressed: true,
      due: 0,
    },
    {
      rule: 'ignores the minimum reclaim before a pod was evicted',
      thresholds: [memory('100Mi', { minReclaim: '50Mi' })],
      steps: [
        { at: 0, mib: 120 },
        { at: 10_000, mib: 120 },
      ],
      pressed: false,
      due: 0,
    },
    {
      rule: 'with figures older than the last pass evicts no pod',
      thresholds: [hard],
      steps: [
        { at: 0, mib: 50 },
        { at: 10_000, mib: 50, measuredAt: 0 },
      ],
      pressed: true,
      due: 0,
    },
    {
      rule: 'with new figures evicts again',
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

  it('without figures of a signal evicts no pod for it', () => {
    const judged = judge({
      thresholds: [hard],
      observations: observationsOf({ memory: { availableBytes: 1 } }),
      history: NO_HISTORY,
      now: 0,
      transitionMs: TRANSITION_MS,
    });
    expect(judged.due).toEqual([]);
  });

  it('handles memory first', () => {
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

  it('keeps the reported pressures for one more period after a crash', () => {
    const resumed = resumedHistory({ memory: true, disk: false, pid: false }, 1_000);
    expect(after([hard], [{ at: TRANSITION_MS + 999, mib: 500 }], resumed).pressures.memory).toBe(true);
    expect(after([hard], [{ at: TRANSITION_MS + 1_000, mib: 500 }], resumed).pressures.memory).toBe(false);
  });

  it('ends the pressure only when nothing is too low, minimum reclaims included', () => {
    const thresholds = [memory('100Mi', { minReclaim: '50Mi' })];
    expect(isRelieved(thresholds, observationsOf(free(149, 0)))).toBe(false);
    expect(isRelieved(thresholds, observationsOf(free(150, 0)))).toBe(true);
  });
});

describe('any history of figures', () => {
  const looks = fc.array(
    fc.record({ passMs: fc.integer({ min: 1, max: 400_000 }), mib: fc.integer({ min: 0, max: 999 }) }),
    {
      minLength: 1,
      maxLength: 12,
    },
  );
  const thresholds = [hard, soft, memory('300Mi', { graceMs: 0, minReclaim: '100Mi' })].slice(0, 2);

  it('a pod is only evicted for a reported pressure', () => {
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

  it('a met hard threshold causes an action, and a threshold never met does not', () => {
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

describe('the signals of figures', () => {
  it('cover every signal with figures', () => {
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
  it('have no inodes for a file system without them', () => {
    expect(observationsOf({ fs: { inodesFree: 0, inodes: 0 } }).size).toBe(0);
  });
  it('have one key per signal and kind of threshold', () => {
    expect(new Set([hard, soft].map(thresholdKey)).size).toBe(2);
  });
});
