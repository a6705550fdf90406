import { Piscina } from 'piscina';
import type { Clock } from '../../src/actor/clock.ts';
import type { Log } from '../../src/actor/log.ts';
import type { HelperThreads } from '../../src/agent/kind.ts';
import type { JobLoss } from './protocol.ts';
import { messageOf } from '../../src/kube/text/message-of.ts';

export type JobName = 'parseManifests' | 'parsePodList' | 'volumeOrders' | 'walkPods';

export interface JobThreads extends HelperThreads {
  /** Rejects with `LostJob`, or with what the job threw. Always settles within the time of the job's kind. */
  readonly run: (job: JobName, input: unknown) => Promise<unknown>;
}

/** Says that a job has no answer. */
export class LostJob extends Error {
  readonly loss: JobLoss;

  constructor(loss: JobLoss, message: string, cause?: unknown) {
    super(message, { cause });
    this.loss = loss;
  }
}

export interface JobKind {
  readonly file: string;
  /** How many jobs one thread may have under way. */
  readonly atOncePerThread: number;
  /** From the question to the answer. After it the thread is ended, and with it all that it has under way. */
  readonly withinMs: number;
  /** A job that needs more loses its thread. Without it: as much as the JavaScript engine takes. */
  readonly heapMb?: number;
}

const MOST_WAITING = 10_000;

export interface JobThreadsDeps {
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Job threads start when there is work and end when there was none for a while. Each kind of job has one of its own: what hangs
 * in one is no other's trouble.
 */
export function jobThreads(kinds: Readonly<Record<JobName, JobKind>>, { clock, log }: JobThreadsDeps): JobThreads {
  const pools = new Map<JobName, Piscina>();
  const poolOf = (job: JobName): Piscina => {
    const { file, atOncePerThread, heapMb } = kinds[job];
    let pool = pools.get(job);
    if (pool === undefined) {
      pool = new Piscina({
        filename: file,
        minThreads: 0,
        maxThreads: 1,
        concurrentTasksPerWorker: atOncePerThread,
        maxQueue: MOST_WAITING,
        idleTimeout: 5_000,
        recordTiming: false,
        ...(heapMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: heapMb } }),
      });
      // A thread that dies while it is idle, or is being ended, has no question to settle. Unheard it would end the process.
      pool.on('error', (error) => log.warn({ job, err: String(error) }, 'a job thread died without a job'));
      pools.set(job, pool);
    }
    return pool;
  };
  return {
    async run(job, input) {
      const { withinMs } = kinds[job];
      const pool = poolOf(job);
      let isLate = false;
      // Also for an answer that arrives and cannot be taken in: of that, nothing else is ever heard.
      const cancel = clock.after(withinMs, () => {
        isLate = true;
        // The next job finds a thread of a new pool. This one may hang in the kernel, and is not waited for. Piscina could end
        // a single job; but then it gives such a job a thread of its own.
        if (pools.get(job) === pool) pools.delete(job);
        void pool.destroy();
      });
      try {
        return await pool.run(input, { name: job });
      } catch (error) {
        const message = messageOf(error);
        if (isLate) throw new LostJob('too-long', `the job ${job} took longer than ${withinMs / 1000} s`, error);
        if (NOT_RUN.has(message)) throw new LostJob('not-run', `the job ${job} was not run: ${message}`, error);
        throw new LostJob('failed', `the job ${job} failed: ${message}`, error);
      } finally {
        cancel();
      }
    },
    threads: () => [...pools].flatMap(([job, pool]) => pool.threads.map((thread) => [`job ${job}`, thread] as const)),
    close: async () => void (await Promise.all([...pools.values()].map((pool) => pool.destroy()))),
  };
}

/** How piscina says that a job was not at fault: it has no codes for that. */
const NOT_RUN: ReadonlySet<string> = new Set([
  'Terminating worker thread',
  'Task queue is at limit',
  'The task has been aborted',
]);
