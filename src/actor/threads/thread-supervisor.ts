import type { MessagePort } from 'node:worker_threads';
import type { SupervisorReport } from '../supervision/child.ts';
import { ScopedClock, type Clock } from '../clock.ts';
import { describeError } from '../fault.ts';
import type { FlightEntry } from '../insight/flight-recorder.ts';
import { watchOver } from './heartbeat.ts';
import { inTime } from '../in-time.ts';
import type { LiveThread, RemoteControl, ThreadMaker } from './live-thread.ts';
import type { Log } from '../log.ts';
import type { Address } from '../messages/message.ts';
import { mergeMetrics } from '../../metrics/merge-metrics.ts';
import { metricsText, threadRestartsText } from '../insight/metrics-text.ts';
import type { Random } from '../random.ts';
import { afterCrash, type CrashHistory } from '../supervision/restart-budget.ts';
import type { ThreadFigures } from './thread-control.ts';
import type { ThreadHost } from '../thread-host.ts';
import { threadMeter } from '../insight/thread-meter.ts';
import type { ThreadSpec } from './thread-spec.ts';
import type { TraceStep } from '../insight/trace-store.ts';

export interface ThreadSupervisorOptions<Port> {
  /** Started in this order, stopped in reverse. */
  readonly threads: readonly ThreadSpec[];
  readonly maker: ThreadMaker<Port>;
  /** Plain data passed to every thread. */
  readonly config: unknown;
  /** The main thread's own host, a peer of all others. */
  readonly mainHost: ThreadHost;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** A thread that does not answer for this long is ended and replaced. */
  readonly heartbeatBudgetMs: number;
  /** How often threads are asked. Default: every second. */
  readonly heartbeatEveryMs?: number;
  readonly report: (report: SupervisorReport) => void;
  /** Called when a thread ends too often. The process must end, and the launcher restarts it. */
  readonly giveUp: (reason: string) => void;
}

const HEARTBEAT_EVERY_MS = 1_000;
/** Longest time for an orderly stop of a thread that is replaced. Its children's own deadlines are shorter. */
const STOP_WITHIN_MS = 10_000;
/** Time for peers to close their ends of the links. A peer that does not answer is about to be ended itself. */
const UNLINK_WITHIN_MS = 500;

/** How many messages are logged when a thread has ended. */
const FLIGHT_IN_LOG = 64;

/**
 * V8 would let each thread's nursery grow to three times this before a collection. With many threads that is most of
 * the memory.
 */
const YOUNG_GENERATION_MIB = 8;

interface ThreadSlot<Port> {
  readonly spec: ThreadSpec;
  life: number;
  thread: LiveThread<Port> | undefined;
  crashes: CrashHistory;
  /** `true` once its actors run. An end before that is a death while booting. */
  ready: boolean;
  /** The reason why the supervisor itself ended the thread. The exit code alone would not show it. */
  verdict: string | undefined;
}

/**
 * The root supervisor. It starts the worker threads, brokers one channel per pair of threads, and replaces a thread
 * that ends, hangs or cannot keep its actors alive. It does no pod work.
 */
export class ThreadSupervisor<Port = MessagePort> {
  readonly #options: ThreadSupervisorOptions<Port>;
  readonly #slots: readonly ThreadSlot<Port>[];
  readonly #clock: ScopedClock;
  /** Called when a thread has ended while the first start is under way. */
  #failStart: ((reason: Error) => void) | undefined;
  #stopping = false;
  /** Settings sent to every thread, and sent again to each replacement. */
  readonly #standing = new Map<'faults' | 'verbosity', (control: RemoteControl) => Promise<void>>();
  readonly #mainMeter: () => ThreadFigures;

