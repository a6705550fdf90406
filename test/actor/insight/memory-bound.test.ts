import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BoundHistory,
  farFromBound,
  judgeResident,
  watchMemoryBound,
} from '../../../src/actor/insight/memory-bound.ts';
import { memoryHolders } from '../../../src/actor/insight/memory-holders.ts';
import { manualClock } from '../../support/manual-clock.ts';

const MIB = 2 ** 20;
const bound = { limitBytes: 1_000 * MIB, atOnceBytes: 1_250 * MIB, looksOver: 3 };
const near: BoundHistory = { isNear: true, looksOver: 0 };

describe('a process with a memory limit of 1,000 MiB', () => {
  it.each([
    { rule: 'is fine with little memory', mib: 90, verdict: 'fine', againMs: 500 },
    { rule: 'is fine with half, and measured more often', mib: 501, verdict: 'fine', againMs: 100 },
    { rule: 'is near its limit', mib: 801, verdict: 'near', againMs: 100 },
    { rule: 'is reported as near once', given: near, mib: 900, verdict: 'fine', againMs: 100 },
    {
      rule: 'is not reported as eased while close to the warning level',
      given: near,
      mib: 750,
      verdict: 'fine',
      againMs: 100,
    },
    { rule: 'has eased', given: near, mib: 699, verdict: 'eased', againMs: 100 },
    { rule: 'may exceed its limit for a moment', given: near, mib: 1_001, verdict: 'fine', againMs: 100 },
    {
      rule: 'exceeds its limit at the third measurement',
      given: { isNear: true, looksOver: 2 },
      mib: 1_001,
      verdict: 'over',
      againMs: 100,
    },
    {
      rule: 'starts counting again after a lower measurement',
      given: { isNear: true, looksOver: 2 },
      mib: 999,
      verdict: 'fine',
      againMs: 100,
    },
    { rule: 'exceeds its limit at once with a quarter more', mib: 1_251, verdict: 'over', againMs: 100 },
  ])('$rule', ({ given = farFromBound, mib, verdict, againMs }) => {
    expect(judgeResident(given, mib * MIB, bound)).toMatchObject({ verdict, againMs });
  });

  it('never ends below its limit, and always above it', () => {
    const looks = fc.array(fc.integer({ min: 0, max: 1_400 }), { maxLength: 50 });
    fc.assert(
      fc.property(looks, (all) => {
        let history = farFromBound;
        for (const [index, mib] of all.entries()) {
          const judged = judgeResident(history, mib * MIB, bound);
          const isOver = mib > 1_250 || (index >= 2 && all.slice(index - 2, index + 1).every((each) => each > 1_000));
          expect(judged.verdict === 'over').toBe(isOver);
          if (isOver) return;
          history = judged.history;
        }
      }),
    );
  });
});

describe('a watch over the memory of a process', () => {
  function watched() {
    const clock = manualClock();
    const said: string[] = [];
    const process: { mib: number | undefined } = { mib: 100 };
    const end = watchMemoryBound({
      clock,
      bound,
      resident: () => (process.mib === undefined ? undefined : process.mib * MIB),
      near: (bytes) => said.push(`near ${bytes / MIB}`),
      eased: (bytes) => said.push(`eased ${bytes / MIB}`),
      over: (bytes) => said.push(`over ${bytes / MIB}`),
    });
    return { clock, said, process, end };
  }

  it('reports each change once, and the end once', () => {
    const { clock, said, process } = watched();
    for (const mib of [850, 880, 600, 900, 1_100]) {
      process.mib = mib;
      clock.advance(5_000);
    }
    expect(said).toEqual(['near 850', 'eased 600', 'near 900', 'over 1100']);
  });

  it('continues while nothing can be measured, and measures nothing after its end', () => {
    const { clock, said, process, end } = watched();
    process.mib = undefined;
    clock.advance(60_000);
    end();
    process.mib = 2_000;
    clock.advance(60_000);
    expect(said).toEqual([]);
  });
});

describe('the memory report of a process', () => {
  const threads = [
    { thread: 'main', heapUsedBytes: 10 * MIB, externalBytes: 0 },
    { thread: 'pods-0', heapUsedBytes: 12 * MIB, externalBytes: 800 * MIB },
    { thread: 'job walkPods', heapUsedBytes: 100 * MIB, externalBytes: MIB },
  ];
  const waiting = [
    { thread: 'pods-0', kind: 'pod-worker', messages: 3 },
    { thread: 'node', kind: 'pod-manager', messages: 9_000 },
    { thread: 'cri', kind: 'cri-gateway', messages: 0 },
  ];

  it('is listed by thread, most first, with the fullest mailboxes', () => {
    expect(memoryHolders({ residentBytes: 1_100 * MIB, threads, silent: ['volumes'], waiting })).toEqual({
      most: 'pods-0 (heap 12 MiB, buffers 800 MiB)',
      threads: [
        'pods-0 (heap 12 MiB, buffers 800 MiB)',
        'job walkPods (heap 100 MiB, buffers 1 MiB)',
        'main (heap 10 MiB, buffers 0 MiB)',
        'volumes (does not answer)',
      ],
      mailboxes: ['pod-manager on node: 9000 messages', 'pod-worker on pods-0: 3 messages'],
      unaccountedMiB: 177,
    });
  });

  it('is attributed to silent threads when the others hold less than half', () => {
    const held = { residentBytes: 2_000 * MIB, threads, silent: ['volumes', 'node'], waiting: [] };
    expect(memoryHolders(held).most).toBe('volumes (does not answer), node (does not answer)');
  });
});
