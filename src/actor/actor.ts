import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import type { ActorRef, Address, AddressOf, Protocol, Tagged } from './messages/message.ts';
import type { Random } from './random.ts';

/**
 * One duty. It reads one message at a time and never waits inside `tell`: long work is started, and its end comes back
 * as a command to itself. Whatever it throws ends this incarnation; the supervisor decides what comes next.
 */
export interface Actor<P extends Protocol = Protocol> {
  /** Once, before the first message is read. A throw or rejection is a death while booting. */
  start?(): void | Promise<void>;
  tell(command: P['command']): void;
  /** A rejection crashes the actor, as a throw does; a normal "no" is an answer. */
  ask?(question: P['question']): unknown;
  /** The last call, on an orderly stop only. Work that must not be cut off is finished here, within the child's deadline. */
  stop?(): void | Promise<void>;
}

/** What an incarnation stands on. All of it ends with the incarnation: timers, pending questions, supervised work. */
export interface ActorContext<P extends Protocol = Protocol> {
  readonly address: Address;
  /** Larger for each later life of the same address, over restarts of its thread too. Effects carry it with the address, so that a dead one's are fenced. */
  readonly incarnation: number;
  /** Whether an earlier incarnation of this address lived on this thread. */
  readonly restarted: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly self: ActorRef<P>;
  /** The trace that the message being read belongs to. Gone once the turn is over: what goes on later keeps `traced`. */
  readonly trace: string | undefined;
  /**
   * This context, with everything told and asked through it belonging to a trace, also after the turn and in timers. What is
   * told and asked while a traced message is being read belongs to that trace anyway.
   */
  traced(trace: string): ActorContext<P>;
  ref<Other extends Protocol>(address: AddressOf<Other>): ActorRef<Other>;
  /** Takes charge of a promise: if it rejects while this incarnation lives, this actor has crashed. */
  supervise(work: Promise<unknown>): void;
  /** False once this incarnation has ended: late results check it before they touch anything. */
  alive(): boolean;
  /** This actor has done its duty for good. It is stopped and forgotten, not restarted. */
  finish(): void;
  /** Calls `listener` whenever a thread has come up (again): what was told to its actors before may be lost. Listeners only enqueue. */
  onThreadUp(listener: (thread: string) => void): void;
}

/** What a client of another actor needs of the incarnation that calls. */
export type Caller = Pick<ActorContext, 'address' | 'incarnation' | 'ref'>;

/** Makes one incarnation. `init` is the plain data of its `ChildSpec`. */
export type ActorFactory = (context: ActorContext<never>, init: unknown) => Actor<never>;

/** What happens when an actor's mailbox is full. */
export interface MailboxPolicy {
  readonly capacity: number;
  /**
   * Commands with the same key replace each other while they wait: the newest is kept, in the oldest's place.
   * `undefined` for a command that must be read each time. Whatever still does not fit is refused and counted.
   */
  readonly coalesce?: (command: Tagged) => string | undefined;
}

/** How one kind of actor is made and kept. */
export interface ActorKind {
  readonly make: ActorFactory;
  readonly mailbox: MailboxPolicy;
  /** What a message is about, in a word or two, for whoever follows a trace: its type alone may not say it. */
  readonly about?: (message: Tagged) => string | undefined;
}

/**
 * An actor kind in the types of its own protocol; `make` says itself what `init` is. The address that an actor is registered
 * under is what ties it to its protocol, so this is the one place where the types part.
 */
export function actorKind<P extends Protocol>(kind: {
  readonly make: (context: ActorContext<P>, init: never) => Actor<P>;
  readonly mailbox: {
    readonly capacity: number;
    readonly coalesce?: (command: P['command']) => string | undefined;
  };
  readonly about?: (message: P['command'] | P['question']) => string | undefined;
}): ActorKind {
  return kind as unknown as ActorKind;
}
