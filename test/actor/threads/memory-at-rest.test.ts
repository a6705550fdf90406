import { describe, expect, it } from 'vitest';
import {
  judgeMemory,
  neverTidied,
  tidyMemoryAtRest,
  type MemoryHistory,
  type MemorySample,
} from '../../../src/actor/threads/memory-at-rest.ts';
import { manualClock } from '../../support/manual-clock.ts';

const MIB = 1024 * 1024;
const quietOnce: MemoryHistory = { quiet: 1, cpuMs: 1_000, heapBytes: 20 * MIB, costMs: 50 };
const sample: MemorySample = { cpuMs: 2_000, heapBytes: 40 * MIB, busy: 0.01, cpuShare: 0.01 };

describe('when a thread gives memory back', () => {
  it.each([
    { when: 'it is idle, has grown, and has worked enough to justify the cost', tidy: true },
    { when: 'it is busy', sample: { cpuShare: 0.3 }, tidy: false },
    { when: 'it has work but gets no CPU time', sample: { busy: 0.9 }, tidy: false },
    { when: 'its little work takes long on a busy machine', sample: { busy: 0.4 }, tidy: true },
    { when: 'it has only just become idle', history: { quiet: 0 }, tidy: false },
    { when: 'it has hardly grown since the last time', sample: { heapBytes: 22 * MIB }, tidy: false },
    { when: 'it has shrunk since the last time', sample: { heapBytes: 10 * MIB }, tidy: false },
    { when: 'it has worked too little since the last time', sample: { cpuMs: 1_300 }, tidy: false },
    { when: 'memory was never given back, and it is idle', history: { ...neverTidied, quiet: 1 }, tidy: true },
  ])('$when: $tidy', ({ history, sample: other, tidy }) => {
    expect(judgeMemory({ ...quietOnce, ...history }, { ...sample, ...other })[1]).toBe(tidy);
  });

  it('counts idle samples from zero after work', () => {
    const [afterWork] = judgeMemory(quietOnce, { ...sample, busy: 0.9 });
    expect(judgeMemory(afterWork, sample)[1]).toBe(false);
  });
});

describe('a thread that gives memory back', () => {
  it('does so once after a burst, and not again while it has only periodic work', () => {
    const clock = manualClock();
    const thread = { cpuMs: 3_000, heapBytes: 60 * MIB, busy: 0, cpuShare: 0 };
    let times = 0;
    const end = tidyMemoryAtRest({
      clock,
      sample: () => ({ ...thread, cpuMs: (thread.cpuMs += 1), heapBytes: (thread.heapBytes += MIB / 10) }),
      tidy() {
        times++;
        thread.cpuMs += 40;
        thread.heapBytes = 15 * MIB;
      },
    });
    clock.advance(120_000);
    expect(times).toBe(1);
    thread.cpuMs += 900;
    clock.advance(5_000);
    expect(times).toBe(2);
    end();
    thread.heapBytes = 90 * MIB;
    thread.cpuMs += 5_000;
    clock.advance(60_000);
    expect(times).toBe(2);
  });
});
