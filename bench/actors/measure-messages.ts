import { BenchThreads } from './bench-threads.ts';
import { roundTrips } from './compared.ts';
import { bestRate, spread, type Figure } from './figure.ts';

const ONE_KB = 'x'.repeat(1_000);

/** Tells and questions, within a thread and between two. */
export async function measureMessages(rounds: number, questions: number): Promise<readonly Figure[]> {
  await using threads = new BenchThreads();
  await threads.start();
  const near = 'counter/main';
  const far = 'counter/worker';
  const tells = (messages: number, job: { to: string; text?: string; batch?: 'one-a-turn' }): Promise<number> =>
    bestRate(rounds, messages, () => threads.tell({ batch: 'as-it-comes', messages, ...job }));
  const asks = (to: string, atOnce: number): Promise<number> =>
    bestRate(rounds, questions, () =>
      Promise.all(
        Array.from({ length: atOnce }, async () => {
          for (let asked = 0; asked < questions / atOnce; asked++) await threads.ask(to);
        }),
      ),
    );
  const withSeam = async (): Promise<number> => {
    threads.host.setFaults({ onMessage: () => 'deliver', onSend: () => 'deliver' });
    const rate = await tells(2 ** 20, { to: near });
    threads.host.setFaults(undefined);
    return rate;
  };
  return [
    { what: 'messages within a thread', value: await tells(2 ** 20, { to: near }), unit: '/s', target: 1_000_000 },
    { what: 'messages between two threads', value: await tells(2 ** 18, { to: far }), unit: '/s', target: 300_000 },
    { what: 'messages within a thread, under a fault plan that matches none', value: await withSeam(), unit: '/s' },
    {
      what: 'messages between two threads, one a turn of the loop',
      value: await tells(2 ** 15, { to: far, batch: 'one-a-turn' }),
      unit: '/s',
    },
    {
      what: 'messages of 1 kB between two threads',
      value: await tells(2 ** 17, { to: far, text: ONE_KB }),
      unit: '/s',
    },
    { what: 'questions within a thread, 64 at once', value: await asks(near, 64), unit: '/s' },
    { what: 'questions between two threads, 64 at once', value: await asks(far, 64), unit: '/s' },
    ...spread('question within a thread', await roundTrips(questions, () => threads.ask(near)), { unit: 'µs' }),
    ...spread('question between two threads', await roundTrips(questions, () => threads.ask(far)), { unit: 'µs' }),
  ];
}
