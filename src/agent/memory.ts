import { inTime } from '../actor/in-time.ts';
import type { Clock } from '../actor/clock.ts';
import type { Log } from '../actor/log.ts';
import { watchMemoryBound } from '../actor/insight/memory-bound.ts';
import { mebibytes, memoryHolders, type ThreadMemory, type WaitingMessages } from '../actor/insight/memory-holders.ts';
import { gaugeText } from '../actor/insight/metrics-text.ts';

export interface MemoryHoldingThread {
  readonly thread: string;
  /** Answers also while the thread computes. Rejects when the thread has ended. */
  memory(): Promise<ThreadMemory>;
  /** Answers when the thread comes to it. */
  waiting(): Promise<readonly WaitingMessages[]>;
}

/** Threads of this process that can be asked what they hold, and ended. */
export interface MemoryHoldingThreads {
  all(): readonly MemoryHoldingThread[];
  /** Ends all threads as they are. */
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

/** Beyond this share of its limit the agent does not wait for garbage to be collected. */
const AT_ONCE = 1.25;
const LOOKS_OVER = 3;
/** Whatever grows goes on growing meanwhile. */
const ANSWER_WITHIN_MS = 500;
const TERMINATED_WITHIN_MS = 1_000;

/**
 * Ends the agent when it holds more memory than it may, before the machine is short of it. The log says what holds the memory. Nothing is
 * stopped in order: what grows would grow on meanwhile, and the next agent takes over what runs, as after any crash.
 * Returns what ends the watch.
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
      `agent holds ${mebibytes(residentBytes)} MiB, and may hold ${limitMiB}; ending this process, containers run on. ` +
        `Most is held by ${most}`,
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
        'agent comes near its memory limit, at which it ends; containers would run on',
      ),
    eased: (bytes) =>
      log.info({ residentMiB: mebibytes(bytes), limitMiB }, 'agent is well below its memory limit again'),
    over: (bytes) => void over(bytes),
  });
}

/** `undefined` when there is no answer in time, or the thread has ended. */
async function answerInTime<T>(answer: Promise<T>, clock: Clock): Promise<T | undefined> {
  let given: T | undefined;
  const taken = answer.then((value) => (given = value));
  await inTime(taken, { withinMs: ANSWER_WITHIN_MS, clock });
  return given;
}

/** What the process holds and may hold, as Prometheus text. */
export const agentMemoryText = (residentBytes: number, limitBytes: number | undefined): string =>
  gaugeText('process_resident_memory_bytes', 'Memory of the whole agent process that is in use.', residentBytes) +
  (limitBytes === undefined
    ? ''
    : gaugeText('process_memory_limit_bytes', 'Memory above which the agent process ends itself.', limitBytes));
