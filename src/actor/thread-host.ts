import type { AddressOf } from './messages/message.ts';
import { EventEmitter } from 'eventemitter3';
import { ActorCell, type CellHost } from './actor-cell.ts';
import type { ActorKind } from './actor.ts';
import {
  isCrash,
  isSupervisor,
  type ChildSpec,
  type Strategy,
  type SupervisorReport,
  type TreeSpec,
} from './supervision/child.ts';
import type { Clock, ThreadMs } from './clock.ts';
import { DeadLetters, NO_SUCH_ACTOR } from './messages/dead-letters.ts';
import { Dispatcher, eventLoopTurns, type Turns } from './dispatcher.ts';
import type { FaultSeam } from './fault-seam.ts';
import type { FlightEntry } from './insight/flight-recorder.ts';
import { HostDuties } from './host-duties.ts';
import { HostInsight, type HostFigures } from './insight/host-insight.ts';
import { hostAddress, type HostCommand, type HostQuestion } from './messages/host-protocol.ts';
import { OUTSIDE, type Sender } from './incarnation.ts';
import type { FrameChannel } from './messages/link.ts';
import type { Log } from './log.ts';
import type { Mail } from './messages/mailbox.ts';
import { kindOf, type ActorRef, type Address, type Protocol, type Tagged } from './messages/message.ts';
import { Post } from './messages/post.ts';
import type { Random } from './random.ts';
import type { Verdict } from './supervision/restart-budget.ts';
import { Supervisor, type Child, type Parent } from './supervision/supervisor.ts';
import type { Provocation } from './threads/thread-control.ts';
import { TimerWheel } from './timer-wheel.ts';
import type { TraceStep } from './insight/trace-store.ts';

/**
 * Returns the thread of an address. The function is pure and the same on every thread, so no directory has to be kept.
 */
export type Placement = (address: Address) => string;

export interface ThreadHostOptions {
  readonly thread: string;
  /** Counts the lives of this thread, so that incarnations of its actors are larger than in the life before. */
  readonly life: number;
  readonly kinds: Readonly<Record<string, ActorKind>>;
  readonly placement: Placement;
  /**
   * Types of messages that overtake all others, in transit and in the mailbox. Commands to hosts always do. The same on
   * every thread. A protocol with such a type declares that its order with the other messages does not matter.
   */
  readonly urgent?: ReadonlySet<string>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly turns?: Turns;
  /** Frames that may be in transit unread to another thread; the same on every thread. Default: that of `Link`. */
  readonly linkCredits?: number;
  /** The memory of the flight recorder. Shared memory survives the thread. */
  readonly flight?: SharedArrayBuffer;
  /** Called for every crash and end on this thread. */
  readonly report: (report: SupervisorReport) => void;
  /** Called when an actor here crashes too often: the thread itself must be replaced. */
  readonly escalate: (child: string, reason: string) => void;
  /** Makes this thread fail, when a fault plan requires it. */
  readonly provoke?: (how: Provocation) => void;
}

/** Incarnations and questions of one life of a thread: far more than it can use. */
const IDS_PER_LIFE = 1e9;
const NOTHING_URGENT: ReadonlySet<string> = new Set();
/** How many messages are logged when an actor has crashed. */
const FLIGHT_IN_REPORT = 16;

/** All parts of one thread: its actors and supervisors, its post, its timers, and its records. */
export class ThreadHost implements CellHost {
  readonly thread: string;
  readonly supervisor: string;
  readonly clock: TimerWheel;
  readonly random: Random;
  readonly log: Log;
  readonly dispatcher: Dispatcher;
  readonly #options: ThreadHostOptions;
  readonly #ownAddress: Address;
  readonly #cells = new Map<Address, ActorCell>();
  readonly #post: Post;
  readonly #notices = new EventEmitter<{ 'thread-started': [thread: string] }>();
  readonly #urgent: ReadonlySet<string>;
  readonly #deadLetters: DeadLetters;
  readonly #insight: HostInsight;
  /** The parent of actors without another supervisor on this thread. */
  readonly #top: Parent;
  readonly #duties: HostDuties;
  readonly #kinds: ReadonlyMap<string, ActorKind>;
  #lastIncarnation: number;

