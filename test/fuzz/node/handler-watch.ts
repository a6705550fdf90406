import type { Actor } from '../../../src/actor/actor.ts';
import type { Address, Protocol } from '../../../src/actor/messages/message.ts';
import { kindOf } from '../../../src/actor/messages/message.ts';
import { Trace } from '../../simulation/node/trace.ts';
import { Traps } from '../../simulation/node/traps.ts';

/** Records which actor handles a message now, so that a long turn has a name. */
export class HandlerWatch extends Traps {
  /** The handlers of the current turn. */
  readonly read: string[] = [];

  override around<P extends Protocol>(address: Address, actor: Actor<P>): Actor<P> {
    const made = super.around(address, actor);
    const note = (what: string): void => {
      if (this.read.length < 20) this.read.push(`${kindOf(address)} ${what}`);
    };
    return {
      start: () => made.start?.(),
      stop: () => made.stop?.(),
      tell(command) {
        note(command.type);
        made.tell(command);
      },
      ask(question) {
        note(question.type);
        return made.ask?.(question);
      },
    };
  }
}

/** Keeps only the last message: the name of the current turn. */
export class LatestOnly extends Trace {
  who = '';
  what = '';

  constructor() {
    super(0);
  }

  override add(_at: number, who: string, what: string): void {
    this.who = who;
    this.what = what;
  }
}
