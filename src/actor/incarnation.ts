import { AsyncLocalStorage } from 'node:async_hooks';
import type { ActorContext } from './actor.ts';
import { ScopedClock, type Clock } from './clock.ts';
import { ActorFault } from './fault.ts';
import type { Log } from './log.ts';
import { addressOf, type AddressOf } from './messages/message.ts';
import type { ActorRef, Address, Answer, Protocol, Tagged } from './messages/message.ts';
import { OwnMessages } from './messages/own-messages.ts';
import type { Random } from './random.ts';

/** The sender of a message, and its trace. */
export interface Sender {
  readonly address: Address;
  readonly trace: string | undefined;
}

/** The sender of messages that no actor sends. */
export const OUTSIDE: Sender = { address: '', trace: undefined };

/** The operations through which an incarnation affects the rest of its thread. */
export interface IncarnationHost {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  tellFrom(sender: Sender, to: Address, command: Tagged): void;
  askFrom(
    sender: Sender,
    to: Address,
    question: { readonly question: Tagged; readonly deadlineMs: number },
  ): Promise<unknown>;
  onThreadUp(listener: (thread: string) => void): () => void;
}

export interface IncarnationEnd {
  crashed(reason: unknown): void;
  finished(): void;
  /** `true` if messages wait to be read. */
  isBusy(): boolean;
}

/** The running incarnation. An unhandled rejection is attributed to it. */
const running = new AsyncLocalStorage<Incarnation>();

/** Returns the incarnation whose code runs, or that started the code that runs. */
export const runningIncarnation = (): Incarnation | undefined => running.getStore();

/** One life of an actor. Its end cuts everything it had started: timers, listeners and the effects of late answers. */
export class Incarnation implements ActorContext, Sender {
  readonly address: Address;
  readonly incarnation: number;
  readonly restarted: boolean;
  /** The trace of the message being read. Set by the code that reads the message. */
  trace: string | undefined = undefined;
  readonly #host: IncarnationHost;
  readonly #end: IncarnationEnd;
  #alive = true;
  #clock: ScopedClock | undefined;
  #unlisten: (() => void)[] | undefined;
  #ended: (() => void) | undefined;
  #own: OwnMessages | undefined;
  /** Runs code in this incarnation's scope. */
  #scope: (<T>(code: () => T) => T) | undefined;

  constructor(
    id: { address: Address; incarnation: number; restarted: boolean },
    host: IncarnationHost,
    end: IncarnationEnd,
  ) {
    this.address = id.address;
    this.incarnation = id.incarnation;
    this.restarted = id.restarted;
    this.#host = host;
    this.#end = end;
  }

  get random(): Random {
    return this.#host.random;
  }

  get log(): Log {
    return this.#host.log;
  }

