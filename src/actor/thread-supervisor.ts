import { MessageChannel } from 'node:worker_threads';
import type { ChildSpec, SupervisorReport } from './child.ts';
import { ScopedClock, type Clock } from './clock.ts';
import { describeError } from './fault.ts';
import { portChannel } from './link.ts';
import type { Address } from './message.ts';
import type { Log } from './log.ts';
import type { Random } from './random.ts';
import { afterCrash, type CrashHistory, type RestartRule } from './restart-budget.ts';
import type { ThreadFigures } from './thread-control.ts';
import type { ThreadHost } from './thread-host.ts';
import { WorkerThread } from './worker-thread.ts';

/** One worker thread of the agent and the actors that always live there, as data. */
export interface ThreadSpec {
  readonly name: string;
  /** Started in this order, stopped in reverse. */
  readonly actors: readonly ChildSpec[];
  readonly restart: RestartRule;
  readonly heapLimitMiB: number;
}

export interface ThreadSupervisorOptions {
  /** Started in this order, stopped in reverse. */
  readonly threads: readonly ThreadSpec[];
  /** The file every thread starts with. */
  readonly entry: URL;
  /** Plain data handed to every thread. */
  readonly config: unknown;
  /** The main thread's own host: a peer of all others. */
  readonly mainHost: ThreadHost;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** A thread that does not answer for this long is ended and replaced. */
  readonly heartbeatBudgetMs: number;
  readonly report: (report: SupervisorReport) => void;
  /** A thread cannot be kept alive. The process is to end; the launcher starts it anew. */
  readonly giveUp: (reason: string) => void;
}

const HEARTBEAT_EVERY_MS = 1_000;
/** A new thread loads its modules before it can answer, which takes its time on a busy machine. */
const FIRST_ANSWER_WITHIN_MS = 30_000;

/** V8 would let each thread's nursery grow to three times this before it tidies up; with many threads that is most of the memory. */
const YOUNG_GENERATION_MIB = 8;

interface Seat {
  readonly spec: ThreadSpec;
  life: number;
  thread: WorkerThread | undefined;
  crashes: CrashHistory;
  /** Its actors run: an end before that is a death while booting. */
  ready: boolean;
  /** Why the supervisor itself ended the thread; the exit code alone would not tell. */
  verdict: string | undefined;
}

/**
 * The root supervisor: starts the worker threads, brokers one channel per pair of them, and replaces a thread that ends,
 * hangs or cannot keep its actors alive. It does no pod work.
 */
export class ThreadSupervisor {
  readonly #options: ThreadSupervisorOptions;
  readonly #seats: readonly Seat[];
  readonly #clock: ScopedClock;
  /** While the first start is under way: a thread has ended. */
  #failStart: ((reason: Error) => void) | undefined;
  #stopping = false;

