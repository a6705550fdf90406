import { assertMessage } from './messages/assert-message.ts';
import type { ChildSpec } from './supervision/child.ts';
import { describeError } from './fault.ts';
import type { HostCommand, HostQuestion } from './messages/host-protocol.ts';
import type { Log } from './log.ts';
import type { Address, Tagged } from './messages/message.ts';

/** The parts of a host that its duties use. */
interface HostActors {
  readonly log: Log;
  stopActor(address: Address): Promise<void>;
  addresses(kind: string): readonly Address[];
  tell(to: Address, command: Tagged): void;
}

/**
 * Handles the commands and questions to the host itself, at `host/<thread>`. They take effect on delivery, so that the
 * sender's next message to the actor finds it. The actors' own code still runs later.
 */
export class HostDuties {
  readonly #actors: HostActors;
  readonly #start: (spec: ChildSpec) => Promise<void>;

  constructor(actors: HostActors, start: (spec: ChildSpec) => Promise<void>) {
    this.#actors = actors;
    this.#start = start;
  }

  obey(command: HostCommand): void {
    switch (command.type) {
      case 'start-actor':
        return this.#startRequested(command.spec);
      case 'stop-actor':
        void this.#actors.stopActor(command.address);
        return;
      case 'broadcast':
        for (const address of this.#actors.addresses(command.kind)) this.#actors.tell(address, command.command);
        return;
      default:
        assertMessage(command);
    }
  }

  answer({ kind }: HostQuestion): readonly Address[] {
    return this.#actors.addresses(kind);
  }

  #startRequested(spec: ChildSpec): void {
    try {
      // The actor's supervisor handles its crashes; there is nothing else to wait for.
      void this.#start(spec);
    } catch (reason) {
      this.#actors.log.error(
        { actor: spec.address, err: describeError(reason) },
        'actor cannot be started; it stays down until the next start request',
      );
    }
  }
}
