import { MAIN_THREAD, placementOf, type Tree } from '../../actors/tree.ts';
import type { ActorKind } from '../../src/actor/actor.ts';
import type { SupervisorReport } from '../../src/actor/child.ts';
import type { FaultSeam } from '../../src/actor/fault-seam.ts';
import type { Address } from '../../src/actor/message.ts';
import type { Random } from '../../src/actor/random.ts';
import { afterCrash, type CrashHistory } from '../../src/actor/restart-budget.ts';
import type { ThreadSpec } from '../../src/actor/thread-supervisor.ts';
import { channelPair, type LinkWeather } from './memory-channel.ts';
import { SimulatedThread, type ThreadLife } from './simulated-thread.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface AgentOptions {
  readonly tree: Tree;
  readonly weather: LinkWeather;
  /** What happens to messages, asked of each. */
  readonly messages: FaultSeam;
  readonly random: Random;
  readonly kinds: (life: ThreadLife) => Readonly<Record<string, ActorKind>>;
  readonly report: (report: SupervisorReport) => void;
  /** The agent cannot go on: its process ends. */
  readonly failed: (reason: string) => void;
}

interface Seat {
  readonly spec: ThreadSpec;
  life: number;
  thread: SimulatedThread | undefined;
  crashes: CrashHistory;
  ready: boolean;
}

/** A thread that does not answer for this long is replaced. */
const HEARTBEAT_BUDGET_MS = 10_000;
const HEARTBEAT_EVERY_MS = 1_000;

/**
 * One process of the agent: the whole tree on one thread, kept alive by the rules by which the root supervisor judges. The
 * decisions are the same pure functions; only threads, channels and heartbeats are played.
 */
export class SimulatedAgent {
  readonly #time: VirtualTime;
  readonly #options: AgentOptions;
  readonly #main: SimulatedThread;
  readonly #seats: readonly Seat[];
  #gone = false;
  #started = false;

