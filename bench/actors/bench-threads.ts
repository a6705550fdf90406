import { addressOf } from '../../src/actor/messages/message.ts';
import type { SupervisorReport } from '../../src/actor/supervision/child.ts';
import { ThreadHost } from '../../src/actor/thread-host.ts';
import { ThreadSupervisor } from '../../src/actor/threads/thread-supervisor.ts';
import { workerThreads } from '../../src/actor/threads/worker-thread.ts';
import { benchChild, benchEnvironment, type CounterProtocol, podUid, type SourceProtocol } from './bench-actors.ts';

const keepTrying = {
  budget: { atMost: 1, withinMs: 1 },
  backOff: { initialMs: 0, maxMs: 0 },
  whenSpent: 'keep-trying',
} as const;

/** A main thread and a worker with an actor each that counts messages, as the agent would run them. */
export class BenchThreads {
  readonly host: ThreadHost;
  readonly supervisor: ThreadSupervisor;
  #done: () => void = () => {};
  #judged: () => void = () => {};

  constructor() {
    const common = benchEnvironment(() => this.#done());
    const fail = (reason: string): void => {
      throw new Error(reason);
    };
    const report = ({ child }: SupervisorReport): void => (child === 'thread/worker' ? this.#judged() : undefined);
    this.host = new ThreadHost({ ...common, thread: 'main', life: 1, report, escalate: fail });
    this.supervisor = new ThreadSupervisor({
      ...common,
      threads: [{ name: 'worker', children: [benchChild('counter/worker')], restart: keepTrying, heapLimitMiB: 256 }],
      maker: workerThreads(new URL('worker.ts', import.meta.url)),
      config: undefined,
      mainHost: this.host,
      heartbeatBudgetMs: 10_000,
      report,
      giveUp: fail,
    });
  }

  async start(): Promise<void> {
    for (const address of ['counter/main', 'source']) await this.host.startActor(benchChild(address));
    await this.supervisor.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.supervisor.stop();
  }

  /** Resolves when all of them have been read. */
  async tell(job: Omit<SourceProtocol['command'] & { readonly type: 'tell' }, 'type'>): Promise<void> {
    const finished = new Promise<void>((resolve) => (this.#done = resolve));
    this.host.ref(addressOf<SourceProtocol>('source')).tell({ type: 'tell', ...job });
    await finished;
  }

  ask(to: string): Promise<number> {
    return this.host.ref(addressOf<CounterProtocol>(to)).ask({ type: 'what', podUid }, { deadlineMs: 60_000 });
  }

  /** Ends the worker thread, and resolves with the time until its actor answers again. */
  async restartWorker(): Promise<number> {
    const judged = new Promise<void>((resolve) => (this.#judged = resolve));
    const begun = performance.now();
    void this.supervisor.thread('worker')?.terminate();
    await judged;
    await this.ask('counter/worker');
    return performance.now() - begun;
  }
}
