import { EventEmitter } from 'eventemitter3';
import { ActorCell, unpackAnswer, type CellFigures, type CellHost } from './actor-cell.ts';
import type { ActorKind } from './actor.ts';
import type { ChildSpec, SupervisorReport } from './child.ts';
import type { Clock } from './clock.ts';
import { Dispatcher, eventLoopTurns, type Turns } from './dispatcher.ts';
import { hostAddress, type HostCommand, type HostQuestion } from './host-protocol.ts';
import { Link, type FrameChannel } from './link.ts';
import { describeError } from './fault.ts';
import type { Log } from './log.ts';
import type { ReplyTo } from './mailbox.ts';
import {
  FRAME_ANSWER,
  FRAME_ASK,
  FRAME_FAULT,
  FRAME_TELL,
  kindOf,
  type Address,
  type ActorRef,
  type Frame,
  type Protocol,
  type Tagged,
} from './message.ts';
import { PendingAsks } from './pending-asks.ts';
import type { Random } from './random.ts';
import { assertMessage } from './assert-message.ts';

/** Which thread an address lives on. The same pure function on every thread, so that no directory has to be kept. */
export type Placement = (address: Address) => string;

export interface ThreadHostOptions {
  readonly thread: string;
  /** Counts the lives of this thread, so that incarnations of its actors are larger than those of the life before. */
  readonly life: number;
  readonly kinds: Readonly<Record<string, ActorKind>>;
  readonly placement: Placement;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly turns?: Turns;
  /** Every crash and end on this thread. */
  readonly report: (report: SupervisorReport) => void;
  /** An actor here cannot be kept alive: the thread itself is to be replaced. */
  readonly escalate: (child: string, reason: string) => void;
}

/** Incarnations, and questions, of one life of a thread: far more than it can use. */
const IDS_PER_LIFE = 1e9;

/** Everything one thread keeps: its actors, the links to its peers, the questions it waits for. */
export class ThreadHost implements CellHost {
  readonly thread: string;
  readonly supervisor: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly dispatcher: Dispatcher;
  readonly #options: ThreadHostOptions;
  readonly #ownAddress: Address;
  readonly #turns: Turns;
  readonly #cells = new Map<Address, ActorCell>();
  readonly #links = new Map<string, Link>();
  readonly #asks: PendingAsks;
  readonly #notices = new EventEmitter<{ 'thread-up': [thread: string] }>();
  #lastIncarnation: number;
  #deadLetters = 0;