  // Most of thousands of actors have no timer and never write to themselves. Both parts are made at first use.
  get clock(): ScopedClock {
    // A throw in a timer is this actor's crash, not its thread's.
    this.#clock ??= new ScopedClock(
      { ...clockOf(this.#host.clock), after: (delayMs, fire) => this.#host.clock.after(delayMs, () => this.run(fire)) },
      (reason) => this.#crashed(reason),
    );
    if (!this.#alive) this.#clock.cancelAll();
    return this.#clock;
  }

  get self(): ActorRef<Protocol> {
    return this.ref(addressOf(this.address));
  }

  ref<Other extends Protocol>(address: AddressOf<Other>): ActorRef<Other> {
    return new Ref(this, this, address);
  }

  traced(trace: string): ActorContext {
    return new TracedContext(this, trace);
  }

  /** Runs code in the name of this incarnation. Promises that the code leaves unwatched are attributed to it. */
  run<T>(code: () => T): T {
    // A snapshot calls any function; its type keeps the arguments of the first.
    this.#scope ??= running.run(this, () => AsyncLocalStorage.snapshot()) as <R>(code: () => R) => R;
    return this.#scope(code);
  }

  tellFrom(sender: Sender, to: Address, command: Tagged): void {
    if (!this.#alive) return;
    if (to !== this.address) return this.#host.tellFrom(sender, to, command);
    this.#own ??= new OwnMessages({
      clock: this.clock,
      send: (message, trace) => this.#host.tellFrom({ address: this.address, trace }, this.address, message),
      isBusy: () => this.#end.isBusy(),
    });
    this.#own.say(command, sender.trace);
  }

  /**
   * Called before a message to itself is read. Returns `false` when the message belongs to another incarnation or was
   * read already.
   */
  hears(command: Tagged): boolean {
    return this.#own?.hears(command) === true;
  }

  /** A message to itself was replaced by a later message before it was read. */
  hasReplaced(command: Tagged): void {
    this.#own?.replaced(command);
  }

  async askFrom(sender: Sender, to: Address, question: { question: Tagged; deadlineMs: number }): Promise<unknown> {
    this.#mustLive(to);
    try {
      const answer = await this.#host.askFrom(sender, to, question);
      this.#mustLive(to);
      return answer;
    } catch (fault) {
      this.#mustLive(to);
      throw fault;
    }
  }

  supervise(work: Promise<unknown>): void {
    work.catch((reason: unknown) => this.#crashed(reason));
  }

  alive(): boolean {
    return this.#alive;
  }

  finish(): void {
    if (this.#alive) this.#end.finished();
  }

  onThreadUp(listener: (thread: string) => void): void {
    if (!this.#alive) return;
    const guarded = (thread: string): void => {
      try {
        this.run(() => listener(thread));
      } catch (reason) {
        this.#crashed(reason);
      }
    };
    (this.#unlisten ??= []).push(this.#host.onThreadUp(guarded));
  }

  /** Calls `listener` once, when this incarnation ends. Only the last listener counts. */
  onEnd(listener: () => void): void {
    this.#ended = listener;
  }

  /** Idempotent. */
  end(): void {
    this.#alive = false;
    this.#ended?.();
    this.#ended = undefined;
    this.#clock?.cancelAll();
    for (const unlisten of this.#unlisten ?? []) unlisten();
    this.#unlisten = undefined;
  }

  #crashed(reason: unknown): void {
    if (this.#alive) this.#end.crashed(reason);
  }

  #mustLive(callee: Address): void {
    if (!this.#alive) throw new ActorFault('caller-ended', `${this.address} ended before the answer of ${callee}`);
  }
}

const clockOf = (clock: Clock): Pick<Clock, 'now' | 'monotonic'> => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
});

class Ref<P extends Protocol> implements ActorRef<P> {
  readonly address: AddressOf<P>;
  readonly #incarnation: Incarnation;
  readonly #sender: Sender;

  constructor(incarnation: Incarnation, sender: Sender, address: AddressOf<P>) {
    this.#incarnation = incarnation;
    this.#sender = sender;
    this.address = address;
  }

  tell(command: P['command']): void {
    this.#incarnation.tellFrom(this.#sender, this.address, command);
  }

  ask<Q extends P['question']>(question: Q, { deadlineMs }: { readonly deadlineMs: number }): Promise<Answer<P, Q>> {
    // The protocol of `address` defines the type of the answer. The answering side checks the type.
    return this.#incarnation.askFrom(this.#sender, this.address, { question, deadlineMs }) as Promise<never>;
  }
}

/** An incarnation's context. All messages sent through it belong to one trace. */
class TracedContext implements ActorContext {
  readonly trace: string;
  readonly #incarnation: Incarnation;
  readonly #sender: Sender;

  constructor(incarnation: Incarnation, trace: string) {
    this.trace = trace;
    this.#incarnation = incarnation;
    this.#sender = { address: incarnation.address, trace };
  }

  get address(): Address {
    return this.#incarnation.address;
  }
  get incarnation(): number {
    return this.#incarnation.incarnation;
  }
  get restarted(): boolean {
    return this.#incarnation.restarted;
  }
  get clock(): Clock {
    return this.#incarnation.clock;
  }
  get random(): Random {
    return this.#incarnation.random;
  }
  get log(): Log {
    return this.#incarnation.log;
  }
  get self(): ActorRef<Protocol> {
    return this.ref(addressOf(this.address));
  }
  ref<Other extends Protocol>(address: AddressOf<Other>): ActorRef<Other> {
    return new Ref(this.#incarnation, this.#sender, address);
  }
  traced(trace: string): ActorContext {
    return this.#incarnation.traced(trace);
  }
  supervise(work: Promise<unknown>): void {
    this.#incarnation.supervise(work);
  }
  alive(): boolean {
    return this.#incarnation.alive();
  }
  finish(): void {
    this.#incarnation.finish();
  }
  onThreadUp(listener: (thread: string) => void): void {
    this.#incarnation.onThreadUp(listener);
  }
}