  constructor(time: VirtualTime, options: AgentOptions) {
    this.#time = time;
    this.#options = options;
    this.#main = this.#live(MAIN_THREAD, 1, {
      children: options.tree.main,
      escalate: (child, reason) => this.#fail(`${child} could not be kept alive: ${reason}`),
    });
    this.#seats = options.tree.threads.map((spec) => ({
      spec,
      life: 0,
      thread: undefined,
      crashes: [],
      ready: false,
    }));
  }

  start(): void {
    const begin = async (): Promise<void> => {
      await this.#main.startActors(this.#main.owner);
      for (const seat of this.#seats) this.#spawn(seat);
      await Promise.all(this.#seats.map((seat, index) => this.#connect(seat, this.#seats.slice(0, index))));
      for (const seat of this.#seats) await seat.thread?.startActors(this.#main.owner);
      for (const seat of this.#seats) seat.ready = true;
      this.#started = true;
    };
    this.#time.in(0, this.#main.owner, {
      label: 'agent starts',
      run: () => void begin().catch(() => this.#fail('a thread ended at its start')),
    });
  }

  /** All of it is up, as far as its supervisor knows. */
  get ready(): boolean {
    return !this.#gone && this.#started && this.#seats.every(({ ready, thread }) => ready && thread !== undefined);
  }

  get threads(): readonly SimulatedThread[] {
    return [this.#main, ...this.#seats.flatMap(({ thread }) => thread ?? [])];
  }

  thread(name: string): SimulatedThread | undefined {
    return this.threads.find(({ thread }) => thread === name);
  }

  /** False: it lives nowhere at this moment. */
  crashActor(address: Address, reason: string): boolean {
    for (const { host, owner } of this.threads) {
      if (owner.stalled === undefined && host.crashActor(address, new Error(reason))) return true;
    }
    return false;
  }

  /** The thread ends as by `process.exit` within it. */
  endThread(name: string, reason: string): boolean {
    const seat = this.#seats.find(({ spec }) => spec.name === name);
    if (seat?.thread === undefined) return false;
    this.#over(seat, seat.thread, reason);
    return true;
  }

  /** The thread does nothing for a while; long enough, and it is replaced. */
  hangThread(name: string, forMs: number): boolean {
    const seat = this.#seats.find(({ spec }) => spec.name === name);
    const thread = seat?.thread;
    if (seat === undefined || thread === undefined || thread.owner.stalled !== undefined) return false;
    this.#time.stall(thread.owner);
    this.#time.in(forMs, this.#main.owner, { label: `${name} goes on`, run: () => this.#time.wake(thread.owner) });
    const noticed = HEARTBEAT_BUDGET_MS + HEARTBEAT_EVERY_MS * this.#time.random();
    if (noticed < forMs) {
      const run = (): void => this.#end(seat, thread, 'it did not answer');
      this.#time.in(noticed, this.#main.owner, { label: `${name} does not answer`, run });
    }
    return true;
  }

  /** As by SIGKILL. */
  kill(): void {
    this.#gone = true;
    for (const thread of this.threads) thread.end();
  }

  #fail(reason: string): void {
    if (this.#gone) return;
    this.kill();
    this.#options.failed(reason);
  }

  #live(
    thread: string,
    life: number,
    more: Pick<ThreadSpec, 'children' | 'strategy'> & { readonly escalate: (child: string, reason: string) => void },
  ): SimulatedThread {
    const { tree, messages, random, kinds, report } = this.#options;
    return new SimulatedThread(this.#time, {
      thread,
      life,
      ...more,
      strategy: more.strategy ?? 'one-for-one',
      messages,
      placement: placementOf(tree),
      random,
      kinds,
      report,
    });
  }

  #spawn(seat: Seat): SimulatedThread {
    seat.life++;
    seat.ready = false;
    const { name, children, strategy = 'one-for-one' } = seat.spec;
    const thread: SimulatedThread = this.#live(name, seat.life, {
      children,
      strategy,
      // The thread asks its supervisor to be replaced, which takes a moment.
      escalate: (child, reason) => {
        const run = (): void => this.#end(seat, thread, `${child} could not be kept alive: ${reason}`);
        this.#time.in(this.#time.spread(0.05), this.#main.owner, { label: `${name} escalates`, run });
      },
    });
    thread.boot(30 + 100 * this.#time.random());
    seat.thread = thread;
    return thread;
  }

  async #connect(seat: Seat, peers: readonly Seat[]): Promise<void> {
    const { thread } = seat;
    if (thread === undefined) return;
    const main = this.#main;
    const { weather } = this.#options;
    const [ofMain, toMain] = channelPair(this.#time, { one: main.owner, other: thread.owner }, weather);
    const connected = [thread.connect(main.owner, MAIN_THREAD, toMain)];
    main.host.connect(seat.spec.name, ofMain);
    for (const peer of peers) {
      const other = peer.thread;
      if (other === undefined || other.over || peer === seat) continue;
      const [one, two] = channelPair(this.#time, { one: thread.owner, other: other.owner }, weather);
      connected.push(thread.connect(main.owner, peer.spec.name, one));
      connected.push(other.connect(main.owner, seat.spec.name, two).catch(() => {}));
    }
    await Promise.all(connected);
  }

  /** The supervisor ends it: first its peers close their ends of the links, then it is terminated. */
  #end(seat: Seat, thread: SimulatedThread, reason: string): void {
    if (seat.thread !== thread || thread.over) return;
    this.#unlink(thread.thread);
    const run = (): void => this.#over(seat, thread, reason);
    this.#time.in(this.#time.spread(2), this.#main.owner, { label: `${thread.thread} is terminated`, run });
  }

  #unlink(name: string): void {
    const main = this.#main;
    main.host.disconnect(name);
    for (const { thread } of this.#seats) {
      thread?.call(main.owner, `disconnect ${name}`, () => thread.host.disconnect(name)).catch(() => {});
    }
  }

  #over(seat: Seat, thread: SimulatedThread, reason: string): void {
    if (seat.thread !== thread || thread.over) return;
    thread.end();
    const run = (): void => this.#ended(seat, thread, reason);
    this.#time.in(this.#time.spread(1), this.#main.owner, { label: `${seat.spec.name} has ended`, run });
  }

  #ended(seat: Seat, thread: SimulatedThread, reason: string): void {
    const { name, restart } = seat.spec;
    const { random, report } = this.#options;
    const booting = !seat.ready;
    seat.thread = undefined;
    seat.ready = false;
    this.#unlink(name);
    if (!this.#started) return this.#fail(`thread ${name} ended at its start: ${reason}`);
    const { history, verdict } = afterCrash(seat.crashes, { at: this.#time.now, booting, chance: random() }, restart);
    seat.crashes = history;
    report({ supervisor: 'root', child: `thread/${name}`, incarnation: thread.life, reason, verdict: verdict.type });
    if (verdict.type === 'escalate') return this.#fail(`thread ${name} ended ${history.length} times: ${reason}`);
    const run = (): void => this.#replace(seat);
    this.#time.in(verdict.afterMs, this.#main.owner, { label: `${name} is replaced`, run });
  }

  #replace(seat: Seat): void {
    const thread = this.#spawn(seat);
    const replace = async (): Promise<void> => {
      await this.#connect(seat, this.#seats);
      await thread.startActors(this.#main.owner);
      seat.ready = true;
    };
    replace().catch((reason: unknown) => this.#end(seat, thread, `it did not start: ${String(reason)}`));
  }
}