  constructor(options: ThreadHostOptions) {
    this.#options = options;
    this.#turns = options.turns ?? eventLoopTurns;
    this.thread = options.thread;
    this.supervisor = `thread/${options.thread}`;
    this.#ownAddress = hostAddress(options.thread);
    this.clock = options.clock;
    this.random = options.random;
    this.log = options.log;
    this.dispatcher = new Dispatcher(this.#turns);
    this.#asks = new PendingAsks(options.clock, options.life * IDS_PER_LIFE);
    this.#lastIncarnation = options.life * IDS_PER_LIFE;
  }

  // ---- actors --------------------------------------------------------------------------------------------------------

  /** Gives the actor its address: messages to it wait until it is started. Idempotent. */
  register(spec: ChildSpec): ActorCell {
    const living = this.#cells.get(spec.address);
    if (living !== undefined) return living;
    const kind = this.#options.kinds[kindOf(spec.address)];
    if (kind === undefined) throw new Error(`no actor kind is registered for ${spec.address}`);
    const cell = new ActorCell(spec, kind, this);
    this.#cells.set(spec.address, cell);
    return cell;
  }

  /** Idempotent. Resolves when the actor runs, or is known to be tried again later. */
  async startActor(spec: ChildSpec): Promise<void> {
    const earlier = this.#cells.get(spec.address);
    if (earlier?.stopping === true) {
      // The successor takes the address, and with it the messages, at once; it lives when the earlier one has ended.
      this.#cells.delete(spec.address);
      const cell = this.register(spec);
      await earlier.stop();
      await cell.boot();
    } else {
      await this.register(spec).boot();
    }
  }

  async stopActor(address: Address): Promise<void> {
    await this.#cells.get(address)?.stop();
  }

  /** Stops all actors but `except`, together: those that were started by messages do not depend on each other. */
  async stopOthers(except: ReadonlySet<Address>): Promise<void> {
    const others = [...this.#cells.values()].filter(({ spec }) => !except.has(spec.address));
    await Promise.all(others.map((cell) => cell.stop()));
  }

  /** A way to reach an actor from outside any: it does not end with an incarnation. */
  ref<P extends Protocol>(address: Address): ActorRef<P> {
    return {
      address,
      tell: (command) => this.tell(address, command),
      // The protocol of the address says what the answer is; the type is checked on the answering side.
      ask: (question, { deadlineMs }) => this.ask(address, question, deadlineMs) as Promise<never>,
    };
  }

  /** Ends one actor's incarnation as a throw inside it would. False: it does not live here. */
  crashActor(address: Address, reason: unknown): boolean {
    const cell = this.#cells.get(address);
    cell?.crash(reason);
    return cell !== undefined;
  }

  figures(): {
    readonly deadLetters: number;
    readonly pendingAsks: number;
    readonly actors: Record<Address, CellFigures>;
  } {
    const actors = Object.fromEntries([...this.#cells].map(([address, cell]) => [address, cell.figures]));
    return { deadLetters: this.#deadLetters, pendingAsks: this.#asks.size, actors };
  }

  addresses(kind: string): readonly Address[] {
    return [...this.#cells.keys()].filter((address) => kindOf(address) === kind);
  }

  // ---- links ---------------------------------------------------------------------------------------------------------

  /** A (new life of a) peer thread can be reached. */
  connect(thread: string, channel: FrameChannel): void {
    this.#link(thread).attach(channel);
    this.#notices.emit('thread-up', thread);
  }

  /** A peer thread has ended: its answers will never come. What it is told meanwhile waits for its successor. */
  disconnect(thread: string): void {
    const link = this.#link(thread);
    link.detach();
    link.dropWaiting((frame) => frame[0] !== FRAME_TELL);
    this.#asks.threadEnded(thread);
  }

  // ---- what incarnations use -----------------------------------------------------------------------------------------

  nextIncarnation(): number {
    return ++this.#lastIncarnation;
  }

  tell(to: Address, command: Tagged): void {
    const thread = this.#threadOf(to);
    if (thread === this.thread) this.#offer(to, command);
    else if (!this.#link(thread).send([FRAME_TELL, to, command])) this.#deadLetter(to, command, 'the link is full');
  }

  ask(to: Address, question: Tagged, deadlineMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const thread = this.#threadOf(to);
      const id = this.#asks.add({ thread, callee: to, question: question.type, deadlineMs, resolve, reject });
      if (thread === this.thread) {
        this.#offer(to, question, {
          answer: (value) => this.#asks.answer(id, unpackAnswer(value).value),
          fault: (code, detail) => this.#asks.fault(id, code, detail),
        });
      } else if (!this.#link(thread).send([FRAME_ASK, to, question, id])) {
        this.#asks.fault(id, 'overloaded', `the link to thread ${thread} is full`);
      }
    });
  }

  onThreadUp(listener: (thread: string) => void): () => void {
    this.#notices.on('thread-up', listener);
    return () => void this.#notices.off('thread-up', listener);
  }

  report(report: SupervisorReport): void {
    this.#options.report(report);
  }

  escalate(child: string, reason: string): void {
    this.#options.escalate(child, reason);
  }

  forget(cell: ActorCell): void {
    if (this.#cells.get(cell.spec.address) === cell) this.#cells.delete(cell.spec.address);
  }

  // ---- inside --------------------------------------------------------------------------------------------------------

  #threadOf(to: Address): string {
    return to.startsWith('host/') ? to.slice('host/'.length) : this.#options.placement(to);
  }

  #offer(to: Address, message: Tagged, reply?: ReplyTo): void {
    const cell = this.#cells.get(to);
    if (cell === undefined) {
      // What is sent to the host's own address is in the host's protocol; the type is checked where it is sent.
      if (to === this.#ownAddress) {
        if (reply === undefined) this.#obey(message as HostCommand);
        else reply.answer(this.#answer(message as HostQuestion));
      } else if (reply === undefined) this.#deadLetter(to, message, 'nobody lives there');
      else reply.fault('no-such-actor', `nobody lives at ${to}`);
    } else if (!cell.offer(message, reply)) {
      if (reply === undefined) this.#deadLetter(to, message, 'its mailbox is full');
      else reply.fault('overloaded', `the mailbox of ${to} is full`);
    }
  }

  #link(thread: string): Link {
    let link = this.#links.get(thread);
    if (link === undefined) {
      link = new Link({
        later: (turn) => this.#turns.later(turn),
        deliver: (frame) => this.#deliver(thread, frame),
        unsendable: (frame, reason) => this.#unsendable(thread, frame, describeError(reason)),
      });
      this.#links.set(thread, link);
    }
    return link;
  }

  #deliver(from: string, frame: Frame): void {
    switch (frame[0]) {
      case FRAME_TELL:
        return this.#offer(frame[1], frame[2]);
      case FRAME_ASK: {
        const [, to, question, id] = frame;
        const link = this.#link(from);
        return this.#offer(to, question, {
          answer: (value) => {
            const { value: plain, buffers } = unpackAnswer(value);
            link.send([FRAME_ANSWER, id, plain], buffers);
          },
          fault: (code, detail) => void link.send([FRAME_FAULT, id, code, detail]),
        });
      }
      case FRAME_ANSWER:
        return this.#asks.answer(frame[1], frame[2]);
      case FRAME_FAULT:
        return this.#asks.fault(frame[1], frame[2], frame[3]);
      default:
        return assertMessage(frame);
    }
  }

  #unsendable(thread: string, frame: Frame, why: string): void {
    this.log.error({ thread, frame: frame[0], err: why }, 'a message that is not plain data was dropped');
    if (frame[0] === FRAME_TELL) this.#deadLetters++;
    else if (frame[0] === FRAME_ASK) this.#asks.fault(frame[3], 'not-plain-data', why);
    else this.#link(thread).send([FRAME_FAULT, frame[1], 'not-plain-data', why]);
  }

  #deadLetter(to: Address, message: Tagged, why: string): void {
    this.#deadLetters++;
    this.log.debug({ to, message: message.type }, `message not delivered: ${why}`);
  }

  /**
   * What the host itself is told takes effect as it is delivered, so that what the same sender tells the actor next finds
   * it. The actors' own code runs later all the same.
   */
  #obey(command: HostCommand): void {
    switch (command.type) {
      case 'start-actor':
        this.startActor(command.spec).catch((reason: unknown) =>
          this.log.error({ actor: command.spec.address, err: describeError(reason) }, 'the actor cannot be started'),
        );
        return;
      case 'stop-actor':
        void this.stopActor(command.address);
        return;
      case 'tell-all':
        for (const address of this.addresses(command.kind)) this.#offer(address, command.command);
        return;
      default:
        assertMessage(command);
    }
  }

  #answer(question: HostQuestion): readonly Address[] {
    return this.addresses(question.kind);
  }
}
