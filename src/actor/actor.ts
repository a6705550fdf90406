import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import type { ActorRef, Address, AddressOf, Protocol, Tagged } from './messages/message.ts';
import type { Random } from './random.ts';

/**
 * One duty of the agent. An actor reads one message at a time and never waits inside `tell`. It starts long work, and
 * the end of that work comes back as a command to itself. A throw ends this incarnation, and the supervisor decides
 * what comes next.
 */
export interface Actor<P extends Protocol = Protocol> {
  /** Called once, before the first message is read. A throw or rejection counts as a death while booting. */
  start?(): void | Promise<void>;
  tell(command: P['command']): void;
  /** A rejection crashes the actor, as a throw does. A normal "no" is an answer. */
  ask?(question: P['question']): unknown;
  /**
   * The last call, on an orderly stop only. The actor finishes here, within the child's deadline, the work that must
   * not be cut off.
   */
  stop?(): void | Promise<void>;
}

/** The services of one incarnation. All of them end with it: timers, pending questions and supervised work. */
export interface ActorContext<P extends Protocol = Protocol> {
  readonly address: Address;
  /**
   * Grows with each life of the same address, also when its thread restarts. Effects carry it with the address, so that
   * the effects of a dead incarnation are fenced.
   */
  readonly incarnation: number;
  /** `true` if an earlier incarnation of this address lived on this thread. */
  readonly restarted: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly self: ActorRef<P>;
  /** The trace of the message being read. Cleared after the turn: work that continues later keeps `traced`. */
  readonly trace: string | undefined;
  /**
   * Returns this context, with all messages sent through it belonging to a trace, also after the turn and in timers.
   * Messages sent while a traced message is read belong to that trace without it.
   */
  traced(trace: string): ActorContext<P>;
  ref<Other extends Protocol>(address: AddressOf<Other>): ActorRef<Other>;
  /** Takes charge of a promise. If the promise rejects while this incarnation lives, the actor has crashed. */
  supervise(work: Promise<unknown>): void;
  /** `false` once this incarnation has ended. Late results check it before they have any effect. */
  alive(): boolean;
  /** Declares this actor's duty done for good. The actor is stopped and forgotten, not restarted. */
  finish(): void;
  /**
   * Calls `listener` whenever a thread starts or restarts. Messages sent to its actors before may be lost. Listeners
   * only enqueue.
   */
  onThreadUp(listener: (thread: string) => void): void;
}

/** The part of the calling incarnation that a client of another actor needs. */
export type Caller = Pick<ActorContext, 'address' | 'incarnation' | 'ref'>;

/** Makes one incarnation. `init` is the plain data of its `ChildSpec`. */
export type ActorFactory = (context: ActorContext<never>, init: unknown) => Actor<never>;

/** The rule for an actor whose mailbox is full. */
export interface MailboxPolicy {
  readonly capacity: number;
  /**
   * Commands with the same key replace each other while they wait. The newest command takes the place of the oldest.
   * `undefined` for a command that must be read each time. A command that still does not fit is refused and counted.
   */
  readonly coalesce?: (command: Tagged) => string | undefined;
}

/** How one kind of actor is made and kept. */
export interface ActorKind {
  readonly make: ActorFactory;
  readonly mailbox: MailboxPolicy;
  /** Returns the subject of a message in a word or two, for traces. The type alone may not name it. */
  readonly about?: (message: Tagged) => string | undefined;
}

/**
 * Returns an actor kind in the types of its own protocol; `make` declares the type of `init`. An actor's address ties
 * it to its protocol, so this is the only place where the types differ.
 */
export function actorKind<P extends Protocol>(kind: {
  readonly make: (context: ActorContext<P>, init: never) => Actor<P>;
  readonly mailbox: {
    readonly capacity: number;
    readonly coalesce?: (command: P['command']) => string | undefined;
  };
  readonly about?: (message: P['command'] | P['question']) => string | undefined;
}): ActorKind {
  // A host knows kinds by name only, and hands each only its own messages.
  return kind as unknown as ActorKind;
}
