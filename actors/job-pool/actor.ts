import type { Actor } from '../../src/actor/actor.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { LostJob, type JobName, type JobThreads } from './job-threads.ts';
import type { JobOutcome, JobPoolProtocol, JobPoolQuestion } from './protocol.ts';
import { messageOf } from '../../src/kube/text/message-of.ts';

/** Runs jobs of other actors on job threads. The loss of a job with its thread is an answer; the pool continues. */
export class JobPool implements Actor<JobPoolProtocol> {
  readonly #threads: JobThreads;

  constructor(threads: JobThreads) {
    this.#threads = threads;
  }

  tell(): void {}

  /** The agent stops: no job is needed any more. */
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

  /** The job's answer has the type that the protocol declares; the type is checked where the job is defined. */
  async #run(job: JobName, input: unknown): Promise<JobOutcome<unknown>> {
    try {
      return { ok: true, value: await this.#threads.run(job, input) };
    } catch (error) {
      const loss = error instanceof LostJob ? error.loss : 'failed';
      return { ok: false, loss, problem: messageOf(error) };
    }
  }
}
