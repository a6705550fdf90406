import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { Actor } from '../../src/actor/actor.ts';
import { assertNever } from '../../src/kube/assert-never.ts';
import type { JobOutcome, JobPoolProtocol, JobPoolQuestion } from './protocol.ts';

export type JobName = 'parseManifests' | 'parsePodList' | 'volumeOrders' | 'walkPods';

export interface JobPoolDeps {
  readonly run: (job: JobName, input: unknown) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** Lends other actors the pool of job threads. A job that dies with its thread is an answer; the pool goes on. */
export class JobPool implements Actor<JobPoolProtocol> {
  readonly #deps: JobPoolDeps;

  constructor(deps: JobPoolDeps) {
    this.#deps = deps;
  }

  tell(): void {}

  ask(question: JobPoolQuestion): Promise<JobOutcome<unknown>> {
    switch (question.type) {
      case 'parse-manifests':
        return this.#run('parseManifests', question.files);
      case 'parse-pod-list':
        return this.#run('parsePodList', question.list);
      case 'volume-orders':
        return this.#run('volumeOrders', question.orders);
      case 'walk-pods':
        return this.#run('walkPods', question.pods);
      default:
        return assertNever(question, 'question to the job pool');
    }
  }

  /** The job of this name answers as the protocol says; its type is checked where it is defined. */
  async #run(job: JobName, input: unknown): Promise<JobOutcome<unknown>> {
    try {
      return { ok: true, value: await this.#deps.run(job, input) };
    } catch (error) {
      return { ok: false, problem: error instanceof Error ? error.message : String(error) };
    }
  }
}

export interface JobThreads extends JobPoolDeps {
  /** Those that live just now, each with the job that it is for. */
  readonly threads: () => readonly (readonly [job: JobName, thread: Worker])[];
}

/** Where each job lives, and how many of them one thread may have under way. */
export type JobFiles = Readonly<Record<JobName, { readonly file: string; readonly atOncePerThread: number }>>;

/**
 * Job threads start when there is work and end when there was none for a while. Each kind of job has one of its own: what hangs
 * in one is no other's trouble.
 */
export function jobThreads(files: JobFiles): JobThreads {
  const pools = new Map<JobName, Piscina>();
  const poolOf = (job: JobName): Piscina => {
    const { file, atOncePerThread } = files[job];
    let pool = pools.get(job);
    if (pool === undefined) {
      pool = new Piscina({
        filename: file,
        minThreads: 0,
        maxThreads: 1,
        concurrentTasksPerWorker: atOncePerThread,
        maxQueue: 10_000,
        idleTimeout: 5_000,
        recordTiming: false,
      });
      pools.set(job, pool);
    }
    return pool;
  };
  return {
    run: (job, input) => poolOf(job).run(input, { name: job }),
    threads: () => [...pools].flatMap(([job, pool]) => pool.threads.map((thread) => [job, thread] as const)),
    close: async () => void (await Promise.all([...pools.values()].map((pool) => pool.destroy()))),
  };
}
