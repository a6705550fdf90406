import { MAIN_THREAD, placementOf, type Tree } from '../../../src/agent/tree.ts';
import type { ActorKind } from '../../../src/actor/actor.ts';
import type { SupervisorReport } from '../../../src/actor/supervision/child.ts';
import type { FaultSeam } from '../../../src/actor/fault-seam.ts';
import type { FrameChannel } from '../../../src/actor/messages/link.ts';
import type { LiveThread, ThreadMaker } from '../../../src/actor/threads/live-thread.ts';
import { silentLog } from '../../../src/actor/log.ts';
import type { Address } from '../../../src/actor/messages/message.ts';
import { agentFaults } from '../../../src/agent/faults.ts';
import type { FaultRegistry } from '../../../src/faults/fault-registry.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import type { Random } from '../../../src/actor/random.ts';
import { ThreadSupervisor } from '../../../src/actor/threads/thread-supervisor.ts';
import { channelPair, type ChannelOptions } from './memory-channel.ts';
import { messageTypes } from './message-types.ts';
import { SimulatedThread, type ThreadLife } from './simulated-thread.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface AgentOptions {
  readonly tree: Tree;
  readonly channels: ChannelOptions;
  /** Decides on the fault of each message. */
  readonly messages?: FaultSeam;
  /** The most unread frames of a link: few, so that links run out of credits. */
  readonly linkCredits: number;
  readonly random: Random;
  readonly kinds: (life: ThreadLife) => Readonly<Record<string, ActorKind>>;
  readonly report: (report: SupervisorReport) => void;
  /** The existing pods, for fault plans that name a pod. */
  readonly pods?: () => readonly Pod[];
  /** Ends the agent's process: the agent cannot continue. */
  readonly failed: (reason: string) => void;
}

/** The same value as in the agent. */
const HEARTBEAT_BUDGET_MS = 10_000;
/** Less often than in the agent: otherwise most of a quiet hour would be heartbeats. */
const HEARTBEAT_EVERY_MS = 5_000;

/** One process of the agent: the whole tree under the agent's own root supervisor. Only the threads are simulated. */
export class SimulatedAgent {
  readonly #time: VirtualTime;
  readonly #options: AgentOptions;
  /** The seam for fault plans. */
  readonly faults: FaultRegistry;
  readonly #main: SimulatedThread;
  readonly #supervisor: ThreadSupervisor<FrameChannel>;
  /** The latest incarnation of each thread. */
  readonly #lives = new Map<string, SimulatedThread>();
  #gone = false;
  #started = false;

  constructor(time: VirtualTime, options: AgentOptions) {
    this.#time = time;
    this.#options = options;
    const { tree, random, report } = options;
    this.#main = new SimulatedThread(time, {
      ...this.#common(),
      start: { thread: MAIN_THREAD, life: 1, strategy: 'one-for-one', children: tree.main, config: undefined },
      events: { report, escalate: (child, reason) => this.#fail(`${child} crashed too often: ${reason}`) },
      supervisor: undefined,
    });
    this.#supervisor = new ThreadSupervisor({
      threads: tree.threads,
      maker: this.#maker(),
      config: undefined,
      mainHost: this.#main.host,
      clock: time.clockOf(this.#main.owner),
      random,
      log: silentLog,
      heartbeatBudgetMs: HEARTBEAT_BUDGET_MS,
      heartbeatEveryMs: HEARTBEAT_EVERY_MS,
      report,
      giveUp: (reason) => this.#fail(reason),
    });
    this.faults = agentFaults({
      tree,
      messageTypes,
      host: this.#main.host,
      supervisor: this.#supervisor,
      clock: time.clockOf(this.#main.owner),
      log: silentLog,
      pods: () => Promise.resolve(options.pods?.() ?? []),
    });
  }

  start(): void {
    const begin = async (): Promise<void> => {
      await this.#main.control.startActors();
      await this.#supervisor.start();
      this.#started = true;
    };
    this.#time.in(0, this.#main.owner, {
      label: 'agent starts',
      run: () => void begin().catch((reason: unknown) => this.#fail(String(reason))),
    });
  }

  /** `true` once all threads have started. */
  get ready(): boolean {
    return !this.#gone && this.#started && [...this.#lives.values()].every(({ over, runs }) => runs && !over);
  }

  get threads(): readonly SimulatedThread[] {
    return [this.#main, ...this.#lives.values()].filter(({ over }) => !over);
  }

  crashActor(address: Address, reason: string): void {
    for (const { host, owner } of this.threads) {
      if (owner.stalled === undefined && host.crashActor(address, new Error(reason))) return;
    }
  }

  /** Ends a thread as if its code had called `process.exit`. */
  endThread(name: string, reason: string): void {
    this.#lives.get(name)?.exit(reason);
  }

  /** Suspends a thread for a while. If that is too long, the thread is replaced. */
  hangThread(name: string, forMs: number): void {
    this.#lives.get(name)?.hang(forMs);
  }

  /** Kills the process as by SIGKILL. */
  kill(): void {
    this.#gone = true;
    for (const thread of this.threads) thread.vanish();
  }

  #fail(reason: string): void {
    if (this.#gone) return;
    this.kill();
    this.#options.failed(reason);
  }

  #common() {
    const { tree, messages, random, kinds, linkCredits } = this.#options;
    return {
      ...(messages === undefined ? {} : { messages }),
      placement: placementOf(tree),
      random,
      kinds,
      linkCredits,
    };
  }

  #maker(): ThreadMaker<FrameChannel> {
    const ownerOf = (name: string) => (this.#lives.get(name) ?? this.#main).owner;
    return {
      start: (start, _limits, events): LiveThread<FrameChannel> => {
        const thread = new SimulatedThread(this.#time, {
          ...this.#common(),
          start,
          events,
          supervisor: this.#main.owner,
        });
        this.#lives.set(start.thread, thread);
        return thread;
      },
      channel: (one, other) =>
        channelPair(this.#time, { one: ownerOf(one), other: ownerOf(other) }, this.#options.channels),
      use: (channel) => channel,
    };
  }
}
