import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import * as Comlink from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { Piscina } from 'piscina';
import { podUid } from './bench-actors.ts';
import { bestRate, spread, type Figure } from './figure.ts';

export const ACKNOWLEDGE_EVERY = 1_024;
const message = { type: 'count', podUid, revision: 1, question: false };
const entry = new URL('compared-worker.ts', import.meta.url);

interface Effort {
  readonly rounds: number;
  readonly messages: number;
  readonly questions: number;
}

/** The same small messages, sent by the means that Node and two libraries give. */
export async function measureCompared(effort: Effort): Promise<readonly Figure[]> {
  return [...(await measurePostMessage(effort)), ...(await measureComlink(effort)), ...(await measurePiscina(effort))];
}

/** Each measurement, in microseconds. */
export async function roundTrips(questions: number, ask: () => Promise<unknown>): Promise<readonly number[]> {
  const took: number[] = [];
  for (let each = 0; each < questions * 1.1; each++) {
    const begun = performance.now();
    await ask();
    took.push((performance.now() - begun) * 1_000);
  }
  // The first tenth warmed up.
  return took.slice(-questions);
}

async function measurePostMessage({ rounds, messages, questions }: Effort): Promise<readonly Figure[]> {
  const worker = new Worker(entry, { workerData: 'post-message' });
  const rate = await bestRate(rounds, messages, async () => {
    for (let sent = 0; sent < messages; sent += 8 * ACKNOWLEDGE_EVERY) {
      for (let each = 0; each < 8 * ACKNOWLEDGE_EVERY; each++) worker.postMessage(message);
      for (let answers = 0; answers < 8; answers++) await once(worker, 'message');
    }
  });
  const trips = await roundTrips(questions, () => {
    worker.postMessage({ ...message, question: true });
    return once(worker, 'message');
  });
  await worker.terminate();
  return [
    { what: 'bare postMessage: messages between two threads', value: rate, unit: '/s' },
    ...spread('bare postMessage: question between two threads', trips, { unit: 'µs' }),
  ];
}

async function measureComlink({ rounds, messages, questions }: Effort): Promise<readonly Figure[]> {
  const worker = new Worker(entry, { workerData: 'comlink' });
  const counter = Comlink.wrap<{ count(message: unknown): number }>(nodeEndpoint(worker));
  const rate = await bestRate(rounds, messages / 8, async () => {
    // Every call is answered; as many are under way as it takes.
    for (let sent = 0; sent < messages / 8; sent += 1_024)
      await Promise.all(Array.from({ length: 1_024 }, () => counter.count(message)));
  });
  const trips = await roundTrips(questions, () => counter.count(message));
  await worker.terminate();
  return [
    { what: 'comlink: calls between two threads, 1,024 at once', value: rate, unit: '/s' },
    ...spread('comlink: call between two threads', trips, { unit: 'µs' }),
  ];
}

async function measurePiscina({ rounds, messages, questions }: Effort): Promise<readonly Figure[]> {
  const pool = new Piscina({
    filename: fileURLToPath(new URL('piscina-job.ts', import.meta.url)),
    name: 'count',
    maxThreads: 1,
    minThreads: 1,
    concurrentTasksPerWorker: 64,
  });
  const rate = await bestRate(rounds, messages / 8, async () => {
    for (let sent = 0; sent < messages / 8; sent += 1_024)
      await Promise.all(Array.from({ length: 1_024 }, () => pool.run(message)));
  });
  const trips = await roundTrips(questions, () => pool.run(message));
  await pool.destroy();
  return [
    { what: 'piscina: jobs on one thread, 1,024 at once', value: rate, unit: '/s' },
    ...spread('piscina: job on one thread', trips, { unit: 'µs' }),
  ];
}
