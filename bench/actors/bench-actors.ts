import { addressOf } from '../../src/actor/messages/message.ts';
import { actorKind, type Actor, type ActorContext } from '../../src/actor/actor.ts';
import { defaultRestartRule, type ChildSpec } from '../../src/actor/supervision/child.ts';
import { systemClock } from '../../src/actor/clock.ts';
import { silentLog } from '../../src/actor/log.ts';
import type { Address } from '../../src/actor/messages/message.ts';
import { systemRandom } from '../../src/actor/random.ts';

/** Reads messages, and reports their number from time to time. */
export interface CounterProtocol {
  readonly command:
    /** A message of realistic size: a kind, an ID and a number. */
    | { readonly type: 'count'; readonly podUid: string; readonly revision: number; readonly text?: string }
    | { readonly type: 'crash' };
  readonly question: { readonly type: 'what'; readonly podUid: string };
  readonly answers: { readonly what: number };
}

/** Sends messages, at most so many ahead of what has been read. */
export interface SourceProtocol {
  readonly command:
    | {
        readonly type: 'tell';
        readonly to: Address;
        readonly messages: number;
        readonly text?: string;
        readonly batch: 'as-it-comes' | 'one-a-turn';
      }
    | { readonly type: 'counted'; readonly messages: number };
  readonly question: never;
  readonly answers: object;
}

const ACKNOWLEDGE_EVERY = 1_024;
const UNDER_WAY_AT_MOST = 8 * ACKNOWLEDGE_EVERY;
export const podUid = '6c2a8e0e-3b0f-4c57-9d3d-3f1c1f6f2a11';

function makeCounter(context: ActorContext<CounterProtocol>): Actor<CounterProtocol> {
  const source = context.ref(addressOf<SourceProtocol>('source'));
  let counted = 0;
  return {
    tell(command) {
      if (command.type === 'crash') throw new Error('made to crash');
      counted++;
      if (counted % ACKNOWLEDGE_EVERY === 0) source.tell({ type: 'counted', messages: ACKNOWLEDGE_EVERY });
    },
    ask: () => counted,
  };
}

function makeSource(context: ActorContext<SourceProtocol>, done: () => void): Actor<SourceProtocol> {
  let job: (SourceProtocol['command'] & { readonly type: 'tell' }) | undefined;
  let left = 0;
  let unread = 0;
  const send = (): void => {
    if (job === undefined) return;
    const { to, text, batch } = job;
    const counter = context.ref(addressOf<CounterProtocol>(to));
    const atOnce = batch === 'one-a-turn' ? 1 : Infinity;
    for (let sent = 0; left > 0 && unread < UNDER_WAY_AT_MOST && sent < atOnce; left--, unread++, sent++)
      counter.tell({ type: 'count', podUid, revision: left, ...(text === undefined ? {} : { text }) });
    if (unread === 0) return done();
    if (batch === 'one-a-turn' && left > 0 && unread < UNDER_WAY_AT_MOST) setImmediate(send);
  };
  return {
    tell(command) {
      if (command.type === 'tell') {
        job = command;
        left = command.messages;
      } else unread -= command.messages;
      // A sender of one message a turn continues on its own, unless it had to wait.
      if (
        command.type === 'tell' ||
        job?.batch === 'as-it-comes' ||
        left === 0 ||
        unread === UNDER_WAY_AT_MOST - ACKNOWLEDGE_EVERY
      )
        send();
    },
  };
}

const idle: Actor = { tell() {} };

/** The environment of both threads of the benchmark. */
export const benchEnvironment = (done: () => void = () => {}) => ({
  kinds: {
    counter: actorKind({ make: makeCounter, mailbox: { capacity: 100_000 } }),
    source: actorKind<SourceProtocol>({ make: (context) => makeSource(context, done), mailbox: { capacity: 100_000 } }),
    idle: actorKind({ make: () => idle, mailbox: { capacity: 1_000 } }),
  },
  placement: (address: Address): string => (address === 'counter/worker' ? 'worker' : 'main'),
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
});

export const benchChild = (address: Address): ChildSpec => ({
  address,
  // Crashes are the subject of this benchmark.
  restart: { ...defaultRestartRule, budget: { atMost: 1e9, withinMs: 1 } },
  stopWithinMs: 1_000,
});
