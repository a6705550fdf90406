import type { SupervisorReport } from '../../src/actor/supervision/child.ts';
import { systemClock } from '../../src/actor/clock.ts';
import { ActorFault } from '../../src/actor/fault.ts';
import { silentLog } from '../../src/actor/log.ts';
import { seededRandom } from '../../src/actor/random.ts';
import type { RestartRule } from '../../src/actor/supervision/restart-budget.ts';
import type { Provocation } from '../../src/actor/threads/thread-control.ts';
import { ThreadHost } from '../../src/actor/thread-host.ts';
import { ThreadSupervisor } from '../../src/actor/threads/thread-supervisor.ts';
import { workerThreads } from '../../src/actor/threads/worker-thread.ts';
import { diaryAddress, fixtureChild, fixtureKind, fixturePlacement, type FixtureProtocol } from './fixture-actors.ts';

/** A log of events, with a way to await the first event that matches, past or future. */
export class Happenings<T> {
  readonly all: T[] = [];
  #waiting: { readonly fits: (each: T) => boolean; readonly resolve: (each: T) => void }[] = [];

  add(happened: T): void {
    this.all.push(happened);
    const fitting = this.#waiting.filter(({ fits }) => fits(happened));
    this.#waiting = this.#waiting.filter((one) => !fitting.includes(one));
    for (const { resolve } of fitting) resolve(happened);
  }

  until(fits: (each: T) => boolean): Promise<T> {
    const already = this.all.find(fits);
    if (already !== undefined) return Promise.resolve(already);
    return new Promise((resolve) => this.#waiting.push({ fits, resolve }));
  }
}

export interface FixtureThreadsOptions {
  readonly restart?: RestartRule;
  readonly heartbeatBudgetMs?: number;
  readonly config?: string;
  readonly externalLimitMiB?: number;
}

/** Real threads `a` and `b` with two actors each, and the main thread with an actor that records a diary. */
export class FixtureThreads {
  readonly supervisor: ThreadSupervisor;
  readonly host: ThreadHost;
  readonly diary = new Happenings<string>();
  readonly #notes: { readonly text: string; readonly at: number }[] = [];
  readonly reports = new Happenings<SupervisorReport>();
  readonly givenUp = new Happenings<string>();

  constructor(options: FixtureThreadsOptions = {}) {
    const common = { clock: systemClock, random: seededRandom(1), log: silentLog };
    const report = (each: SupervisorReport): void => this.reports.add(each);
    this.host = new ThreadHost({
      ...common,
      thread: 'main',
      life: 1,
      kinds: {
        fixture: fixtureKind((text, at) => {
          this.#notes.push({ text, at });
          this.diary.add(text);
        }),
      },
      placement: fixturePlacement,
      report,
      escalate: (child) => this.givenUp.add(child),
    });
    const keepTrying: RestartRule = {
      budget: { atMost: 3, withinMs: 60_000 },
      backOff: { initialMs: 1, maxMs: 2 },
      whenSpent: 'keep-trying',
    };
    this.supervisor = new ThreadSupervisor({
      ...common,
      threads: ['a', 'b'].map((name) => ({
        name,
        children: [1, 2].map((n) => fixtureChild(`fixture/${name}/${n}`)),
        restart: options.restart ?? keepTrying,
        heapLimitMiB: 32,
        ...(options.externalLimitMiB === undefined ? {} : { externalLimitMiB: options.externalLimitMiB }),
      })),
      maker: workerThreads(new URL('fixture-thread.ts', import.meta.url)),
      config: options.config,
      mainHost: this.host,
      heartbeatBudgetMs: options.heartbeatBudgetMs ?? 10_000,
      report,
      giveUp: (reason) => this.givenUp.add(reason),
    });
  }

  /** The diary in the order of events, whatever the order of arrival. */
  get chronicle(): readonly string[] {
    return this.#notes.toSorted((one, other) => one.at - other.at).map(({ text }) => text);
  }

  async start(): Promise<void> {
    await this.host.startActor(fixtureChild(diaryAddress));
    await this.supervisor.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.supervisor.stop();
  }

  tell(to: string, command: FixtureProtocol['command']): void {
    this.host.tell(to, command);
  }

  /** A fault resolves to its code. */
  ask(to: string, question: FixtureProtocol['question']): Promise<unknown> {
    return this.host
      .ask(to, question, 10_000)
      .catch((fault: unknown) => (fault instanceof ActorFault ? fault.code : fault));
  }

  async incarnationOf(address: string): Promise<number> {
    // The protocol defines the answer to `who`.
    const answer = (await this.ask(address, { type: 'who' })) as FixtureProtocol['answers']['who'];
    return answer.incarnation;
  }

  /** Makes a thread fail, and resolves when the root supervisor has judged it for the `time`-th time. */
  async provoke(
    thread: string,
    how: Provocation | 'eat-all-memory' | 'forget-a-promise',
    time = 1,
  ): Promise<SupervisorReport> {
    const lived = this.supervisor.thread(thread)?.life ?? 0;
    if (how === 'eat-all-memory' || how === 'forget-a-promise') this.tell(`fixture/${thread}/1`, { type: how });
    // A thread that exits or hangs never answers this.
    else
      this.supervisor
        .thread(thread)
        ?.call((control) => control.provoke(how))
        .catch(() => {});
    return this.reports.until(
      ({ child, incarnation }) => child === `thread/${thread}` && incarnation >= Math.max(lived, time),
    );
  }
}
