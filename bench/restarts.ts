/**
 * Does a thread that is replaced leave anything behind, however often that happens?
 *
 *     npm run -s bench -- restarts [--count 10000] [--json]
 */
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { collectGarbage } from './actors/collect-garbage.ts';
import { BenchThreads } from './actors/bench-threads.ts';
import { asTable, spread, type Figure } from './actors/figure.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean' }, count: { type: 'string', default: '10000' } } });
const count = Number(values.count);
/** Warm-up until the allocator has its memory. Growth is counted from here. */
const warmUp = Math.min(500, Math.floor(count / 4));
const SAY_EVERY = 500;

interface Held {
  readonly rssMiB: number;
  readonly sharedMiB: number;
  readonly files: number;
}

function held(): Held {
  collectGarbage();
  const { rss, arrayBuffers } = process.memoryUsage();
  return { rssMiB: rss / 2 ** 20, sharedMiB: arrayBuffers / 2 ** 20, files: readdirSync('/proc/self/fd').length };
}

await using threads = new BenchThreads();
await threads.start();
const took: number[] = [];
let before = held();
for (let restart = 1; restart <= count; restart++) {
  took.push(await threads.restartWorker());
  if (restart === warmUp) before = held();
  if (restart % SAY_EVERY === 0) process.stderr.write(`${restart} restarts, ${Math.round(held().rssMiB)} MiB\n`);
}
const after = held();
const figures: readonly Figure[] = [
  { what: 'restarts of a thread', value: count, unit: '' },
  ...spread('restart of a thread', took, { unit: 'ms', p99: 150 }),
  { what: `memory after ${warmUp} restarts`, value: before.rssMiB, unit: 'MiB' },
  { what: 'memory at the end', value: after.rssMiB, unit: 'MiB' },
  { what: 'buffers held more', value: after.sharedMiB - before.sharedMiB, unit: 'MiB', target: 16 },
  { what: 'growth of memory', value: after.rssMiB - before.rssMiB, unit: 'MiB', target: 64 },
  { what: 'files open more', value: after.files - before.files, unit: '', target: 2 },
];
process.stdout.write(values.json === true ? `${JSON.stringify({ bench: 'restarts', figures })}\n` : asTable(figures));
