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
  /** What happens to messages, asked of each. */
  readonly messages?: FaultSeam;
  /** Frames under way unread on a link; few, so that links run short of them. */
  readonly linkCredits: number;
  readonly random: Random;
  readonly kinds: (life: ThreadLife) => Readonly<Record<string, ActorKind>>;
  readonly report: (report: SupervisorReport) => void;
  /** The pods that there are, for fault plans that name one. */
  readonly pods?: () => readonly Pod[];
  /** The agent cannot go on: its process ends. */
  readonly failed: (reason: string) => void;
}

/** As the agent itself has it. */
const HEARTBEAT_BUDGET_MS = 10_000;
/** Less often than there: most of a quiet hour would be heartbeats. */
const HEARTBEAT_EVERY_MS = 5_000;

/** One process of the agent: the whole tree, under the root supervisor of the agent itself. Only its threads are played. */
export class SimulatedAgent {
  readonly #time: VirtualTime;
  readonly #options: AgentOptions;
  /** Where fault plans are applied to it. */
  readonly faults: FaultRegistry;
  readonly #main: SimulatedThread;
  readonly #supervisor: ThreadSupervisor<FrameChannel>;
  /** The latest life of each thread. */
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

  /** All of it is up. */
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

  /** The thread ends as by `process.exit` within it. */
  endThread(name: string, reason: string): void {
    this.#lives.get(name)?.exit(reason);
  }

  /** The thread does nothing for a while; long enough, and it is replaced. */
  hangThread(name: string, forMs: number): void {
    this.#lives.get(name)?.hang(forMs);
  }

  /** As by SIGKILL. */
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
