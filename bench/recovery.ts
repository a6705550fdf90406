/**
 * How soon does a node full of pods have its agent back, when the whole agent process has ended?
 *
 *     node bench/recovery.ts [--pods 1000] [--rounds 3] [--json] [--sources]
 *
 * The launcher starts the next agent. A bare Node process is timed beside it, since a machine changes its pace.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AdminClient } from '../src/cli/admin/admin-client.ts';
import { adminSocketPath } from '../src/cli/admin/admin-socket.ts';
import { allSettled } from '../src/cli/dev/pod-readiness.ts';
import { startAgent } from './density/agent-child.ts';
import { runPlace } from './density/node-setup.ts';
import { manifestFile, podManifest } from './density/pod-manifest.ts';
import { percentile } from './density/percentile.ts';
import { programScript } from './density/program.ts';
import { rest } from './density/rest.ts';
import { startRuntime } from './density/start-runtime.ts';
import { TemporaryFolder } from './density/temporary-folder.ts';

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    sources: { type: 'boolean', default: false },
  },
});
const pods = Number(values.pods);
const rounds = Number(values.rounds);

/** From the end of the process until the next one serves. Milliseconds. */
const SERVES_WITHIN_MS = 1_500;
/** Until every pod of a node with at most 50 is known again. Larger nodes have no target. */
const KNOWN_WITHIN_MS = pods <= 50 ? 3_000 : undefined;
const READY_WITHIN_MS = 120_000;
/** Until the burst is over and the compiled code is stored. */
const REST_MS = 12_000;
const LOOK_EVERY_MS = 5;
/** Listing a thousand pods costs the agent tens of milliseconds. */
const LIST_EVERY_MS = 200;

/** How the agent process ends. The answer of a thread that aborts its process may get lost with it. */
const ENDS = {
  'killed with -9': async (_: AdminClient, pid: number) => void process.kill(pid, 'SIGKILL'),
  'aborted by one huge allocation in a thread': async (admin: AdminClient) => {
    await admin.provokeThread('pods-0', 'abort').catch(() => false);
  },
} as const;

interface Recovery {
  readonly servesMs: number;
  readonly podsKnownMs: number;
}

/** One launcher, one end, one recovery: a launcher waits longer after each further end. */
async function measure(end: (admin: AdminClient, pid: number) => Promise<void>): Promise<Recovery> {
  using folder = new TemporaryFolder();
  const place = runPlace(folder.path);
  mkdirSync(place.manifests);
  for (let n = 0; n < pods; n++) writeFileSync(join(place.manifests, manifestFile(n)), podManifest(n));
  const script = programScript(values.sources ? 'sources' : 'built');
  await using _runtime = await startRuntime(script, place);
  const interrupted = new Promise<never>(() => {});
  const run = { script, pods, profile: 'auto', timeoutMs: READY_WITHIN_MS, idleMs: 0, nodeOptions: [], interrupted };
  await using _launcher = startAgent(run, place, { launcher: 'yes' });
  const admin = new AdminClient(adminSocketPath(place.rootDir));
  await until(() => admin.pods().then((all) => allSettled(all, pods)), {
    what: 'all pods are Ready',
    everyMs: LIST_EVERY_MS,
  });
  await rest(REST_MS);
  const { pid } = await admin.agent();
  await end(admin, pid);
  await until(async () => !isAlive(pid), { what: 'the agent process ends' });
  const ended = performance.now();
  await until(
    async () => {
      const serves = (await admin.agent()).pid !== pid;
      return serves && (await admin.runtime()).state !== undefined;
    },
    { what: 'another agent serves' },
  );
  const servesMs = performance.now() - ended;
  await until(() => admin.pods().then((all) => allSettled(all, pods)), {
    what: 'all pods are known again',
    everyMs: LIST_EVERY_MS,
  });
  return { servesMs, podsKnownMs: performance.now() - ended };
}

async function until(
  holds: () => Promise<boolean>,
  { what, everyMs = LOOK_EVERY_MS }: { readonly what: string; readonly everyMs?: number },
): Promise<void> {
  const last = performance.now() + READY_WITHIN_MS;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > last) throw new Error(`waited ${READY_WITHIN_MS / 1_000} s until ${what}, in vain`);
    await rest(everyMs);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function bareProcessMs(): number {
  const times = Array.from({ length: 9 }, () => {
    const began = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    return performance.now() - began;
  });
  return percentile(times, 50);
}

for (const [what, end] of Object.entries(ENDS)) {
  const recoveries: Recovery[] = [];
  for (let round = 0; round < rounds; round++) recoveries.push(await measure(end));
  const bareMs = Math.round(bareProcessMs());
  const median = (times: readonly number[]): number => Math.round(percentile(times, 50));
  const servesMs = median(recoveries.map((each) => each.servesMs));
  const podsKnownMs = median(recoveries.map((each) => each.podsKnownMs));
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ pods, what, servesMs, podsKnownMs, bareMs, targetMs: SERVES_WITHIN_MS })}\n`
      : `${pods} pods, agent ${what}: serves after ${servesMs} ms (at most ${SERVES_WITHIN_MS}; ` +
          `${(servesMs / bareMs).toFixed(1)} x a bare process), all pods known after ${podsKnownMs} ms\n`,
  );
  const isLate = KNOWN_WITHIN_MS !== undefined && podsKnownMs > KNOWN_WITHIN_MS;
  if (servesMs > SERVES_WITHIN_MS || isLate) process.exitCode = 1;
}
