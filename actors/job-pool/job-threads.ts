import { Piscina } from 'piscina';
import type { Clock } from '../../src/actor/clock.ts';
import type { Log } from '../../src/actor/log.ts';
import type { HelperThreads } from '../../src/agent/kind.ts';
import type { JobLoss } from './protocol.ts';
import { messageOf } from '../../src/kube/text/message-of.ts';

export type JobName = 'parseManifests' | 'parsePodList' | 'volumeOrders' | 'walkPods';

export interface JobThreads extends HelperThreads {
  /** Rejects with `LostJob`, or with the job's own error. Always settles within the time limit of the job's kind. */
  readonly run: (job: JobName, input: unknown) => Promise<unknown>;
}

/** A job without an answer. */
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
  /** Time from question to answer. After this time the thread is ended, with all its jobs. */
  readonly withinMs: number;
  /** Heap limit in MB; a job that needs more loses its thread. Absent: the JavaScript engine's own limit. */
  readonly heapMb?: number;
}

const MOST_WAITING = 10_000;

export interface JobThreadsDeps {
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Job threads start when there is work and end after an idle time. Each kind of job has its own thread, so that a
 * hanging job delays no other kind.
 */
export function jobThreads(kinds: Readonly<Record<JobName, JobKind>>, { clock, log }: JobThreadsDeps): JobThreads {
  const pools = new Map<JobName, Piscina>();
  /** The ends of pools that were given up, while they last. */
  const ends = new Set<Promise<void>>();
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
      // A thread that dies while idle, or while it is ended, has no question to settle. An unhandled 'error' event
      // would end the process.
      pool.on('error', (error) =>
        log.warn({ job, err: String(error) }, 'an idle job thread died; the next job starts another'),
      );
      pools.set(job, pool);
    }
    return pool;
  };
  return {
    async run(job, input) {
      const { withinMs } = kinds[job];
      const pool = poolOf(job);
      let isLate = false;
      // Also covers an answer that arrives but cannot be deserialised: piscina never reports such an answer.
      const cancel = clock.after(withinMs, () => {
        isLate = true;
        // The next job finds a thread of a new pool. The old thread may hang in the kernel, and is not awaited. Piscina
        // could abort a single job, but gives each abortable job a thread of its own.
        if (pools.get(job) === pool) pools.delete(job);
        const end = pool.destroy();
        ends.add(end);
        void end.finally(() => ends.delete(end));
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
    ended: async () => void (await Promise.all(ends)),
  };
}

/** Piscina's messages for jobs that were not at fault; piscina has no error codes for them. */
const NOT_RUN: ReadonlySet<string> = new Set([
  'Terminating worker thread',
  'Task queue is at limit',
  'The task has been aborted',
]);
