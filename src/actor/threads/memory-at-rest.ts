import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../clock.ts';

/** A thread's CPU use and memory, measured once a second. */
export interface MemorySample {
  /** CPU time of the thread since its start. */
  readonly cpuMs: number;
  /** Size of its heap: memory in use, garbage, and room for more. */
  readonly heapBytes: number;
  /** Share of the time since the previous sample in which the thread had work, whether or not it made progress. */
  readonly busy: number;
  /** Share of a core that the thread used in that time. */
  readonly cpuShare: number;
}

/** State kept from one sample to the next. */
export interface MemoryHistory {
  /** Consecutive samples at which the thread was at rest. */
  readonly quiet: number;
  /** CPU time and heap right after the last collection, and the CPU cost of that collection. */
  readonly cpuMs: number;
  readonly heapBytes: number;
  readonly costMs: number;
}

export const neverTidied: MemoryHistory = { quiet: 0, cpuMs: 0, heapBytes: 0, costMs: 0 };

/**
 * A thread that works this little is at rest: relists and heartbeats never end. On an overloaded machine they take
 * long, so the time with work means little. But there a thread in the middle of a burst uses little CPU too.
 */
const atRest = ({ busy, cpuShare }: MemorySample): boolean => cpuShare <= 0.1 && busy <= 0.5;
const QUIET_LOOKS = 2;
/** Less memory than this is not worth the effort. */
const WORTH_BYTES = 3 * 1024 * 1024;
/**
 * A thread must work this many times as long as a collection costs, so that collections stay at some percent of its
 * work. Only the thread's own part of that cost is known; V8's helper threads use as much again.
 */
const WORK_PER_COST = 20;

/** Returns the state after this sample, and `true` if memory should be given back now. */
export function judgeMemory(history: MemoryHistory, sample: MemorySample): readonly [MemoryHistory, tidy: boolean] {
  const quiet = atRest(sample) ? history.quiet + 1 : 0;
  const grown = sample.heapBytes - history.heapBytes >= WORTH_BYTES;
  const earned = sample.cpuMs - history.cpuMs >= WORK_PER_COST * history.costMs;
  return [{ ...history, quiet }, quiet >= QUIET_LOOKS && grown && earned];
}

export interface MemorySeams {
  readonly clock: Clock;
  sample(): MemorySample;
  /** Collects all garbage of this thread and gives the pages back. Blocks the thread meanwhile. */
  tidy(): void;
}

const EVERY_MS = 1_000;

/**
 * Frees the memory that a burst of work has left behind, once the thread is at rest. V8 alone keeps its garbage until
 * it needs the space. On a node at rest that never happens: every thread would hold for ever what its busiest second
 * needed. Returns a function that ends this.
 */
export function tidyMemoryAtRest(seams: MemorySeams): () => void {
  let history = neverTidied;
  let cancel = (): void => {};
  const again = (): void => {
    const before = seams.sample();
    const [next, now] = judgeMemory(history, before);
    history = next;
    if (now) {
      seams.tidy();
      const after = seams.sample();
      history = { quiet: 0, cpuMs: after.cpuMs, heapBytes: after.heapBytes, costMs: after.cpuMs - before.cpuMs };
    }
    cancel = seams.clock.after(EVERY_MS, again);
  };
  cancel = seams.clock.after(EVERY_MS, again);
  return () => cancel();
}

/** Returns the same seams for the calling thread. */
export function threadMemory(clock: Clock): MemorySeams {
  let loop = performance.eventLoopUtilization();
  let before = { cpuMs: 0, at: clock.monotonic() };
  return {
    clock,
    sample() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, loop);
      loop = now;
      const { user, system } = process.threadCpuUsage();
      const cpuMs = (user + system) / 1000;
      const at = clock.monotonic();
      const cpuShare = (cpuMs - before.cpuMs) / Math.max(1, at - before.at);
      before = { cpuMs, at };
      return { cpuMs, heapBytes: getHeapStatistics().total_physical_size, busy: utilization, cpuShare };
    },
    tidy: collectAllGarbage,
  };
}

/**
 * Turns off V8's own memory reducer for the whole process. Call before there are threads. The reducer collects an idle
 * heap repeatedly and finds nothing after this module's collection. That is half the work of an idle node full of pods.
 */
export const tidyAlone = (): void => setFlagsFromString('--no-memory-reducer');

type Collect = (how: { readonly type: 'major'; readonly execution: 'sync'; readonly flavor: 'last-resort' }) => void;

/**
 * This is the only way in V8 that also shrinks the room for young objects. It is available to new contexts only, so
 * each call makes one. Compiled code stays: a thread that has not begun its work would otherwise lose all of it.
 */
function collectAllGarbage(): void {
  for (const flag of ['--expose-gc', '--no-flush-bytecode']) setFlagsFromString(flag);
  // The flag above makes this function a global of new contexts.
  (runInNewContext('gc') as Collect)({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
