import type { ActorKind } from '../../src/actor/actor.ts';
import type { Strategy, SupervisorReport, TreeSpec } from '../../src/actor/child.ts';
import type { FaultSeam } from '../../src/actor/fault-seam.ts';
import type { FrameChannel } from '../../src/actor/link.ts';
import { silentLog } from '../../src/actor/log.ts';
import type { Random } from '../../src/actor/random.ts';
import type { Child } from '../../src/actor/supervisor.ts';
import { ThreadHost, type Placement } from '../../src/actor/thread-host.ts';
import { newOwner, Queue, type Owner, type VirtualTime } from './virtual-time.ts';

/** One life of a thread, before it is known which actors it can keep. */
export interface ThreadLife {
  readonly thread: string;
  readonly life: number;
  readonly owner: Owner;
  /** Runs when the thread has ended, however it did. */
  readonly whenOver: (() => void)[];
}

export interface SimulatedThreadOptions {
  readonly thread: string;
  readonly life: number;
  readonly strategy: Strategy;
  readonly children: readonly TreeSpec[];
  readonly messages: FaultSeam;
  readonly placement: Placement;
  readonly random: Random;
  readonly kinds: (life: ThreadLife) => Readonly<Record<string, ActorKind>>;
  readonly report: (report: SupervisorReport) => void;
  readonly escalate: (child: string, reason: string) => void;
}

/** One in a hundred looks at the time finds that the thread has run for too long, as on a busy machine. */
const SLICE_OVER = 0.01;

/** One life of a thread: its host, and the calls by which a supervisor commands it. */
export class SimulatedThread implements ThreadLife {
  readonly thread: string;
  readonly life: number;
  readonly owner: Owner;
  readonly host: ThreadHost;
  readonly whenOver: (() => void)[] = [];
  readonly #time: VirtualTime;
  readonly #calls = new Queue();
  readonly #turns = new Queue();
  readonly #tree: Child;
  readonly #waiting = new Set<(reason: Error) => void>();

  constructor(time: VirtualTime, options: SimulatedThreadOptions) {
    this.#time = time;
    this.thread = options.thread;
    this.life = options.life;
    this.owner = newOwner(`${options.thread}.${options.life}`);
    this.host = new ThreadHost({
      thread: options.thread,
      life: options.life,
      kinds: options.kinds(this),
      placement: options.placement,
      clock: time.clockOf(this.owner),
      random: options.random,
      log: silentLog,
      turns: {
        soon: queueMicrotask,
        later: (turn) => this.later(turn),
        monotonic: () => (time.random() < SLICE_OVER ? time.now + 6 : time.now),
      },
      report: options.report,
      escalate: options.escalate,
    });
    this.host.setFaults(options.messages);
    this.#tree = this.host.plant(options.strategy, options.children);
  }

  get over(): boolean {
    return this.owner.dead;
  }

  /** After what this thread has put off before. */
  later(turn: () => void): void {
    const at = this.#turns.after(this.#time.now + this.#time.spread(0.01));
    this.#time.at(at, this.owner, { label: 'turn', run: turn });
  }

  /** A call from `caller` into this thread, which answers when it comes to it. Rejects when the thread ends first. */
  call<T>(caller: Owner, label: string, make: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.over) return reject(new Error(`thread ${this.thread} has ended`));
      this.#waiting.add(reject);
      const at = this.#calls.after(this.#time.now + this.#time.spread(0.05));
      const run = async (): Promise<void> => {
        const value = await make();
        this.#waiting.delete(reject);
        this.#time.in(this.#time.spread(0.05), caller, { label: `${label} answered`, run: () => resolve(value) });
      };
      this.#time.at(at, this.owner, { label, run: () => void run() });
    });
  }

  /** Nothing of it is accepted before it has come up: what it is told meanwhile waits. */
  boot(tookMs: number): void {
    this.#calls.after(this.#time.now + tookMs);
  }

  connect(caller: Owner, peer: string, channel: FrameChannel): Promise<void> {
    return this.call(caller, `connect ${peer}`, () => this.host.connect(peer, channel));
  }

  startActors(caller: Owner): Promise<void> {
    return this.call(caller, 'start actors', () => this.#tree.start());
  }

  end(): void {
    if (this.over) return;
    this.owner.dead = true;
    this.owner.stalled = undefined;
    for (const reject of this.#waiting) reject(new Error(`thread ${this.thread} has ended`));
    this.#waiting.clear();
    for (const over of this.whenOver.splice(0)) over();
  }
}
