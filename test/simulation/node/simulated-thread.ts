import { isSupervisor, type TreeSpec } from '../../../src/actor/supervision/child.ts';
import { kindOf } from '../../../src/actor/messages/message.ts';
import type { ActorKind } from '../../../src/actor/actor.ts';
import { hostControl } from '../../../src/actor/threads/host-control.ts';
import type { FaultSeam } from '../../../src/actor/fault-seam.ts';
import type { FrameChannel } from '../../../src/actor/messages/link.ts';
import type { LiveThread, RemoteControl } from '../../../src/actor/threads/live-thread.ts';
import { silentLog } from '../../../src/actor/log.ts';
import type { Random } from '../../../src/actor/random.ts';
import type {
  Provocation,
  ThreadControl,
  ThreadEvents,
  ThreadStart,
} from '../../../src/actor/threads/thread-control.ts';
import { ThreadHost, type Placement } from '../../../src/actor/thread-host.ts';
import { ordersOf } from '../../../src/agent/thread-faults.ts';
import { ThreadFaults } from '../../../src/faults/thread-faults.ts';
import { newOwner, Queue, type Owner, type VirtualTime } from './virtual-time.ts';

/** One incarnation of a thread, before its actors are known. */
export interface ThreadLife {
  readonly thread: string;
  readonly life: number;
  readonly owner: Owner;
  /** The seams at which fault plans are applied. */
  readonly faults: ThreadFaults;
  /** Runs when the thread has ended, for any reason. */
  readonly whenOver: (() => void)[];
}

export interface SimulatedThreadOptions {
  readonly start: Omit<ThreadStart, 'flight'>;
  readonly events: ThreadEvents;
  readonly messages?: FaultSeam;
  readonly placement: Placement;
  readonly random: Random;
  readonly kinds: (life: ThreadLife) => Readonly<Record<string, ActorKind>>;
  readonly linkCredits: number;
  /** The supervisor's end of the control channel; `undefined` for the main thread. */
  readonly supervisor: Owner | undefined;
}

/** One in a hundred clock reads finds that the turn has run for too long, as on a busy machine. */
const SLICE_OVER = 0.01;

/** One incarnation of a thread: its host, and the control channel to its supervisor on another thread. */
export class SimulatedThread implements ThreadLife, LiveThread<FrameChannel> {
  readonly thread: string;
  readonly life: number;
  readonly owner: Owner;
  readonly faults: ThreadFaults;
  readonly host: ThreadHost;
  readonly control: ThreadControl;
  readonly ended: Promise<string>;
  readonly whenOver: (() => void)[] = [];
  readonly #time: VirtualTime;
  readonly #supervisor: Owner;
  readonly #calls = new Queue();
  readonly #turns = new Queue();
  readonly #waiting = new Set<(reason: Error) => void>();
  #tellEnd: (reason: string) => void = () => {};
  #ending: Promise<void> | undefined;
  #runs = false;
  #externalBytes = 0;

