/**
 * How many small messages a second can actors exchange: within a thread, between two threads, and as questions with answers?
 *
 *     node bench/messages.ts [--json] [--rounds 5]
 */
import { isMainThread } from 'node:worker_threads';
import { parseArgs } from 'node:util';
import { actorKind, type Actor, type ActorContext } from '../src/actor/actor.ts';
import { defaultRestartRule, type ChildSpec } from '../src/actor/child.ts';
import { systemClock } from '../src/actor/clock.ts';
import { silentLog } from '../src/actor/log.ts';
import type { Address } from '../src/actor/message.ts';
import { systemRandom } from '../src/actor/random.ts';
import { serveThread } from '../src/actor/serve-thread.ts';
import { ThreadHost } from '../src/actor/thread-host.ts';
import { ThreadSupervisor } from '../src/actor/thread-supervisor.ts';

interface CounterProtocol {
  /** As small as a real one: a kind, an ID and a number. */
  readonly command: { readonly type: 'count'; readonly podUid: string; readonly revision: number };
  readonly question: { readonly type: 'what'; readonly podUid: string };
  readonly answers: { readonly what: number };
}

type SourceCommand =
  | { readonly type: 'tell'; readonly to: Address; readonly messages: number }
  | { readonly type: 'ask'; readonly to: Address; readonly questions: number; readonly atOnce: number }
  /** The counter has read so many more: as many may follow. */
  | { readonly type: 'counted'; readonly messages: number };
interface SourceProtocol {
  readonly command: SourceCommand;
  readonly question: never;
  readonly answers: object;
}

const ACKNOWLEDGE_EVERY = 1_024;
const UNDER_WAY_AT_MOST = 8 * ACKNOWLEDGE_EVERY;
const podUid = '6c2a8e0e-3b0f-4c57-9d3d-3f1c1f6f2a11';

function makeCounter(context: ActorContext<CounterProtocol>): Actor<CounterProtocol> {
  const source = context.ref<SourceProtocol>('source');
  let counted = 0;
  return {
    tell() {
      counted++;
      if (counted % ACKNOWLEDGE_EVERY === 0) source.tell({ type: 'counted', messages: ACKNOWLEDGE_EVERY });
    },
    ask: () => counted,
  };
}

/** Sends as fast as the other side reads, and calls `done` when all of it has been read. */
function makeSource(context: ActorContext<SourceProtocol>, done: () => void): Actor<SourceProtocol> {
  let counter = context.ref<CounterProtocol>('counter/main');
  let left = 0;
  let unread = 0;

  const send = (): void => {
    for (; left > 0 && unread < UNDER_WAY_AT_MOST; left--, unread++)
      counter.tell({ type: 'count', podUid, revision: left });
    if (unread === 0) done();
  };
  const askOneByOne = async (questions: number): Promise<void> => {
    for (let asked = 0; asked < questions; asked++) await counter.ask({ type: 'what', podUid }, { deadlineMs: 60_000 });
  };
  const askAll = async (questions: number, atOnce: number): Promise<void> => {
    await Promise.all(Array.from({ length: atOnce }, () => askOneByOne(questions / atOnce)));
    done();
  };

  return {
    tell(command) {
      switch (command.type) {
        case 'tell':
          counter = context.ref(command.to);
          left = command.messages;
          return send();
        case 'ask':
          counter = context.ref(command.to);
          return context.supervise(askAll(command.questions, command.atOnce));
        case 'counted':
          unread -= command.messages;
          return send();
      }
    },
  };
}

const environment = (done: () => void) => ({
  kinds: {
    counter: actorKind({ make: makeCounter, mailbox: { capacity: 100_000 } }),
    source: actorKind<SourceProtocol>({ make: (context) => makeSource(context, done), mailbox: { capacity: 100_000 } }),
  },
  placement: (address: Address): string => (address === 'counter/worker' ? 'worker' : 'main'),
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
});

const child = (address: Address): ChildSpec => ({ address, restart: defaultRestartRule, stopWithinMs: 1_000 });

interface Figure {
  readonly what: string;
  readonly perSecond: number;
  readonly target?: number;
}

async function measure(rounds: number): Promise<readonly Figure[]> {
  let done = (): void => {};
  const fail = (reason: string): void => {
    throw new Error(reason);
  };
  const common = environment(() => done());
  const mainHost = new ThreadHost({ ...common, thread: 'main', life: 1, report: () => {}, escalate: fail });
  const supervisor = new ThreadSupervisor({
    ...common,
    threads: [{ name: 'worker', actors: [child('counter/worker')], restart: defaultRestartRule, heapLimitMiB: 256 }],
    entry: new URL(import.meta.url),
    config: undefined,
    mainHost,
    heartbeatBudgetMs: 10_000,
    report: () => {},
    giveUp: fail,
  });
  for (const address of ['counter/main', 'source']) await mainHost.startActor(child(address));
  await supervisor.start();

  /** The best of some rounds, the first of which warms up: other work on the machine only ever takes away. */
  const perSecond = async (count: number, command: SourceCommand): Promise<number> => {
    let best = 0;
    for (let round = 0; round <= rounds; round++) {
      const finished = new Promise<void>((resolve) => (done = resolve));
      const begun = performance.now();
      mainHost.tell('source', command);
      await finished;
      best = Math.max(best, count / ((performance.now() - begun) / 1_000));
    }
    return Math.round(best);
  };
  const tells = (to: Address, messages: number) => perSecond(messages, { type: 'tell', to, messages });
  const asks = (to: Address, questions: number, atOnce: number) =>
    perSecond(questions, { type: 'ask', to, questions, atOnce });

  const figures: readonly Figure[] = [
    { what: 'messages within a thread', perSecond: await tells('counter/main', 2 ** 20), target: 1_000_000 },
    { what: 'messages between two threads', perSecond: await tells('counter/worker', 2 ** 19), target: 300_000 },
    { what: 'questions within a thread, one by one', perSecond: await asks('counter/main', 2 ** 16, 1) },
    { what: 'questions within a thread, 64 at once', perSecond: await asks('counter/main', 2 ** 18, 64) },
    { what: 'questions between two threads, one by one', perSecond: await asks('counter/worker', 2 ** 13, 1) },
    { what: 'questions between two threads, 64 at once', perSecond: await asks('counter/worker', 2 ** 16, 64) },
  ];
  await supervisor.stop();
  return figures;
}

function asTable(figures: readonly Figure[]): string {
  const thousands = (value: number): string => Math.round(value).toLocaleString('en');
  const rows = figures.map(({ what, perSecond, target }) => {
    const verdict = target === undefined ? '' : `${perSecond >= target ? 'meets' : 'misses'} ${thousands(target)}`;
    return `${what.padEnd(44)}${thousands(perSecond).padStart(12)}/s  ${verdict}`.trimEnd();
  });
  return `${rows.join('\n')}\n`;
}

if (isMainThread) {
  const { values } = parseArgs({ options: { json: { type: 'boolean' }, rounds: { type: 'string', default: '5' } } });
  const figures = await measure(Number(values.rounds));
  process.stdout.write(values.json === true ? `${JSON.stringify({ bench: 'messages', figures })}\n` : asTable(figures));
} else {
  await serveThread(() => environment(() => {}));
}
