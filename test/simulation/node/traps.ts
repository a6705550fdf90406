import type { Actor } from '../../../src/actor/actor.ts';
import type { Address, Protocol } from '../../../src/actor/messages/message.ts';

/** The moment at which an actor fails: before it handles a message, or after. */
export interface Trap {
  readonly address: Address;
  /** At the n-th message from now; the first is 1. */
  message: number;
  readonly moment: 'before' | 'after';
}

/** Makes actors throw while they handle a message. */
export class Traps {
  readonly #traps = new Map<Address, Trap>();
  /** By address, the number of starts that still fail. */
  readonly #poison = new Map<Address, number>();
  #failingJobs = 0;

  set(trap: Trap): void {
    this.#traps.set(trap.address, trap);
  }

  poison(address: Address, starts: number): void {
    this.#poison.set(address, starts);
  }

  failNextJob(): void {
    this.#failingJobs++;
  }

  clear(): void {
    this.#traps.clear();
    this.#poison.clear();
    this.#failingJobs = 0;
  }

  nextJobFails(): boolean {
    if (this.#failingJobs === 0) return false;
    this.#failingJobs--;
    return true;
  }

  around<P extends Protocol>(address: Address, actor: Actor<P>): Actor<P> {
    return {
      start: () => {
        const left = this.#poison.get(address) ?? 0;
        if (left > 0) {
          this.#poison.set(address, left - 1);
          throw new Error('made to fail at its start');
        }
        return actor.start?.();
      },
      stop: () => actor.stop?.(),
      tell: (command) => {
        const moment = this.#due(address);
        if (moment === 'before') throw new Error('made to fail before a message');
        actor.tell(command);
        if (moment === 'after') throw new Error('made to fail after a message');
      },
      ask: (question) => {
        const moment = this.#due(address);
        if (moment === 'before') throw new Error('made to fail before a question');
        const answer = actor.ask?.(question);
        if (moment === undefined) return answer;
        // No caller waits for the result any more.
        if (answer instanceof Promise) answer.catch(() => {});
        throw new Error('made to fail after a question');
      },
    };
  }

  #due(address: Address): Trap['moment'] | undefined {
    const trap = this.#traps.get(address);
    if (trap === undefined) return undefined;
    trap.message--;
    if (trap.message > 0) return undefined;
    this.#traps.delete(address);
    return trap.moment;
  }
}
