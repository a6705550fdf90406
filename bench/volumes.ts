/**
 * How long until 5,000 pods have their two ConfigMap volumes; until an update of one map has reached the 1,000 pods that use it;
 * until all volumes are gone? And what does a volume in memory cost, which another program has to mount?
 *
 *     node bench/volumes.ts [--json] [--pods 5000] [--memory 200]
 *
 * The volume manager and the job pool with its real job thread, on the disk below TMPDIR; the objects come from memory.
 */
import { agentJobs } from '../actors/job-pool/agent-jobs.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { JobPool } from '../actors/job-pool/actor.ts';
import { jobThreads } from '../actors/job-pool/job-threads.ts';
import { VolumeManager } from '../actors/volume-manager/actor.ts';
import type { VolumeManagerProtocol, VolumesAnswer } from '../actors/volume-manager/protocol.ts';
import { actorKind } from '../src/actor/actor.ts';
import { defaultRestartRule } from '../src/actor/supervision/child.ts';
import { systemClock } from '../src/actor/clock.ts';
import { silentLog } from '../src/actor/log.ts';
import { systemRandom } from '../src/actor/random.ts';
import { ThreadHost } from '../src/actor/thread-host.ts';
import { podUid } from '../src/kube/ids.ts';
import { noDriverVolumes } from '../src/volumes/plan/driver-volume-calls.ts';
import { noBundles, type ObjectSource } from '../src/volumes/plan/object-source.ts';
import type { PodVolumes, VolumePlan } from '../src/volumes/plan/volume-plan.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean' },
    pods: { type: 'string', default: '5000' },
    memory: { type: 'string', default: '200' },
  },
});
const count = Number(values.pods);
const inMemory = process.getuid?.() === 0 ? Number(values.memory) : 0;
/** How many pods share a ConfigMap. */
const USERS_OF_A_MAP = 1_000;
const WITHIN_MS = 600_000;

const rootDir = mkdtempSync(join(tmpdir(), 'hivelet-volumes-'));
let generation = 1;
const objects: ObjectSource = {
  get: async ({ name }) => ({
    type: 'found',
    version: String(generation),
    data: { data: { 'app.conf': `${name} ${generation}\n`.repeat(20), 'log.conf': 'level=info\n' } },
  }),
  ...noBundles,
  token: async () => ({ type: 'failed', message: 'no tokens here' }),
};

const jobs = jobThreads(agentJobs, { clock: systemClock, log: silentLog });
const host = new ThreadHost({
  thread: 'here',
  life: 1,
  kinds: {
    'job-pool': { make: () => new JobPool(jobs), mailbox: { capacity: 100_000 } },
    'volume-manager': actorKind<VolumeManagerProtocol>({
      mailbox: { capacity: 100_000 },
      make: (context) =>
        new VolumeManager(context, {
          rootDir,
          objects: () => objects,
          foreign: () => noDriverVolumes,
          syncFrequencyMs: 60_000,
          podThreads: [],
        }),
    }),
  },
  placement: () => 'here',
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  report: () => {},
  escalate: () => {},
});

const map = (name: string): VolumePlan => ({
  type: 'files',
  name,
  plugin: 'configmap',
  defaultMode: 0o644,
  sources: [{ type: 'object', ref: { kind: 'ConfigMap', namespace: 'default', name }, optional: false }],
});
const pod = (uid: string, ...volumes: readonly VolumePlan[]): PodVolumes => ({
  podUid: uid,
  namespace: 'default',
  podName: uid,
  volumes,
  fsGroupChangePolicy: 'Always',
});

const figures: { readonly what: string; readonly count: number; readonly ms: number; readonly cpuMs: number }[] = [];

async function measure(what: string, times: number, work: () => Promise<unknown>): Promise<void> {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await work();
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpu);
  figures.push({ what, count: times, ms, cpuMs: (user + system) / 1_000 });
}

function done(answers: readonly VolumesAnswer[]): void {
  const failed = answers.find(({ ok }) => !ok);
  if (failed !== undefined) throw new Error(JSON.stringify(failed));
}
const ask = (question: VolumeManagerProtocol['question']): Promise<VolumesAnswer> =>
  // The volume manager's own answer.
  host.ask('volume-manager', question, WITHIN_MS) as Promise<VolumesAnswer>;
const fileOf = (uid: string, name: string): string =>
  join(rootDir, 'pods', uid, 'volumes/kubernetes.io~configmap', name, 'app.conf');

/** Returns an empty text while the file cannot be opened: its version may just be removed. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

async function untilUpdated(uids: readonly string[]): Promise<void> {
  for (const uid of uids) {
    while (!textOf(fileOf(uid, 'shared-0')).includes(` ${generation}\n`)) {
      await new Promise<void>((resolve) => void setImmediate(resolve));
    }
  }
}

try {
  for (const address of ['job-pool', 'volume-manager']) {
    await host.startActor({ address, restart: defaultRestartRule, stopWithinMs: 1_000 });
  }
  const pods = Array.from({ length: count }, (_, index) =>
    pod(`pod-${index}`, map(`shared-${Math.floor(index / USERS_OF_A_MAP)}`), map('all')),
  );
  await measure('pods with two ConfigMap volumes ready', count, async () =>
    done(await Promise.all(pods.map((each) => ask({ type: 'mount-volumes', pod: each })))),
  );
  const users = pods.slice(0, USERS_OF_A_MAP).map(({ podUid: uid }) => uid);
  generation += 1;
  await measure('pods reached by one update', users.length, async () => {
    const changed: VolumeManagerProtocol['command'] = { type: 'objects-changed', keys: ['ConfigMap/default/shared-0'] };
    host.tell('volume-manager', changed);
    await untilUpdated(users);
  });
  await measure('pods without their volumes again', count, async () =>
    done(await Promise.all(pods.map((each) => ask({ type: 'unmount-volumes', podUid: podUid(each.podUid) })))),
  );
  const memory = Array.from({ length: inMemory }, (_, index) =>
    pod(`memory-${index}`, { type: 'empty-dir', name: 'm', medium: 'memory', sizeBytes: 65_536 }),
  );
  await measure('pods with a volume in memory ready', inMemory, async () =>
    done(await Promise.all(memory.map((each) => ask({ type: 'mount-volumes', pod: each })))),
  );
  await measure('pods without it again', inMemory, async () =>
    done(await Promise.all(memory.map((each) => ask({ type: 'unmount-volumes', podUid: podUid(each.podUid) })))),
  );
} finally {
  for (const address of ['volume-manager', 'job-pool']) await host.stopActor(address);
  await jobs.close();
  rmSync(rootDir, { recursive: true, force: true });
}

const row = ({ what, count: n, ms, cpuMs }: (typeof figures)[number]): string =>
  `${String(n).padStart(6)} ${what.padEnd(40)}${(ms / 1_000).toFixed(2).padStart(8)} s${(cpuMs / Math.max(1, n)).toFixed(2).padStart(10)} ms CPU each`;
process.stdout.write(
  values.json === true ? `${JSON.stringify({ bench: 'volumes', figures })}\n` : `${figures.map(row).join('\n')}\n`,
);
