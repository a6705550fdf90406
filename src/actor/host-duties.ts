import { assertMessage } from './messages/assert-message.ts';
import type { ChildSpec } from './supervision/child.ts';
import { describeError } from './fault.ts';
import type { HostCommand, HostQuestion } from './messages/host-protocol.ts';
import type { Log } from './log.ts';
import type { Address, Tagged } from './messages/message.ts';

/** What the duties of a host stand on. */
interface HostActors {
  readonly log: Log;
  stopActor(address: Address): Promise<void>;
  addresses(kind: string): readonly Address[];
  tell(to: Address, command: Tagged): void;
}

/**
 * What the host itself is told and asked, at `host/<thread>`. It takes effect as it is delivered, so that what the same sender
 * tells the actor next finds it. The actors' own code runs later all the same.
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
        return this.#startTold(command.spec);
      case 'stop-actor':
        void this.#actors.stopActor(command.address);
        return;
      case 'tell-all':
        for (const address of this.#actors.addresses(command.kind)) this.#actors.tell(address, command.command);
        return;
      default:
        assertMessage(command);
    }
  }

  answer({ kind }: HostQuestion): readonly Address[] {
    return this.#actors.addresses(kind);
  }

  #startTold(spec: ChildSpec): void {
    try {
      // Its crashes are seen to by its supervisor; nothing else comes of it.
      void this.#start(spec);
    } catch (reason) {
      this.#actors.log.error({ actor: spec.address, err: describeError(reason) }, 'the actor cannot be started');
    }
  }
}
