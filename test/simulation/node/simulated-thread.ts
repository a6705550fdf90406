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

/** One life of a thread, before it is known which actors it can keep. */
export interface ThreadLife {
  readonly thread: string;
  readonly life: number;
  readonly owner: Owner;
  /** Its seams, at which fault plans are applied. */
  readonly faults: ThreadFaults;
  /** Runs when the thread has ended, however it did. */
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
  /** Whose calls it answers; undefined: it is the main thread, which is nobody's. */
  readonly supervisor: Owner | undefined;
}

/** One in a hundred looks at the time finds that the thread has run for too long, as on a busy machine. */
const SLICE_OVER = 0.01;

/** One life of a thread: its host, and how it is commanded by a supervisor that lives on another. */
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
      // The main thread's stays right, as in the agent.
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
    // Nothing is answered before it has come up.
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

  /** Its actors were started. */
  get runs(): boolean {
    return this.#runs;
  }

  /** After what this thread has put off before. */
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

  /** It ends, and its supervisor comes to know of it. */
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

  /** It does nothing for so long, and misses nothing. */
  hang(forMs: number): void {
    if (this.over || this.owner.stalled !== undefined) return;
    this.#time.stall(this.owner);
    const run = (): void => this.#time.wake(this.owner);
    this.#time.in(forMs, this.#supervisor, { label: `${this.thread} goes on`, run });
  }

  /** It ends together with the whole process: nobody is left to know of it. */
  vanish(): void {
    if (this.over) return;
    this.owner.dead = true;
    this.owner.stalled = undefined;
    for (const over of this.whenOver.splice(0)) over();
  }

  /** Soon: what the failure interrupts is done first. */
  #provoke(how: Provocation): void {
    if (how === 'exhaust-buffers') this.#externalBytes = Infinity;
    else if (how === 'hang' || how === 'wait') this.hang(Infinity);
    else {
      const run = (): void => this.exit(`made to fail: ${how}`);
      this.#time.in(0, this.owner, { label: how, run });
    }
  }

  /** A call comes to the thread when it gets to it, and so does the answer to its supervisor. */
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

  /** Every call of the control plane, on its way through time. */
  get #remote(): RemoteControl {
    return new Proxy(this.control as unknown as RemoteControl, {
      get: (control, name) => {
        // The proxy stands for a table of functions, and is asked for nothing else.
        const call = Reflect.get(control, name) as (...args: readonly unknown[]) => unknown;
        return (...args: readonly unknown[]) => this.#called(String(name), () => call(...args));
      },
    });
  }
}

/** An actor that the simulation does not know is not there: nothing in it asks for what is new. */
const playedOf = (children: readonly TreeSpec[], kinds: Readonly<Record<string, ActorKind>>): readonly TreeSpec[] =>
  children.filter((child) => isSupervisor(child) || Object.hasOwn(kinds, kindOf(child.address)));
