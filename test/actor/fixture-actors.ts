import { addressOf } from '../../src/actor/messages/message.ts';
import { actorKind, type Actor, type ActorContext, type ActorKind } from '../../src/actor/actor.ts';
import { defaultRestartRule, type ChildSpec } from '../../src/actor/supervision/child.ts';
import { ActorFault } from '../../src/actor/fault.ts';
import { assertMessage } from '../../src/actor/messages/assert-message.ts';
import type { Placement } from '../../src/actor/thread-host.ts';
import type { Address } from '../../src/actor/messages/message.ts';

/** An actor that reports its identity, forwards messages, and fails on command. */
export interface FixtureProtocol {
  readonly command:
    /** Something that happened, and when on the monotonic scale: notes of different threads overtake each other. */
    | { readonly type: 'note'; readonly text: string; readonly at: number }
    /** Sends `note` on through the others, in this order. */
    | { readonly type: 'pass-on'; readonly text: string; readonly along: readonly Address[] }
    | { readonly type: 'eat-all-memory' }
    /** Leaves an unhandled rejection. */
    | { readonly type: 'forget-a-promise' };
  readonly question:
    | { readonly type: 'who' }
    | { readonly type: 'never-answered' }
    /** Answers with a value of this nesting depth. */
    | { readonly type: 'nested'; readonly levels: number }
    /** Asks `who` of another, and answers with the answer or the fault's code. */
    | { readonly type: 'who-is'; readonly address: Address };
  readonly answers: {
    readonly who: { readonly address: Address; readonly incarnation: number };
    readonly 'who-is': { readonly address: Address; readonly incarnation: number } | string;
  };
}

/** `kind/<thread>/…`: the address contains the thread. */
export const fixturePlacement: Placement = (address) => address.split('/')[1] ?? 'main';

export const diaryAddress = 'fixture/main/diary';

export const fixtureChild = (address: Address): ChildSpec => ({
  address,
  restart: defaultRestartRule,
  stopWithinMs: 1_000,
});

function makeFixture(
  context: ActorContext<FixtureProtocol>,
  onNote: (text: string, at: number) => void,
): Actor<FixtureProtocol> {
  const { address, incarnation } = context;
  const note = (text: string): void =>
    context.ref(addressOf<FixtureProtocol>(diaryAddress)).tell({ type: 'note', text, at: context.clock.monotonic() });
  return {
    start: () => note(`${address} started`),
    stop: () => note(`${address} stopped`),
    tell(command) {
      switch (command.type) {
        case 'note':
          return onNote(command.text, command.at);
        case 'pass-on': {
          const [next, ...along] = command.along;
          if (next === undefined) return note(command.text);
          return context.ref(addressOf<FixtureProtocol>(next)).tell({ ...command, along });
        }
        case 'forget-a-promise':
          void (async () => {
            await Promise.resolve();
            throw new Error('nobody looks after this');
          })();
          return;
        case 'eat-all-memory': {
          const eaten: object[] = [];
          for (;;) eaten.push({ crumb: eaten.length });
        }
      }
    },
    ask(question): unknown {
      switch (question.type) {
        case 'who':
          return { address, incarnation };
        case 'nested': {
          let value: object = {};
          for (let level = 0; level < question.levels; level++) value = { a: value };
          return value;
        }
        case 'never-answered':
          return new Promise(() => {});
        case 'who-is':
          return context
            .ref(addressOf<FixtureProtocol>(question.address))
            .ask({ type: 'who' }, { deadlineMs: 10_000 })
            .catch((fault: unknown) => (fault instanceof ActorFault ? fault.code : String(fault)));
        default:
          return assertMessage(question);
      }
    },
  };
}

export const fixtureKind = (onNote: (text: string, at: number) => void = () => {}): ActorKind =>
  actorKind<FixtureProtocol>({ make: (context) => makeFixture(context, onNote), mailbox: { capacity: 10_000 } });