  constructor(time: VirtualTime, { start, events, ...options }: SimulatedThreadOptions) {
    this.#time = time;
    this.thread = start.thread;
    this.life = start.life;
    this.owner = newOwner(`${start.thread}.${start.life}`);
    this.#supervisor = options.supervisor ?? this.owner;
    this.ended = new Promise((resolve) => (this.#tellEnd = resolve));
    const clock = time.clockOf(this.owner);
    const hang = (ms: number): void => this.hang(ms);
    const provoke = (how: Provocation): void => this.#provoke(how);
    this.faults = new ThreadFaults({ thread: start.thread, clock, provoke, spin: hang, block: hang });
    const kinds = options.kinds(this);
    this.host = new ThreadHost({
      thread: start.thread,
      life: start.life,
      kinds,
      placement: options.placement,
      // The main thread's clock stays right, as in the agent.
      clock: options.supervisor === undefined ? clock : this.faults.clock,
      provoke,
      random: options.random,
      log: silentLog,
      linkCredits: options.linkCredits,
      turns: {
        soon: queueMicrotask,
        later: (turn) => this.later(turn),
        monotonic: () => (time.random() < SLICE_OVER ? time.now + 6 : time.now),
      },
      report: (report) => events.report(report),
      escalate: (child, reason) => {
        if (options.supervisor === undefined) return events.escalate(child, reason);
        const run = (): void => events.escalate(child, reason);
        time.in(time.spread(0.05), this.#supervisor, { label: `${start.thread} escalates`, run });
      },
    });
    this.host.setFaults(options.messages);
    const seam = (plan: unknown) => this.faults.apply(ordersOf(plan)) ?? options.messages;
    const children = playedOf(start.children, kinds);
    const control = hostControl(this.host, { clock, faults: seam }, { ...start, children });
    this.control = {
      ...control,
      provoke,
      ping: () => ({ externalBytes: this.#externalBytes }),
      startActors: async () => {
        await control.startActors();
        this.#runs = true;
      },
    };
    // The thread answers nothing before it has started.
    if (options.supervisor !== undefined) this.#calls.after(time.now + 30 + 100 * time.random());
  }

  memory(): ReturnType<LiveThread<FrameChannel>['memory']> {
    return Promise.resolve({ heapUsedBytes: 0, externalBytes: this.#externalBytes });
  }

  get name(): string {
    return this.thread;
  }

  get over(): boolean {
    return this.owner.dead;
  }

  /** Records that its actors were started. */
  get runs(): boolean {
    return this.#runs;
  }

  /** Runs after the work that this thread has postponed earlier. */
  later(turn: () => void): void {
    const at = this.#turns.after(this.#time.now + this.#time.spread(0.01));
    this.#time.at(at, this.owner, { label: 'turn', run: turn });
  }

  call<T>(make: (control: RemoteControl) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.over) return reject(new Error(`thread ${this.thread} has ended`));
      this.#waiting.add(reject);
      make(this.#remote)
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(reject));
    });
  }

  connect(peer: string, channel: FrameChannel): Promise<void> {
    return this.call(() => this.#called(`connect ${peer}`, () => this.host.connect(peer, channel)));
  }

  flight(): readonly [] {
    return [];
  }

  terminate(first?: () => Promise<void>): Promise<void> {
    this.#ending ??= (async () => {
      await first?.();
      this.exit('exit code 1');
    })();
    return this.#ending;
  }

  /** Ends the thread, and notifies its supervisor. */
  exit(reason: string): void {
    if (this.over) return;
    this.vanish();
    const run = (): void => {
      for (const reject of this.#waiting) reject(new Error(`thread ${this.thread} ended: ${reason}`));
      this.#waiting.clear();
      this.#tellEnd(reason);
    };
    this.#time.in(this.#time.spread(1), this.#supervisor, { label: `${this.thread} has ended`, run });
  }

  /** Suspends the thread for a time. Its events are kept. */
  hang(forMs: number): void {
    if (this.over || this.owner.stalled !== undefined) return;
    this.#time.stall(this.owner);
    const run = (): void => this.#time.wake(this.owner);
    this.#time.in(forMs, this.#supervisor, { label: `${this.thread} goes on`, run });
  }

  /** Ends the thread together with the whole process, without a notice. */
  vanish(): void {
    if (this.over) return;
    this.owner.dead = true;
    this.owner.stalled = undefined;
    for (const over of this.whenOver.splice(0)) over();
  }

  /** Ends the thread soon: the current turn ends first. */
  #provoke(how: Provocation): void {
    if (how === 'exhaust-buffers') this.#externalBytes = Infinity;
    else if (how === 'hang' || how === 'wait') this.hang(Infinity);
    else {
      const run = (): void => this.exit(`made to fail: ${how}`);
      this.#time.in(0, this.owner, { label: how, run });
    }
  }

  /** A call waits until the thread is free, and so does the answer at the supervisor. */
  #called<T>(label: string, make: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const back = (run: () => void): void =>
        void this.#time.in(this.#time.spread(0.05), this.#supervisor, { label: `${label} answered`, run });
      const run = async (): Promise<void> => {
        try {
          const value = await make();
          back(() => resolve(value));
        } catch (reason) {
          back(() => reject(reason instanceof Error ? reason : new Error(String(reason))));
        }
      };
      const at = this.#calls.after(this.#time.now + this.#time.spread(0.05));
      this.#time.at(at, this.owner, { label, run: () => void run() });
    });
  }

  /** Passes every control call through virtual time. */
  get #remote(): RemoteControl {
    return new Proxy(this.control as unknown as RemoteControl, {
      get: (control, name) => {
        // The proxy stands for a table of functions, and only these members are read.
        const call = Reflect.get(control, name) as (...args: readonly unknown[]) => unknown;
        return (...args: readonly unknown[]) => this.#called(String(name), () => call(...args));
      },
    });
  }
}

/** Kinds of actors that the simulation does not play are absent: no other actor needs them. */
const playedOf = (children: readonly TreeSpec[], kinds: Readonly<Record<string, ActorKind>>): readonly TreeSpec[] =>
  children.filter((child) => isSupervisor(child) || Object.hasOwn(kinds, kindOf(child.address)));