  constructor(options: ThreadSupervisorOptions<Port>) {
    this.#options = options;
    this.#clock = new ScopedClock(options.clock);
    this.#mainMeter = threadMeter(options.mainHost);
    this.#slots = options.threads.map((spec) => ({
      spec,
      life: 0,
      thread: undefined,
      crashes: [],
      ready: false,
      verdict: undefined,
    }));
  }

  /**
   * Resolves when every thread runs its actors. Rejects when a thread dies while booting: a first start is not retried.
   */
  async start(): Promise<void> {
    const failed = Promise.withResolvers<never>();
    this.#failStart = failed.reject;
    await Promise.race([this.#startAll(), failed.promise]);
    this.#failStart = undefined;
    for (const slot of this.#slots) slot.ready = true;
  }

  async #startAll(): Promise<void> {
    for (const slot of this.#slots) this.#spawn(slot);
    await this.#connectAll();
    for (const slot of this.#slots) await slot.thread?.call((control) => control.startActors());
  }

  /**
   * Stops actors in reverse order of their start, thread by thread, then the threads. Works also after a failed start.
   */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const slot of this.#slots.toReversed()) {
      const { thread } = slot;
      if (thread === undefined || thread.over) continue;
      try {
        await thread.call((control) => control.stopActors());
      } catch (reason) {
        this.#options.log.warn(
          { thread: thread.name, err: describeError(reason) },
          'thread ended before its actors had stopped; continuing with the next thread',
        );
      }
    }
    // Their last messages left before the answer just read, on separate ports. One more look at all ports finds them.
    for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
    for (const slot of this.#slots) this.#options.mainHost.disconnect(slot.spec.name);
    await this.abandon();
  }

  /** Ends all threads at once and for good, without an orderly stop. */
  async abandon(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#slots.map((slot) => slot.thread?.terminate() ?? Promise.resolve()));
    this.#clock.cancelAll();
  }

  /** Returns the names in order of start. */
  threadNames(): readonly string[] {
    return this.#slots.map(({ spec }) => spec.name);
  }

  /** Returns the thread of this name, while it lives. */
  thread(name: string): LiveThread<Port> | undefined {
    return this.#slots.find((slot) => slot.spec.name === name)?.thread;
  }

  /** Makes an actor crash on whichever thread it lives. Resolves to `false` when there is no actor at this address. */
  async crashActor(address: Address, reason: string): Promise<boolean> {
    const { mainHost } = this.#options;
    if (mainHost.crashActor(address, new Error(reason))) return true;
    const asked = await this.#askAll((thread) => thread.call((control) => control.crashActor(address, reason)));
    return asked.includes(true);
  }

  async figures(): Promise<readonly ThreadFigures[]> {
    return this.#askAll((thread) => thread.call((control) => control.figures()));
  }

  /** Returns Prometheus text of all threads, the main one included. */
  async metrics(): Promise<string> {
    const texts = await this.#askAll((thread) => thread.call((control) => control.metrics()));
    const restarts = this.#slots.map(({ spec, life }) => [spec.name, Math.max(0, life - 1)] as const);
    return mergeMetrics([metricsText(this.#mainMeter()), threadRestartsText(restarts), ...texts]);
  }

  /** Returns all kept steps of a trace, from all threads, in order of time. */
  async trace(trace: string): Promise<readonly TraceStep[]> {
    const steps = await this.#askAll((thread) => thread.call((control) => control.trace(trace)));
    return [...this.#options.mainHost.trace(trace), ...steps.flat()].toSorted((one, other) => one.at - other.at);
  }

  /**
   * Returns the last messages that a thread's actors have read, without asking the thread. `undefined` when there is no
   * such thread now.
   */
  flight(name: string): readonly FlightEntry[] | undefined {
    const { mainHost } = this.#options;
    return name === mainHost.thread ? mainHost.flight() : this.thread(name)?.flight();
  }

  /** Applies a fault plan on every worker thread, now and after each replacement. `undefined` removes the plan. */
  async setFaults(plan: unknown): Promise<void> {
    await this.#tellAll('faults', (control) => control.setFaults(plan));
  }

  /** Sets the log verbosity of every worker thread, now and after each replacement. */
  async setVerbosity(verbosity: number): Promise<void> {
    await this.#tellAll('verbosity', (control) => control.setVerbosity(verbosity));
  }

  async #tellAll(what: 'faults' | 'verbosity', tell: (control: RemoteControl) => Promise<void>): Promise<void> {
    this.#standing.set(what, tell);
    await this.#askAll((thread) => thread.call(tell));
  }

  /** Returns the effects of the present plan on each thread. */
  async faults(): Promise<readonly unknown[]> {
    return this.#askAll((thread) => thread.call((control) => control.faults()));
  }

  /** Returns the answers of the living threads. */
  async #askAll<T>(ask: (thread: LiveThread<Port>) => Promise<T>): Promise<readonly T[]> {
    const all = await Promise.allSettled(
      this.#slots.flatMap(({ thread }) => (thread === undefined ? [] : [ask(thread)])),
    );
    return all.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  }

  #spawn(slot: ThreadSlot<Port>): LiveThread<Port> {
    const { maker, config, report } = this.#options;
    slot.life++;
    slot.verdict = undefined;
    slot.ready = false;
    const { name, children, strategy = 'one-for-one', heapLimitMiB, youngGenerationMiB } = slot.spec;
    const thread: LiveThread<Port> = maker.start(
      { thread: name, life: slot.life, strategy, children, config },
      { maxOldGenerationSizeMb: heapLimitMiB, maxYoungGenerationSizeMb: youngGenerationMiB ?? YOUNG_GENERATION_MIB },
      { report, escalate: (child, reason) => this.#end(slot, thread, `${child} crashed too often: ${reason}`) },
    );
    slot.thread = thread;
    void thread.ended.then((reason) => this.#ended(slot, thread, reason));
    this.#watchOver(slot, thread);
    return thread;
  }

  async #connectAll(): Promise<void> {
    const connected: Promise<void>[] = [];
    for (const [index, slot] of this.#slots.entries()) {
      connected.push(this.#connect(slot, this.#slots.slice(0, index)));
    }
    await Promise.all(connected);
  }

  /** Makes a fresh channel between this thread and the main thread, and each of `peers`. */
  async #connect(slot: ThreadSlot<Port>, peers: readonly ThreadSlot<Port>[]): Promise<void> {
    const { thread } = slot;
    if (thread === undefined) return;
    const { mainHost, maker } = this.#options;
    const [ofMain, toMain] = maker.channel(mainHost.thread, slot.spec.name);
    const connected = [thread.connect(mainHost.thread, toMain)];
    mainHost.connect(slot.spec.name, maker.use(ofMain));
    for (const peer of peers) {
      const other = peer.thread;
      if (other === undefined || other.over || peer === slot) continue;
      const [toPeer, ofPeer] = maker.channel(slot.spec.name, peer.spec.name);
      connected.push(thread.connect(peer.spec.name, toPeer));
      // A peer that ends at this very moment gets a new channel when it is replaced.
      connected.push(other.connect(slot.spec.name, ofPeer).catch(() => {}));
    }
    await Promise.all(connected);
  }

  #ended(slot: ThreadSlot<Port>, thread: LiveThread<Port>, exit: string): void {
    if (slot.thread !== thread || this.#stopping) return;
    const { random, report, giveUp } = this.#options;
    slot.thread = undefined;
    const { name, restart } = slot.spec;
    void this.#unlink(name);
    const reason = slot.verdict ?? exit;
    this.#options.log.warn(
      { thread: name, reason, flight: thread.flight(FLIGHT_IN_LOG) },
      'thread ended; flight lists the last messages read on it',
    );
    if (this.#failStart !== undefined)
      return this.#failStart(new Error(`thread ${name} ended while starting: ${reason}`));
    const crash = { at: this.#clock.monotonic(), booting: !slot.ready, chance: random() };
    const judged = afterCrash(slot.crashes, crash, restart);
    slot.crashes = judged.history;
    report({
      supervisor: 'root',
      child: `thread/${name}`,
      incarnation: thread.life,
      reason,
      verdict: judged.verdict.type,
    });
    if (judged.verdict.type === 'escalate')
      return giveUp(`thread ${name} ended ${judged.history.length} times: ${reason}`);
    if (judged.verdict.afterMs === 0) this.#replace(slot);
    else this.#clock.after(judged.verdict.afterMs, () => this.#replace(slot));
  }

  #replace(slot: ThreadSlot<Port>): void {
    if (this.#stopping) return;
    const thread = this.#spawn(slot);
    const replace = async (): Promise<void> => {
      await this.#connect(slot, this.#slots);
      if (this.#stopping) return;
      for (const tell of this.#standing.values()) await thread.call(tell);
      await thread.call((control) => control.startActors());
      slot.ready = true;
    };
    // If the thread dies again meanwhile, its end is judged on its own.
    replace().catch((reason: unknown) => this.#end(slot, thread, `thread did not start: ${describeError(reason)}`));
  }

  #watchOver(slot: ThreadSlot<Port>, thread: LiveThread<Port>): void {
    const { heartbeatBudgetMs, heartbeatEveryMs = HEARTBEAT_EVERY_MS } = this.#options;
    watchOver(thread, {
      clock: this.#clock,
      everyMs: heartbeatEveryMs,
      budgetMs: heartbeatBudgetMs,
      limitBytes: (slot.spec.externalLimitMiB ?? Infinity) * 2 ** 20,
      // Watches also during a stop: a thread that hangs must not hold up the stop.
      isWatched: () => slot.thread === thread,
      silent: (budgetMs) => this.#end(slot, thread, `thread did not answer for ${budgetMs} ms`),
      overLimit: (externalBytes) => void this.#recycle(slot, thread, externalBytes),
    });
  }

  /** Stops the thread's actors in order, then replaces the thread. */
  async #recycle(slot: ThreadSlot<Port>, thread: LiveThread<Port>, externalBytes: number): Promise<void> {
    if (this.#stopping || slot.thread !== thread) return;
    const held = `${Math.round(externalBytes / 2 ** 20)} MiB outside its heap, limit ${slot.spec.externalLimitMiB} MiB`;
    this.#options.log.warn({ thread: thread.name }, `thread holds ${held}; stopping its actors and replacing it`);
    await inTime(
      thread.call((control) => control.stopActors()),
      { withinMs: STOP_WITHIN_MS, clock: this.#clock },
    );
    this.#end(slot, thread, `thread held ${held}`);
  }

  #end(slot: ThreadSlot<Port>, thread: LiveThread<Port>, reason: string): void {
    if (slot.thread !== thread || thread.over) return;
    slot.verdict ??= reason;
    void thread.terminate(() => this.#unlink(thread.name));
  }

  /** Makes every other thread read the rest of its link to this thread and close it. */
  async #unlink(name: string): Promise<void> {
    this.#options.mainHost.disconnect(name);
    const peers = this.#slots.filter(({ spec }) => spec.name !== name);
    const closed = peers.flatMap(({ thread }) =>
      thread === undefined ? [] : [thread.call((control) => control.disconnect(name))],
    );
    await inTime(Promise.all(closed), { withinMs: UNLINK_WITHIN_MS, clock: this.#clock });
  }
}
