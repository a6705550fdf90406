import { inTime } from '../actor/in-time.ts';
import type { Clock } from '../actor/clock.ts';
import type { Log } from '../actor/log.ts';
import { watchMemoryBound } from '../actor/insight/memory-bound.ts';
import { mebibytes, memoryHolders, type ThreadMemory, type WaitingMessages } from '../actor/insight/memory-holders.ts';
import { gaugeText } from '../actor/insight/metrics-text.ts';

export interface MemoryHoldingThread {
  readonly thread: string;
  /** Returns the memory of the thread. Answers also while the thread computes. Rejects when the thread has ended. */
  memory(): Promise<ThreadMemory>;
  /** Returns the waiting messages. Answers when the thread gets to it. */
  waiting(): Promise<readonly WaitingMessages[]>;
}

/** Threads of this process that can report their memory and be ended. */
export interface MemoryHoldingThreads {
  all(): readonly MemoryHoldingThread[];
  /** Ends all threads at once, without an orderly stop. */
  terminate(): Promise<void>;
}

export interface AgentMemoryDeps {
  readonly limitBytes: number;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly resident: () => number;
  readonly threads: MemoryHoldingThreads;
  /** Ends this process. `hanging`: a thread waits for the kernel and cannot be ended. */
  readonly end: (threads: 'ended' | 'hanging') => void;
}

/** Above this share of its limit the agent does not wait for a garbage collection. */
const AT_ONCE = 1.25;
const LOOKS_OVER = 3;
/** Short, because memory keeps growing meanwhile. */
const ANSWER_WITHIN_MS = 500;
const TERMINATED_WITHIN_MS = 1_000;

/**
 * Ends the agent when it exceeds its memory limit, before the machine runs short. The log names the largest holders.
 * Actors do not stop in order, because memory would keep growing meanwhile. The next agent takes over the running
 * containers, as after any crash. Returns a function that ends the watch.
 */
export function boundAgentMemory({ limitBytes, clock, log, resident, threads, end }: AgentMemoryDeps): () => void {
  const limitMiB = mebibytes(limitBytes);
  const over = async (residentBytes: number): Promise<void> => {
    const all = threads.all();
    const [memories, waiting] = await Promise.all([
      Promise.all(all.map((thread) => answerInTime(thread.memory(), clock))),
      Promise.all(all.map((thread) => answerInTime(thread.waiting(), clock))),
    ]);
    const { most, ...holders } = memoryHolders({
      residentBytes,
      threads: memories.filter((answer) => answer !== undefined),
      silent: all.flatMap(({ thread }, index) => (memories[index] === undefined ? [thread] : [])),
      waiting: waiting.flatMap((answer) => answer ?? []),
    });
    log.error(
      { residentMiB: mebibytes(residentBytes), limitMiB, ...holders },
      `agent holds ${mebibytes(residentBytes)} MiB of memory, limit ${limitMiB} MiB; ending this process, containers keep running. ` +
        `Largest holder: ${most}`,
    );
    let left: 'ended' | 'hanging' = 'hanging';
    const terminated = threads.terminate().then(() => (left = 'ended'));
    await inTime(terminated, { withinMs: TERMINATED_WITHIN_MS, clock });
    end(left);
  };
  return watchMemoryBound({
    clock,
    bound: { limitBytes, atOnceBytes: AT_ONCE * limitBytes, looksOver: LOOKS_OVER },
    resident,
    near: (bytes) =>
      log.warn(
        { residentMiB: mebibytes(bytes), limitMiB },
        'agent is near its memory limit; at the limit it ends and restarts, containers keep running',
      ),
    eased: (bytes) =>
      log.info({ residentMiB: mebibytes(bytes), limitMiB }, 'agent is well below its memory limit again'),
    over: (bytes) => void over(bytes),
  });
}

/** Resolves to `undefined` when there is no answer in time, or when the thread has ended. */
async function answerInTime<T>(answer: Promise<T>, clock: Clock): Promise<T | undefined> {
  let given: T | undefined;
  const taken = answer.then((value) => (given = value));
  await inTime(taken, { withinMs: ANSWER_WITHIN_MS, clock });
  return given;
}

/** Returns the memory and the memory limit of the process, as Prometheus text. */
export const agentMemoryText = (residentBytes: number, limitBytes: number | undefined): string =>
  gaugeText('process_resident_memory_bytes', 'Resident memory of the agent process.', residentBytes) +
  (limitBytes === undefined
    ? ''
    : gaugeText('process_memory_limit_bytes', 'Memory limit above which the agent process ends itself.', limitBytes));
