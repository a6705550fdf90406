import { addressOf } from '../../src/actor/messages/message.ts';
import { isMainThread } from 'node:worker_threads';
import { actorKind, type Actor, type ActorContext } from '../../src/actor/actor.ts';
import { defaultRestartRule, type ChildSpec } from '../../src/actor/supervision/child.ts';
import { systemClock } from '../../src/actor/clock.ts';
import { silentLog } from '../../src/actor/log.ts';
import type { Address } from '../../src/actor/messages/message.ts';
import { seededRandom } from '../../src/actor/random.ts';
import { serveThread } from '../../src/actor/threads/serve-thread.ts';
import { ThreadHost } from '../../src/actor/thread-host.ts';
import { ThreadSupervisor } from '../../src/actor/threads/thread-supervisor.ts';
import { workerThreads } from '../../src/actor/threads/worker-thread.ts';

/** An actor that reads slowly, on its own thread. */
interface ReaderProtocol {
  readonly command:
    | { readonly type: 'work'; readonly number: number }
    /** Urgent: overtakes all work that waits. */
    | { readonly type: 'kill'; readonly number: number };
  readonly question: never;
  readonly answers: object;
}
interface WitnessProtocol {
  readonly command: { readonly type: 'killed' | 'stopped'; readonly number: number };
  readonly question: never;
  readonly answers: object;
}

const WORK_TAKES_MS = 0.05;
const CAPACITY = 10_000;
/** Frames that wait for credits, are under way, or are counted by the next figures only. */
const LINK_HOLDS = 65_536 + 2 * 8_192;
/** The interval of sends, with ten times as many messages as the reader can read. */
const TELL_EVERY_MS = 5;
const TOLD_AT_ONCE = (10 * TELL_EVERY_MS) / WORK_TAKES_MS;

function makeReader(context: ActorContext<ReaderProtocol>): Actor<ReaderProtocol> {
  const witness = context.ref(addressOf<WitnessProtocol>('witness'));
  let last = 0;
  return {
    tell(command) {
      if (command.type === 'kill') return witness.tell({ type: 'killed', number: command.number });
      last = command.number;
      const until = performance.now() + WORK_TAKES_MS;
      while (performance.now() < until);
    },
    stop: () => witness.tell({ type: 'stopped', number: last }),
  };
}

const common = {
  placement: (address: Address): string => (address.startsWith('reader') ? 'worker' : 'main'),
  urgent: new Set(['kill']),
  clock: systemClock,
  random: seededRandom(1),
  log: silentLog,
};

const child = (address: Address): ChildSpec => ({ address, restart: defaultRestartRule, stopWithinMs: 1_000 });
const READER = 'reader/1';

export interface OverloadResult {
  readonly told: number;
  readonly read: number;
  /** By the full mailbox, and by the full link. */
  readonly refused: number;
  readonly deadAtSender: number;
  /** The peak of messages in the mailbox and on the link. */
  readonly mostThatMayWait: number;
  /** The latency of each kill and stop. */
  readonly killsMs: readonly number[];
  readonly stopsMs: readonly number[];
  /** The growth of the reader's heap and of the process after they have settled. */
  readonly heapGrowthMiB: number;
  readonly rssGrowthMiB: number;
}

/** A reader on a worker thread, and a producer on this thread that sends ten times as much as the reader can read. */
export class OverloadedThread {
  readonly #host: ThreadHost;
  readonly #supervisor: ThreadSupervisor;
  #witnessed: (type: 'killed' | 'stopped') => void = () => {};

  constructor() {
    const witness = (): Actor<WitnessProtocol> => ({ tell: ({ type }) => this.#witnessed(type) });
    this.#host = new ThreadHost({
      ...common,
      thread: 'main',
      life: 1,
      kinds: { witness: actorKind<WitnessProtocol>({ make: witness, mailbox: { capacity: 1_000 } }) },
      report: () => {},
      escalate: () => {},
    });
    this.#supervisor = new ThreadSupervisor({
      ...common,
      threads: [{ name: 'worker', children: [], restart: defaultRestartRule, heapLimitMiB: 256 }],
      maker: workerThreads(new URL(import.meta.url)),
      config: undefined,
      mainHost: this.#host,
      heartbeatBudgetMs: 10_000,
      report: () => {},
      giveUp: () => {},
    });
  }

  async start(): Promise<void> {
    await this.#host.startActor(child('witness'));
    await this.#supervisor.start();
    this.#startReader();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#supervisor.stop();
  }

  #startReader(): void {
    const spec = child(READER);
    this.#host.ref(addressOf('host/worker')).tell({ type: 'start-actor', spec } as never);
  }

  /** `settleMs`: the time until mailbox, link and heaps are full. Kills are sent all the time, stops at the end. */
  async run({ forMs, settleMs }: { readonly forMs: number; readonly settleMs: number }): Promise<OverloadResult> {
    const begun = performance.now();
    let told = 0;
    const kills: number[] = [];
    const flood = (): void => {
      for (let count = 0; count < TOLD_AT_ONCE; count++)
        this.#host.tell(READER, { type: 'work', number: ++told } as never);
    };
    const stopFlood = every(TELL_EVERY_MS, flood);
    let settled: { readonly heap: number; readonly rss: number } | undefined;
    while (performance.now() - begun < settleMs + forMs) {
      kills.push(await this.#timed('killed', () => this.#host.tell(READER, { type: 'kill', number: told } as never)));
      await pause(50);
      if (settled === undefined && performance.now() - begun > settleMs) settled = await this.#memory();
    }
    const ended = await this.#memory();
    const toldThen = told;
    const [worker] = await this.#supervisor.figures();
    const kind = worker?.kinds['reader'];
    const stops: number[] = [];
    for (let stop = 0; stop < 5; stop++) {
      stops.push(
        await this.#timed('stopped', () =>
          this.#host.tell('host/worker', { type: 'stop-actor', address: READER } as never),
        ),
      );
      this.#startReader();
      await pause(100);
    }
    stopFlood();
    const { heap = 0, rss = 0 } = settled ?? {};
    return {
      told: toldThen,
      read: kind?.handled ?? 0,
      refused: kind?.refused ?? 0,
      deadAtSender: this.#host.figures().deadLetters,
      mostThatMayWait: CAPACITY + LINK_HOLDS,
      killsMs: kills,
      stopsMs: stops,
      heapGrowthMiB: (ended.heap - heap) / 2 ** 20,
      rssGrowthMiB: (ended.rss - rss) / 2 ** 20,
    };
  }

  async #timed(what: 'killed' | 'stopped', tell: () => void): Promise<number> {
    const begun = performance.now();
    const witnessed = new Promise<void>((resolve) => {
      this.#witnessed = (type) => (type === what ? resolve() : undefined);
    });
    tell();
    await witnessed;
    return performance.now() - begun;
  }

  async #memory(): Promise<{ readonly heap: number; readonly rss: number }> {
    const [worker] = await this.#supervisor.figures();
    return { heap: worker?.heapUsedBytes ?? 0, rss: process.memoryUsage.rss() };
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void systemClock.after(ms, resolve));

function every(ms: number, turn: () => void): () => void {
  let cancel = (): void => {};
  const again = (): void => {
    cancel = systemClock.after(ms, () => {
      turn();
      again();
    });
  };
  again();
  return () => cancel();
}

if (!isMainThread) {
  await serveThread(() => ({
    ...common,
    kinds: { reader: actorKind<ReaderProtocol>({ make: makeReader, mailbox: { capacity: CAPACITY } }) },
  }));
}
