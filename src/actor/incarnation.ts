import type { ActorContext } from './actor.ts';
import { ScopedClock, type Clock } from './clock.ts';
import { ActorFault } from './fault.ts';
import type { Log } from './log.ts';
import type { ActorRef, Address, Protocol, Tagged } from './message.ts';
import type { Random } from './random.ts';

/** What an incarnation may do to the world around it. */
export interface IncarnationHost {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  tell(to: Address, command: Tagged): void;
  ask(to: Address, question: Tagged, deadlineMs: number): Promise<unknown>;
  onThreadUp(listener: (thread: string) => void): () => void;
}

export interface IncarnationEnd {
  crashed(reason: unknown): void;
  finished(): void;
}

/** One life of an actor. Ending it cuts everything it had started: timers, listeners, and the effects of late answers. */
export class Incarnation implements ActorContext {
  readonly address: Address;
  readonly incarnation: number;
  readonly restarted: boolean;
  readonly clock: ScopedClock;
  readonly random: Random;
  readonly log: Log;
  readonly self: ActorRef<Protocol>;
  readonly #host: IncarnationHost;
  readonly #end: IncarnationEnd;
  #alive = true;
  #unlisten: (() => void)[] | undefined;

  constructor(
    id: { address: Address; incarnation: number; restarted: boolean },
    host: IncarnationHost,
    end: IncarnationEnd,
  ) {
    this.address = id.address;
    this.incarnation = id.incarnation;
    this.restarted = id.restarted;
    // A throw in a timer is this actor's crash, not its thread's.
    this.clock = new ScopedClock(host.clock, (reason) => this.#crashed(reason));
    this.random = host.random;
    this.log = host.log;
    this.#host = host;
    this.#end = end;
    this.self = this.ref(id.address);
  }

  ref<Other extends Protocol>(address: Address): ActorRef<Other> {
    return {
      address,
      tell: (command) => {
        if (this.#alive) this.#host.tell(address, command);
      },
      ask: async (question, { deadlineMs }) => {
        this.#mustLive(address);
        try {
          const answer = await this.#host.ask(address, question, deadlineMs);
          this.#mustLive(address);
          // The protocol of `address` says what the answer to this question is; the type is checked on the answering side.
          return answer as never;
        } catch (fault) {
          this.#mustLive(address);
          throw fault;
        }
      },
    };
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
        listener(thread);
      } catch (reason) {
        this.#crashed(reason);
      }
    };
    (this.#unlisten ??= []).push(this.#host.onThreadUp(guarded));
  }

  /** Idempotent. */
  end(): void {
    this.#alive = false;
    this.clock.cancelAll();
    for (const unlisten of this.#unlisten ?? []) unlisten();
    this.#unlisten = undefined;
  }

  #crashed(reason: unknown): void {
    if (this.#alive) this.#end.crashed(reason);
  }

  #mustLive(callee: Address): void {
    if (!this.#alive) throw new ActorFault('caller-ended', `${this.address} ended while it asked ${callee}`);
  }
}
