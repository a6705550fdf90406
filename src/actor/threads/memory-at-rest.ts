import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../clock.ts';

/** What a thread has used and holds, taken once a second. */
export interface MemoryLook {
  /** CPU time of the thread since its start. */
  readonly cpuMs: number;
  /** What its heap occupies: what is in use, what is garbage, and room for more. */
  readonly heapBytes: number;
  /** Share of the time since the look before in which it had work, whether it got on with it or not. */
  readonly busy: number;
  /** Share of a core that it used in that time. */
  readonly cpuShare: number;
}

/** What is known from one look to the next. */
export interface MemoryHistory {
  /** Looks one after the other at which the thread was at rest. */
  readonly quiet: number;
  /** CPU time and heap right after it was tidied up last, and what that cost. */
  readonly cpuMs: number;
  readonly heapBytes: number;
  readonly costMs: number;
}

export const neverTidied: MemoryHistory = { quiet: 0, cpuMs: 0, heapBytes: 0, costMs: 0 };

/**
 * A thread that works this much or less is at rest: relists and heartbeats go on for ever. On a machine with too much to do they
 * take long, so that having work says little; but there a thread in the middle of a burst uses little CPU too.
 */
const atRest = ({ busy, cpuShare }: MemoryLook): boolean => cpuShare <= 0.1 && busy <= 0.5;
const QUIET_LOOKS = 2;
/** Less than this is not worth the effort. */
const WORTH_BYTES = 3 * 1024 * 1024;
/**
 * A thread has worked this many times as long as tidying up costs, so that it is never more than some percent of all it does. Of
 * that cost only the part of the thread itself is known: what helps it from outside uses as much again.
 */
const WORK_PER_COST = 20;

/** What is known after this look; and whether now is the time to give memory back. */
export function judgeMemory(history: MemoryHistory, look: MemoryLook): readonly [MemoryHistory, tidy: boolean] {
  const quiet = atRest(look) ? history.quiet + 1 : 0;
  const grown = look.heapBytes - history.heapBytes >= WORTH_BYTES;
  const earned = look.cpuMs - history.cpuMs >= WORK_PER_COST * history.costMs;
  return [{ ...history, quiet }, quiet >= QUIET_LOOKS && grown && earned];
}

export interface MemorySeams {
  readonly clock: Clock;
  look(): MemoryLook;
  /** Collects all garbage of this thread and gives the pages back. Blocks it meanwhile. */
  tidy(): void;
}

const EVERY_MS = 1_000;

/**
 * Gives back what a burst of work has left behind once the thread is at rest. V8 by itself keeps its garbage until it needs the
 * room, which on a node at rest is never: every thread would hold for ever what it once needed in its busiest second.
 * Returns what ends it.
 */
export function tidyMemoryAtRest(seams: MemorySeams): () => void {
  let history = neverTidied;
  let cancel = (): void => {};
  const again = (): void => {
    const before = seams.look();
    const [next, now] = judgeMemory(history, before);
    history = next;
    if (now) {
      seams.tidy();
      const after = seams.look();
      history = { quiet: 0, cpuMs: after.cpuMs, heapBytes: after.heapBytes, costMs: after.cpuMs - before.cpuMs };
    }
    cancel = seams.clock.after(EVERY_MS, again);
  };
  cancel = seams.clock.after(EVERY_MS, again);
  return () => cancel();
}

/** The same for the thread it is called on. */
export function threadMemory(clock: Clock): MemorySeams {
  let loop = performance.eventLoopUtilization();
  let before = { cpuMs: 0, at: clock.monotonic() };
  return {
    clock,
    look() {
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
 * For the whole process, before it has threads. V8's own way of giving memory back collects a heap at rest again and again, and
 * finds nothing behind this one: half of all that a node full of pods does when nothing happens.
 */
export const tidyAlone = (): void => setFlagsFromString('--no-memory-reducer');

type Collect = (how: { readonly type: 'major'; readonly execution: 'sync'; readonly flavor: 'last-resort' }) => void;

/**
 * Of all ways V8 has, the one that also shrinks the room for young objects. It is lent to new contexts only, hence one each time.
 * What is compiled stays: of a thread that has not begun to work it would be the code of all its work.
 */
function collectAllGarbage(): void {
  for (const flag of ['--expose-gc', '--no-flush-bytecode']) setFlagsFromString(flag);
  (runInNewContext('gc') as Collect)({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
