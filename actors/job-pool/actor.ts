import type { Actor } from '../../src/actor/actor.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { LostJob, type JobName, type JobThreads } from './job-threads.ts';
import type { JobOutcome, JobPoolProtocol, JobPoolQuestion } from './protocol.ts';
import { messageOf } from '../../src/kube/text/message-of.ts';

/** Lends other actors the pool of job threads. A job that dies with its thread is an answer; the pool goes on. */
export class JobPool implements Actor<JobPoolProtocol> {
  readonly #threads: JobThreads;

  constructor(threads: JobThreads) {
    this.#threads = threads;
  }

  tell(): void {}

  /** The agent stops: no job is wanted any more. */
  stop(): Promise<void> {
    return this.#threads.close();
  }

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
      return { ok: true, value: await this.#threads.run(job, input) };
    } catch (error) {
      const loss = error instanceof LostJob ? error.loss : 'failed';
      return { ok: false, loss, problem: messageOf(error) };
    }
  }
}