  constructor(options: ThreadHostOptions) {
    this.#options = options;
    this.#kinds = new Map(Object.entries(options.kinds));
    const turns = options.turns ?? eventLoopTurns;
    this.thread = options.thread;
    this.supervisor = `thread/${options.thread}`;
    this.#ownAddress = hostAddress(options.thread);
    this.clock = new TimerWheel(options.clock);
    this.random = options.random;
    this.log = options.log;
    this.dispatcher = new Dispatcher(turns);
    this.#urgent = options.urgent ?? NOTHING_URGENT;
    this.#insight = new HostInsight(options.thread, {
      clock: this.clock,
      behindMs: options.clock.monotonic() - turns.monotonic(),
      flight: options.flight,
    });
    this.#duties = new HostDuties(this, (spec) => this.#start(spec));
    this.#deadLetters = new DeadLetters(this.clock, options.log);
    this.#lastIncarnation = options.life * IDS_PER_LIFE;
    this.#top = {
      name: this.supervisor,
      crashed: (child, verdict, reason) => this.#crashed(child, verdict, reason),
      ended: (child) => this.#forget(child),
    };
    this.#post = new Post({
      thread: options.thread,
      firstAskId: options.life * IDS_PER_LIFE,
      threadOf: (to) => (to.startsWith('host/') ? to.slice('host/'.length) : options.placement(to)),
      urgent: this.#urgent,
      linkCredits: options.linkCredits,
      wheel: this.clock,
      log: options.log,
      deadLetters: this.#deadLetters,
      later: (turn) => turns.later(turn),
      offer: (to, mail) => this.#offer(to, mail),
      strike: (to, fault) =>
        fault.type === 'stall' ? this.#cells.get(to)?.stall(fault) : options.provoke?.(fault.type),
    });
  }

  // ---- actors
  // --------------------------------------------------------------------------------------------------------

  /** Gives the actor its address. Messages to it wait until it is started. Idempotent. */
  register(spec: ChildSpec, parent: Parent = this.#top): ActorCell {
    const living = this.#cells.get(spec.address);
    if (living !== undefined) return living;
    const kindName = kindOf(spec.address);
    const kind = this.#kinds.get(kindName);
    if (kind === undefined) throw new Error(`no actor kind is registered for ${spec.address}`);
    const cell = new ActorCell(spec, kind, { host: this, parent, counts: this.#insight.countsOf(kindName) });
    this.#cells.set(spec.address, cell);
    return cell;
  }

  /**
   * Gives a whole tree its addresses, under one supervisor of this thread. A child that this supervisor gives up on is
   * the thread's trouble. Starts nothing yet.
   */
  plant(strategy: Strategy, tree: readonly TreeSpec[]): Child {
    const deps = { clock: this.clock, random: this.random, report: this.#options.report };
    const adopt = (supervisor: Supervisor, children: readonly TreeSpec[]): Supervisor => {
      supervisor.adopt(
        children.map((spec) =>
          isSupervisor(spec)
            ? adopt(new Supervisor(spec, supervisor, deps), spec.children)
            : this.register(spec, supervisor),
        ),
      );
      return supervisor;
    };
    return adopt(new Supervisor({ name: this.supervisor, strategy }, this.#top, deps), tree);
  }

  /** Idempotent. Resolves when the actor runs, or when a later retry is due. */
  async startActor(spec: ChildSpec): Promise<void> {
    await this.#start(spec);
  }

  async stopActor(address: Address): Promise<void> {
    await this.#cells.get(address)?.stop();
  }

  /** Stops all actors except `except`, together. Actors started by messages do not depend on each other. */
  async stopOthers(except: ReadonlySet<Address>): Promise<void> {
    const others = [...this.#cells.values()].filter(({ spec }) => !except.has(spec.address));
    await Promise.all(others.map((cell) => cell.stop()));
  }

  /** Returns a way to reach an actor from outside any actor. It does not end with an incarnation. */
  ref<P extends Protocol>(address: AddressOf<P>): ActorRef<P> {
    return {
      address,
      tell: (command) => this.tell(address, command),
      // The protocol of the address defines the type of the answer. The answering side checks the type.
      ask: (question, { deadlineMs }) => this.ask(address, question, deadlineMs) as Promise<never>,
    };
  }

  tell(to: Address, command: Tagged): void {
    this.#post.tell(OUTSIDE, to, command);
  }

  ask(to: Address, question: Tagged, deadlineMs: number): Promise<unknown> {
    return this.#post.ask(OUTSIDE, to, { question, deadlineMs });
  }

  /** Ends an actor's incarnation as a throw inside it would. Returns `false` when the actor does not live here. */
  crashActor(address: Address, reason: unknown): boolean {
    const cell = this.#cells.get(address);
    cell?.crash(reason);
    return cell !== undefined;
  }

  /** Lets `seam` decide on every message from now on. `undefined` removes the seam. */
  setFaults(seam: FaultSeam | undefined): void {
    this.#post.setFaults(seam);
  }

  addresses(kind: string): readonly Address[] {
    return [...this.#cells.keys()].filter((address) => kindOf(address) === kind);
  }

  // ---- insight
  // -------------------------------------------------------------------------------------------------------

  figures(): HostFigures {
    const { pendingAsks } = this.#post;
    const { total: deadLetters, byKind: deadLettersByKind } = this.#deadLetters;
    return { deadLetters, deadLettersByKind, pendingAsks, timers: this.clock.size, ...this.#insight.of(this.#cells) };
  }

  /** Returns the steps of one trace that happened on this thread and are still kept. */
  trace(trace: string): readonly TraceStep[] {
    return this.#insight.trace(trace);
  }

  /** Returns the last messages that actors here have read, oldest first. */
  flight(atMost?: number): readonly FlightEntry[] {
    return this.#insight.flight(atMost);
  }

  // ---- links
  // ---------------------------------------------------------------------------------------------------------

  /** A peer thread has started or restarted and can be reached. */
  connect(thread: string, channel: FrameChannel): void {
    this.#post.connect(thread, channel);
    this.#notices.emit('thread-started', thread);
  }

  /** A peer thread has ended, so its answers will never come. Messages to it wait for its successor. */
  disconnect(thread: string): void {
    this.#post.disconnect(thread);
  }

  // ---- what cells and incarnations use
  // -------------------------------------------------------------------------------

  nextIncarnation(): number {
    return ++this.#lastIncarnation;
  }

  tellFrom(sender: Sender, to: Address, command: Tagged): void {
    this.#post.tell(sender, to, command);
  }

  askFrom(sender: Sender, to: Address, question: { question: Tagged; deadlineMs: number }): Promise<unknown> {
    return this.#post.ask(sender, to, question);
  }

  onThreadUp(listener: (thread: string) => void): () => void {
    this.#notices.on('thread-started', listener);
    return () => void this.#notices.off('thread-started', listener);
  }

  reading(cell: ActorCell, mail: Mail, at: ThreadMs): void {
    this.#insight.reading(cell, mail, at);
  }

  hasRead(cell: ActorCell, mail: Mail, ms: number): void {
    this.#insight.hasRead(cell, mail, ms);
  }

  report(report: SupervisorReport): void {
    if (isCrash(report)) {
      const flight = this.flight(FLIGHT_IN_REPORT).map(({ from, to, message }) => `${from} > ${to}: ${message}`);
      this.log.warn(
        { actor: report.child, err: report.reason, flight },
        'actor crashed; its supervisor decides on a restart; flight lists the last messages read on this thread',
      );
    }
    this.#options.report(report);
  }

  // ---- inside
  // --------------------------------------------------------------------------------------------------------

  #crashed(child: Child, verdict: Verdict, reason: string): void {
    if (verdict.type === 'escalate') this.#options.escalate(child.name, reason);
    else child.startAfter(verdict.afterMs);
  }

  #forget(child: Child): void {
    if (this.#cells.get(child.name) === child) this.#cells.delete(child.name);
  }

  #offer(to: Address, mail: Mail): void {
    const { message, reply } = mail;
    const cell = this.#cells.get(to);
    if (cell === undefined) {
      if (to === this.#ownAddress) {
        // A message to the host's own address is in the host's protocol. The sending side checks the type.
        if (reply === undefined) this.#duties.obey(message as HostCommand);
        else reply.answer(this.#duties.answer(message as HostQuestion));
      } else this.#undelivered(to, mail, 'ended');
      return;
    }
    if (mail.mark !== undefined) mail.mark.at = this.clock.monotonic();
    const taken = cell.offer(mail, this.#urgent.has(message.type) ? 'urgent' : 'usual');
    if (taken !== 'taken') this.#undelivered(to, mail, taken);
  }

  #undelivered(to: Address, { message, reply }: Mail, why: 'full' | 'ended'): void {
    if (why === 'full') {
      if (reply === undefined) this.#deadLetters.add(to, message.type, 'its mailbox is full');
      else reply.fault('overloaded', `the mailbox of ${to} is full`);
    } else if (reply === undefined) this.#deadLetters.add(to, message.type, NO_SUCH_ACTOR);
    else reply.fault('no-such-actor', `there is no actor at ${to}`);
  }

  /** Thousands of actors start together, so each start uses as few promises as possible. */
  #start(spec: ChildSpec): Promise<void> {
    const earlier = this.#cells.get(spec.address);
    if (earlier?.stopping !== true) return this.register(spec).start();
    // The successor takes the address and its messages at once. It lives when the earlier actor has ended.
    this.#cells.delete(spec.address);
    const cell = this.register(spec);
    return earlier.stop().then(() => cell.start());
  }
}
