/** What does fault injection cost with no plan, and with a plan for something else? */
import { parseArgs } from 'node:util';
import type { Clock } from '../src/actor/clock.ts';
import { systemClock } from '../src/actor/clock.ts';
import { FaultEngine, type FaultOrder } from '../src/faults/fault-engine.ts';
import { defaultBlastRadius } from '../src/faults/fault-plan.ts';
import { countsMemory } from '../src/faults/fault-counts.ts';
import { ThreadFaults } from '../src/faults/thread-faults.ts';
import { BenchThreads } from './actors/bench-threads.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean' }, rounds: { type: 'string', default: '8' } } });
const rounds = Number(values.rounds);

const elsewhere = {
  rules: [{ match: { at: 'mailbox', actor: 'nobody' }, when: {}, action: { type: 'drop' } }],
} as const;
const plan = { seed: 1, blastRadius: defaultBlastRadius, ...elsewhere };
const order: FaultOrder = { id: 1, plan, appliedAt: systemClock.monotonic(), counts: countsMemory(plan), threads: [] };

const faults = (): ThreadFaults =>
  new ThreadFaults({ thread: 'main', clock: systemClock, provoke: () => {}, spin: () => {}, block: () => {} });

interface Figure {
  readonly what: string;
  readonly perSecond: number;
  /** Relative to the same work without fault injection. */
  readonly share: number;
}
interface Way {
  readonly what: string;
  readonly prepare?: () => void;
  readonly run: () => Promise<void> | void;
}

/** The best of some rounds for each way, taken in turns: whatever else the machine does hits all of them alike. */
async function compare(count: number, ways: readonly Way[]): Promise<readonly Figure[]> {
  const best = ways.map(() => Infinity);
  for (let round = 0; round <= rounds; round++) {
    for (const [index, way] of ways.entries()) {
      way.prepare?.();
      const begun = performance.now();
      await way.run();
      // The first round warms up.
      if (round > 0) best[index] = Math.min(best[index] ?? Infinity, performance.now() - begun);
    }
  }
  const [reference = 1] = best;
  return ways.map(({ what }, index) => {
    const ms = best[index] ?? Infinity;
    return { what, perSecond: Math.round((count / ms) * 1_000), share: reference / ms };
  });
}

async function measureMessages(): Promise<readonly Figure[]> {
  await using threads = new BenchThreads();
  await threads.start();
  const messages = 2 ** 19;
  const run = (to: string) => (): Promise<void> => threads.tell({ to, messages, batch: 'as-it-comes' });
  const none = (): void => threads.host.setFaults(undefined);
  const other = (): void => threads.host.setFaults(faults().apply([order]));
  return [
    ...(await compare(messages, [
      { what: 'messages in a thread, no plan', prepare: none, run: run('counter/main') },
      { what: 'messages in a thread, no plan (again, for the noise)', prepare: none, run: run('counter/main') },
      { what: 'messages in a thread, a plan about another actor', prepare: other, run: run('counter/main') },
    ])),
    ...(await compare(messages, [
      { what: 'messages between threads, no plan', prepare: none, run: run('counter/worker') },
      { what: 'messages between threads, a plan about another actor', prepare: other, run: run('counter/worker') },
    ])),
  ];
}

/** Measures the wrappers between an actor and the world, bare and wrapped. */
async function measureWrappers(): Promise<readonly Figure[]> {
  const calls = 2 ** 18;
  const wrapped = faults();
  const planned = faults();
  planned.apply([order]);
  const nothing = new Uint8Array();
  const answer = Promise.resolve({ ok: true, value: nothing } as const);
  const bare = { unary: () => answer, containerEvents: () => () => {}, close: () => {} };
  const call = (transport: typeof bare | ReturnType<ThreadFaults['transport']>) => async (): Promise<void> => {
    for (let made = 0; made < calls; made++)
      await transport.unary('/runtime.v1.RuntimeService/Version', nothing, 1_000);
  };
  const look = (clock: Clock) => (): void => {
    for (let looked = 0; looked < calls; looked++) clock.now();
  };
  return [
    ...(await compare(calls, [
      { what: 'calls over a transport', run: call(bare) },
      { what: 'calls over a transport that may fail, no plan', run: call(wrapped.transport(bare)) },
      { what: 'calls over a transport that may fail, another plan', run: call(planned.transport(bare)) },
    ])),
    ...(await compare(calls, [
      { what: 'looks at the clock', run: look(systemClock) },
      { what: 'looks at a clock that may fail, no plan', run: look(wrapped.clock) },
      { what: 'looks at a clock that may fail, another plan', run: look(planned.clock) },
    ])),
  ];
}

/** The decision itself, for an event that a rule fits. */
function measureDecision(): Promise<readonly Figure[]> {
  const events = 2 ** 18;
  const fitting = { ...plan, rules: [{ ...plan.rules[0], match: { at: 'mailbox' }, when: { rate: 0 } }] } as const;
  const engine = new FaultEngine([{ ...order, plan: fitting }], { thread: 'main', clock: systemClock });
  const run = (): void => {
    for (let told = 0; told < events; told++) engine.decide({ at: 'mailbox', to: 'counter/main', message: 'count' });
  };
  return compare(events, [{ what: 'decisions over a message that a rule fits', run }]);
}

const figures = [...(await measureMessages()), ...(await measureWrappers()), ...(await measureDecision())];
const asRow = ({ what, perSecond, share }: Figure): string =>
  `${what.padEnd(56)}${perSecond.toLocaleString('en').padStart(12)}/s  ${(share * 100).toFixed(0).padStart(4)} %`;
process.stdout.write(
  values.json === true ? `${JSON.stringify({ bench: 'fault-seam', figures })}\n` : `${figures.map(asRow).join('\n')}\n`,
);
