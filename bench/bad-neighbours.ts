/**
 * Do the other pods of a node notice a pod whose every call to the runtime hangs, an image pull that never ends and a preStop
 * hook that never returns?
 *
 *     node bench/bad-neighbours.ts [--pods 100] [--rounds 6] [--json] [--sources]
 *
 * Rounds with the bad pods and without them take turns on one node: in each, as many pods as asked for are made one after the
 * other, and what counts is how long each takes from its creation until the API says that it is Ready.
 */
import { parseArgs } from 'node:util';
import { percentile } from './density/percentile.ts';
import { isReady } from './density/is-ready.ts';
import { rest } from './density/rest.ts';
import { NodeInUse } from './latency/node-in-use.ts';

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '6' },
    json: { type: 'boolean', default: false },
    sources: { type: 'boolean', default: false },
  },
});
const count = Number(values.pods);
const rounds = Number(values.rounds);

/** The median start beside bad pods, as a multiple of one without them. */
const TARGET_RATIO = 1.1;
const BETWEEN_MS = 30;
const FOR_EVER = 'ok@86400s';
const IMAGE = 'registry.example/app:1';

const bad = {
  'hangs-everywhere': { containers: [{ name: 'main', image: IMAGE }] },
  'pulls-for-ever': { containers: [{ name: 'main', image: 'registry.example/endless:1' }] },
  'never-stops': {
    terminationGracePeriodSeconds: 86_400,
    containers: [{ name: 'main', image: IMAGE, lifecycle: { preStop: { exec: { command: ['wait'] } } } }],
  },
};

const script = {
  logs: 'off',
  images: { 'registry.example/endless:1': [FOR_EVER] },
  pods: {
    'hangs-everywhere': { sandbox: [FOR_EVER], containers: {} },
    'never-stops': { containers: { main: { exec: { wait: ['0@86400s'] } } } },
  },
};

const node = await NodeInUse.start({
  program: values.sources ? 'sources' : 'built',
  maxPods: count + 50,
  script,
  events: 'on',
});

/** Starts them all; the third is Ready and being deleted, the others are stuck in what never ends. */
async function bringBad(): Promise<void> {
  for (const [name, spec] of Object.entries(bad)) await node.createPod(name, spec);
  const isUp = (): boolean => isReady(node.pods.get('never-stops') ?? {});
  await node.until(isUp, { what: 'the pod that never stops is Ready', withinMs: 30_000 });
  await node.deletePod('never-stops');
  await rest(1_000);
}

async function takeBad(): Promise<void> {
  for (const name of Object.keys(bad)) await node.deletePod(name, 0);
  await node.until(() => node.pods.size === 0, { what: 'the bad pods are gone', withinMs: 60_000 });
}

async function startPods(round: number): Promise<readonly number[]> {
  const names = Array.from({ length: count }, (_, n) => `r${round}-${n}`);
  const latencies: Promise<number>[] = [];
  for (const name of names) {
    await rest(BETWEEN_MS);
    const at = performance.now();
    await node.createPod(name, { containers: [{ name: 'main', image: IMAGE }] });
    const ready = node.until(() => isReady(node.pods.get(name) ?? {}), { what: `${name} is Ready`, withinMs: 60_000 });
    latencies.push(ready.then((instant) => instant - at));
  }
  const measured = await Promise.all(latencies);
  for (const name of names) await node.deletePod(name, 0);
  const areGone = (): boolean => names.every((name) => !node.pods.has(name));
  await node.until(areGone, { what: 'the pods of this round are gone', withinMs: 60_000 });
  return measured;
}

const alone: number[] = [];
const beside: number[] = [];
// The first round warms everything up.
await startPods(0);
for (let round = 1; round <= rounds; round++) {
  const hasBad = round % 2 === 0;
  if (hasBad) await bringBad();
  (hasBad ? beside : alone).push(...(await startPods(round)));
  if (hasBad) await takeBad();
}

await node[Symbol.asyncDispose]();

const rounded = (value: number): number => Math.round(value * 100) / 100;
const ratioAt = (percent: number): number => rounded(percentile(beside, percent) / percentile(alone, percent));
const result = {
  pods: count,
  rounds,
  aloneP50Ms: rounded(percentile(alone, 50)),
  besideP50Ms: rounded(percentile(beside, 50)),
  ratioP50: ratioAt(50),
  ratioP90: ratioAt(90),
  targetRatio: TARGET_RATIO,
};
process.stdout.write(
  values.json
    ? `${JSON.stringify(result)}\n`
    : `${count} pods a round, ${rounds} rounds: Ready after ${result.aloneP50Ms} ms without bad pods, ${result.besideP50Ms} ms ` +
        `beside them: ${result.ratioP50} times as long (at most ${TARGET_RATIO}), at the 90th percentile ${result.ratioP90}\n`,
);
// The simulated runtime still waits for endless calls.
process.exit(result.ratioP50 > TARGET_RATIO ? 1 : 0);
