import { Piscina } from 'piscina';
import type { Actor } from '../../src/actor/actor.ts';
import type { JobOutcome, JobPoolProtocol, JobPoolQuestion, ParseOutcome } from './protocol.ts';

export interface JobPoolDeps {
  readonly run: (job: 'parseManifests', input: unknown) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

/** Lends other actors the pool of job threads. A job that dies with its thread is an answer; the pool goes on. */
export class JobPool implements Actor<JobPoolProtocol> {
  readonly #deps: JobPoolDeps;

  constructor(deps: JobPoolDeps) {
    this.#deps = deps;
  }

  tell(): void {}

  async ask({ files }: JobPoolQuestion): Promise<JobOutcome<readonly ParseOutcome[]>> {
    try {
      // The job of this name answers so; its type is checked where it is defined.
      return { ok: true, value: (await this.#deps.run('parseManifests', files)) as readonly ParseOutcome[] };
    } catch (error) {
      return { ok: false, problem: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** Job threads start when there is work and end when there was none for a while. */
export function jobThreads(file: string, threads: number): JobPoolDeps {
  const pool = new Piscina({
    filename: file,
    minThreads: 0,
    maxThreads: threads,
    maxQueue: 10_000,
    idleTimeout: 5_000,
    recordTiming: false,
  });
  return { run: (job, input) => pool.run(input, { name: job }), close: () => pool.destroy() };
}
