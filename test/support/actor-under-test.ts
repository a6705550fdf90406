import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { actorKind } from '../../src/actor/actor.ts';
import { defaultRestartRule } from '../../src/actor/supervision/child.ts';
import { eventLoopTurns } from '../../src/actor/dispatcher.ts';
import type { Log } from '../../src/actor/log.ts';
import { kindOf, type Address, type Protocol, type Tagged } from '../../src/actor/messages/message.ts';
import { ThreadHost } from '../../src/actor/thread-host.ts';
import { manualClock, settled } from './manual-clock.ts';

type Answers = (question: Tagged) => unknown;

/**
 * One actor on a host of its own, with time standing still. The test plays all other actors: commands to them are
 * recorded, and the test answers questions to them. The host itself, at `host/…`, is played too.
 */
export async function actorUnderTest<P extends Protocol>(options: {
  readonly address: Address;
  readonly make: (context: ActorContext<P>) => Actor<P>;
  /** The other actors by address. All of them run from the start. */
  readonly others: Readonly<Record<Address, Answers>>;
  /** Kinds of actors that the actor has started. */
  readonly started?: readonly string[];
  readonly startMs?: number;
}) {
  const { address, make, others } = options;
  const clock = manualClock(options.startMs);
  const told: { readonly to: Address; readonly command: Tagged }[] = [];
  const logged: string[] = [];
  const line = (level: string) => (fields: object, message: string) =>
    void logged.push(`${level}: ${'file' in fields ? `${String(fields.file)}: ` : ''}${message}`);
  const log: Log = { debug() {}, info: line('info'), warn: line('warn'), error: line('error') };
  const played = (name: string, answers: Answers) =>
    actorKind<Protocol>({
      mailbox: { capacity: 10_000 },
      make: (context) => ({
        tell: (command) => void told.push({ to: context.address, command }),
        ask: (question) => answers(question) ?? new Promise(() => name),
      }),
    });
  const kinds = Object.fromEntries([
    ...Object.entries(others).map(([name, answers]) => [kindOf(name), played(name, answers)] as const),
    ...(options.started ?? []).map((kind) => [kind, played(kind, () => undefined)] as const),
  ]);
  const host = new ThreadHost({
    thread: 'here',
    life: 1,
    kinds: { ...kinds, [kindOf(address)]: actorKind<P>({ mailbox: { capacity: 10_000 }, make }) },
    placement: () => 'here',
    clock,
    turns: { ...eventLoopTurns, monotonic: countedTime() },
    random: () => 0,
    log,
    report: () => {},
    escalate: () => {},
  });
  const start = (at: Address) =>
    host.startActor({ address: at, lifetime: 'transient', restart: defaultRestartRule, stopWithinMs: 1_000 });
  for (const name of Object.keys(others)) await start(name);
  await start(address);
  const quiet = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await settled();
  };
  await quiet();
  return {
    host,
    clock,
    told,
    logged,
    quiet,
    /** Returns the commands to an address so far, and drops them. */
    take: (to: Address): readonly Tagged[] => {
      const taken = told.filter((each) => each.to === to).map(({ command }) => command);
      told.splice(0, told.length, ...told.filter((each) => each.to !== to));
      return taken;
    },
    tell: async (command: P['command']): Promise<void> => {
      host.tell(address, command);
      await quiet();
    },
    ask: (question: P['question']): Promise<unknown> => host.ask(address, question, 100_000),
    pass: async (ms: number): Promise<void> => {
      await clock.advanceAndSettle(ms);
      await quiet();
    },
    crash: async (): Promise<void> => {
      host.crashActor(address, new Error('on purpose'));
      await quiet();
    },
  };
}

/**
 * A clock that advances with each reading: turns are as long on a busy machine as on an idle one, so the order of
 * events is stable. Actors that keep each other busy for ever are still interrupted.
 */
function countedTime(): () => number {
  let looks = 0;
  return () => ++looks / 50;
}
