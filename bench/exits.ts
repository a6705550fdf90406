/**
 * How soon does the API show that a container has ended, on a node full of pods?
 *
 *     node bench/exits.ts [--pods 1000] [--exits 200] [--json] [--sources]
 *
 * With the runtime's events, and without them, where a look at everything once a second has to find it.
 */
import { parseArgs } from 'node:util';
import { systemRandom } from '../src/actor/random.ts';
import { percentile } from './density/percentile.ts';
import { rest } from './density/rest.ts';
import { NAMESPACE, NodeInUse } from './latency/node-in-use.ts';

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '1000' },
    exits: { type: 'string', default: '200' },
    json: { type: 'boolean', default: false },
    sources: { type: 'boolean', default: false },
  },
});
const count = Number(values.pods);
const exits = Math.min(Number(values.exits), count);

/** 99 of 100 exits are reported within this. Milliseconds. */
const TARGETS = { on: 100, off: 1_200 } as const;
/** Exits come apart from one another, so that each is one of its own; the look once a second meets them at any time. */
const BETWEEN_MS = 25;

interface Figures {
  readonly events: 'on' | 'off';
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly targetP99Ms: number;
}

async function measure(events: 'on' | 'off'): Promise<Figures> {
  await using node = await NodeInUse.start({
    program: values.sources ? 'sources' : 'built',
    maxPods: count + 10,
    script: { logs: 'off' },
    events,
  });
  const name = (n: number): string => `p-${n}`;
  const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'registry.example/app:1' }] };
  for (let n = 0; n < count; n++) await node.createPod(name(n), spec);
  const isRunning = (n: number): boolean => node.pods.get(name(n))?.status?.phase === 'Running';
  const all = Array.from({ length: count }, (_, n) => n);
  await node.until(() => all.every(isRunning), { what: 'all pods run', withinMs: 120_000 });
  await rest(3_000);
  const latencies: Promise<number>[] = [];
  for (let n = 0; n < exits; n++) {
    await rest(BETWEEN_MS * (0.5 + systemRandom()));
    const at = performance.now();
    node.runtime.control.exit({ pod: name(n), namespace: NAMESPACE, container: 'main' }, 3);
    const isTold = (): boolean =>
      node.pods.get(name(n))?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode === 3;
    const told = node.until(isTold, { what: `the end of ${name(n)} is told`, withinMs: 30_000 });
    latencies.push(told.then((instant) => instant - at));
  }
  const measured = await Promise.all(latencies);
  const rounded = (ms: number): number => Math.round(ms * 10) / 10;
  return {
    events,
    p50Ms: rounded(percentile(measured, 50)),
    p99Ms: rounded(percentile(measured, 99)),
    targetP99Ms: TARGETS[events],
  };
}

const results = [await measure('on'), await measure('off')];
for (const result of results) {
  const { events, p50Ms, p99Ms, targetP99Ms } = result;
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ pods: count, exits, ...result })}\n`
      : `${count} pods, ${exits} exits, events ${events}: p50 ${p50Ms} ms, p99 ${p99Ms} ms (at most ${targetP99Ms})\n`,
  );
}
if (results.some(({ p99Ms, targetP99Ms }) => p99Ms > targetP99Ms)) process.exitCode = 1;
