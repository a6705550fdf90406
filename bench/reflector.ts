import { parseArgs } from 'node:util';
import { PodReader } from '../actors/pod-source-api/pod-reader.ts';
import { silentLog } from '../src/actor/log.ts';
import { systemClock } from '../src/actor/clock.ts';
import { Reflector } from '../src/api/reflector/reflector.ts';
import type { Pod } from '../src/kube/pod.ts';
import { writtenPod } from './reflector/written-pod.ts';

/** What does it cost to follow the pods of a full node: their heap, and the time to read them in pages? */
const { values } = parseArgs({
  options: { pods: { type: 'string', default: '5000' }, json: { type: 'boolean', default: false } },
});
const count = Number(values.pods);
const PAGE = 500;

const heapMiB = (): number => {
  for (let round = 0; round < 3; round += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024 / 1024;
};

/** Pages as received: each page is parsed from text, and only its cached part is kept. */
function page(from: number): unknown {
  const items = Array.from({ length: Math.min(PAGE, count - from) }, (_, index) => writtenPod(from + index));
  const next = from + PAGE < count ? String(from + PAGE) : '';
  return { items, metadata: { resourceVersion: '1000000', continue: next } };
}

async function follow(
  project: (object: unknown) => Pod | undefined,
): Promise<{ heap: number; ms: number; kept: number }> {
  const before = heapMiB();
  let readMs = 0;
  const listed = Promise.withResolvers<void>();
  const reflector: Reflector<Pod> = new Reflector<Pod>({
    name: 'pods',
    path: '/api/v1/pods',
    initialEvents: { askFrom: Number.POSITIVE_INFINITY },
    project(object) {
      const began = process.cpuUsage().user;
      const kept = project(object);
      readMs += (process.cpuUsage().user - began) / 1000;
      return kept;
    },
    keyOf: ({ metadata }) => metadata.uid,
    changed: () => {},
    call: async ({ path }) => {
      const text = JSON.stringify(page(Number(new URL(path, 'http://bench').searchParams.get('continue') ?? 0)));
      return { ok: true, value: JSON.parse(text) as unknown };
    },
    openWatch: () => listed.resolve(),
    closeWatch: () => {},
    supervise: (work) => void work,
    clock: systemClock,
    random: () => 0,
    log: silentLog,
  });
  reflector.begin();
  await listed.promise;
  reflector.end();
  return { heap: heapMiB() - before, ms: readMs, kept: reflector.size };
}

if (globalThis.gc === undefined) {
  const { spawnSync } = await import('node:child_process');
  const again = [...process.execArgv, '--expose-gc', ...process.argv.slice(1)];
  process.exitCode = spawnSync(process.execPath, again, { stdio: 'inherit' }).status ?? 1;
} else {
  const whole = await follow((object) => object as Pod);
  const reader = new PodReader('node-1');
  const compact = await follow((object) => {
    const problem = reader.problemOf(object, () => undefined);
    return problem === undefined ? reader.read(object, () => undefined, 0) : undefined;
  });
  const result = {
    pods: compact.kept,
    heapMiB: round(compact.heap),
    kibPerPod: round((compact.heap * 1024) / compact.kept),
    wholeHeapMiB: round(whole.heap),
    readMs: round(compact.ms),
    targetMiB: 60,
  };
  process.stdout.write(
    values.json
      ? `${JSON.stringify(result)}\n`
      : `${result.pods} pods: ${result.heapMiB} MiB of heap, ${result.kibPerPod} KiB each (kept whole: ${result.wholeHeapMiB} MiB); ` +
          `${result.readMs} ms of CPU to make them small\n`,
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