  constructor(options: ThreadSupervisorOptions) {
    this.#options = options;
    this.#clock = new ScopedClock(options.clock);
    this.#seats = options.threads.map((spec) => ({
      spec,
      life: 0,
      thread: undefined,
      crashes: [],
      ready: false,
      verdict: undefined,
    }));
  }

  /** Resolves when every thread runs its actors. Rejects when one dies while booting: a first start is not retried. */
  async start(): Promise<void> {
    const failed = Promise.withResolvers<never>();
    this.#failStart = failed.reject;
    await Promise.race([this.#startAll(), failed.promise]);
    this.#failStart = undefined;
    for (const seat of this.#seats) seat.ready = true;
  }

  async #startAll(): Promise<void> {
    for (const seat of this.#seats) this.#spawn(seat);
    await this.#connectAll();
    for (const seat of this.#seats) await seat.thread?.call((control) => control.startActors());
  }

  /** Stops actors in reverse order of their start, thread by thread, then the threads. Also after a start that failed. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const seat of this.#seats.toReversed()) {
      const { thread } = seat;
      if (thread === undefined || thread.over) continue;
      try {
        await thread.call((control) => control.stopActors());
      } catch (reason) {
        this.#options.log.warn(
          { thread: thread.name, err: describeError(reason) },
          'thread ended before its actors had stopped',
        );
      }
    }
    // Their last words left before the answer just read, on ports of their own: one more look at all ports finds them.
    for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
    for (const seat of this.#seats) this.#options.mainHost.disconnect(seat.spec.name);
    await Promise.all(this.#seats.map((seat) => seat.thread?.terminate() ?? Promise.resolve()));
    this.#clock.cancelAll();
  }

  /** The thread of this name, while it lives. */
  thread(name: string): WorkerThread | undefined {
    return this.#seats.find((seat) => seat.spec.name === name)?.thread;
  }

  /** Makes an actor crash, wherever it lives. False: there is none at this address. */
  async crashActor(address: Address, reason: string): Promise<boolean> {
    const { mainHost } = this.#options;
    if (mainHost.crashActor(address, new Error(reason))) return true;
    const asked = await Promise.all(
      this.#seats.map(
        (seat) => seat.thread?.call((control) => control.crashActor(address, reason)) ?? Promise.resolve(false),
      ),
    );
    return asked.includes(true);
  }

  async figures(): Promise<readonly ThreadFigures[]> {
    const all = await Promise.allSettled(this.#seats.map((seat) => this.#ask(seat)));
    return all.flatMap((figures) => (figures.status === 'fulfilled' ? [figures.value] : []));
  }

  async metrics(): Promise<string> {
    const all = await Promise.allSettled(
      this.#seats.map((seat) => seat.thread?.call((control) => control.metrics()) ?? Promise.resolve('')),
    );
    return all.map((text) => (text.status === 'fulfilled' ? text.value : '')).join('');
  }

  #ask(seat: Seat): Promise<ThreadFigures> {
    const { thread } = seat;
    if (thread === undefined) return Promise.reject(new Error(`thread ${seat.spec.name} is being restarted`));
    return thread.call((control) => control.figures());
  }

  #spawn(seat: Seat): WorkerThread {
    const { entry, config, report } = this.#options;
    seat.life++;
    seat.verdict = undefined;
    seat.ready = false;
    const { name, actors, heapLimitMiB } = seat.spec;
    const thread: WorkerThread = new WorkerThread(
      { thread: name, life: seat.life, entry, actors, config },
      { maxOldGenerationSizeMb: heapLimitMiB, maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
      { report, escalate: (child, reason) => this.#end(seat, thread, `${child} could not be kept alive: ${reason}`) },
    );
    seat.thread = thread;
    void thread.ended.then((reason) => this.#ended(seat, thread, reason));
    this.#watchOver(seat, thread);
    return thread;
  }

  async #connectAll(): Promise<void> {
    const connected: Promise<void>[] = [];
    for (const [index, seat] of this.#seats.entries()) {
      connected.push(this.#connect(seat, this.#seats.slice(0, index)));
    }
    await Promise.all(connected);
  }

  /** One fresh channel between this thread and the main thread, and each of `peers`. */
  async #connect(seat: Seat, peers: readonly Seat[]): Promise<void> {
    const { thread } = seat;
    if (thread === undefined) return;
    const { mainHost } = this.#options;
    const toMain = new MessageChannel();
    const connected = [thread.connect(mainHost.thread, toMain.port2)];
    mainHost.connect(seat.spec.name, portChannel(toMain.port1));
    for (const peer of peers) {
      const other = peer.thread;
      if (other === undefined || other.over || peer === seat) continue;
      const { port1, port2 } = new MessageChannel();
      connected.push(thread.connect(peer.spec.name, port1));
      // A peer that ends at this very moment gets a new channel when it is replaced.
      connected.push(other.connect(seat.spec.name, port2).catch(() => {}));
    }
    await Promise.all(connected);
  }

  #ended(seat: Seat, thread: WorkerThread, exit: string): void {
    if (seat.thread !== thread || this.#stopping) return;
    const { random, report, giveUp, mainHost } = this.#options;
    seat.thread = undefined;
    const { name, restart } = seat.spec;
    mainHost.disconnect(name);
    for (const peer of this.#seats) {
      peer.thread?.call((control) => control.disconnect(name)).catch(() => {});
    }
    const reason = seat.verdict ?? exit;
    if (this.#failStart !== undefined)
      return this.#failStart(new Error(`thread ${name} ended at its start: ${reason}`));
    const crash = { at: this.#clock.monotonic(), booting: !seat.ready, chance: random() };
    const judged = afterCrash(seat.crashes, crash, restart);
    seat.crashes = judged.history;
    report({
      supervisor: 'root',
      child: `thread/${name}`,
      incarnation: thread.life,
      reason,
      verdict: judged.verdict.type,
    });
    if (judged.verdict.type === 'escalate')
      return giveUp(`thread ${name} ended ${judged.history.length} times: ${reason}`);
    if (judged.verdict.afterMs === 0) this.#replace(seat);
    else this.#clock.after(judged.verdict.afterMs, () => this.#replace(seat));
  }

  #replace(seat: Seat): void {
    if (this.#stopping) return;
    const thread = this.#spawn(seat);
    const replace = async (): Promise<void> => {
      await this.#connect(seat, this.#seats);
      if (this.#stopping) return;
      await thread.call((control) => control.startActors());
      seat.ready = true;
    };
    // If it dies again meanwhile, its end is judged on its own.
    replace().catch((reason: unknown) => this.#end(seat, thread, `it did not start: ${describeError(reason)}`));
  }

  #watchOver(seat: Seat, thread: WorkerThread): void {
    const { heartbeatBudgetMs } = this.#options;
    const clock = this.#clock;
    // Goes on during a stop: a thread that hangs must not hold that up.
    const beat = (withinMs: number): void => {
      if (seat.thread !== thread) return;
      // In two halves: if this very thread, or the machine, was held up, answers lie unread when the first half ends.
      let disarm = clock.after(withinMs / 2, () => {
        disarm = clock.after(withinMs / 2, () => this.#end(seat, thread, `it did not answer for ${withinMs} ms`));
      });
      thread
        .call((control) => control.ping())
        .finally(() => disarm())
        .then(() => clock.after(HEARTBEAT_EVERY_MS, () => beat(heartbeatBudgetMs)))
        .catch(() => {}); // its end is judged on its own
    };
    beat(Math.max(FIRST_ANSWER_WITHIN_MS, heartbeatBudgetMs));
  }

  #end(seat: Seat, thread: WorkerThread, reason: string): void {
    if (seat.thread !== thread || thread.over) return;
    seat.verdict = reason;
    void thread.terminate();
  }
}
