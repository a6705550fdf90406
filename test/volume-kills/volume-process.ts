/**
 * The part of the agent that sets up volumes, as a separate process: volume manager, CSI manager, job pool and its thread, on real
 * files and real mounts. Its commands arrive over its channel, and a command can make the process die during its work.
 */
import { agentJobs } from '../../actors/job-pool/agent-jobs.ts';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { csiManagerClient } from '../../actors/csi-manager/client.ts';
import { CsiManager } from '../../actors/csi-manager/actor.ts';
import { KeyedWork } from '../../actors/csi-manager/keyed-work.ts';
import type { CsiManagerProtocol } from '../../actors/csi-manager/protocol.ts';
import { noStorageObjects, type StorageObjects } from '../../actors/csi-manager/storage-objects.ts';
import { JobPool } from '../../actors/job-pool/actor.ts';
import { jobThreads } from '../../actors/job-pool/job-threads.ts';
import { VolumeManager } from '../../actors/volume-manager/actor.ts';
import type { VolumeManagerProtocol, VolumesAnswer } from '../../actors/volume-manager/protocol.ts';
import { actorKind } from '../../src/actor/actor.ts';
import { defaultRestartRule } from '../../src/actor/supervision/child.ts';
import { systemClock } from '../../src/actor/clock.ts';
import { silentLog } from '../../src/actor/log.ts';
import { systemRandom } from '../../src/actor/random.ts';
import { ThreadHost } from '../../src/actor/thread-host.ts';
import { csiConnections } from '../../src/csi/csi-client.ts';
import { hostCsiFiles } from '../../src/csi/csi-files.ts';
import { pluginSockets } from '../../src/csi/plugin-sockets.ts';
import { podUid } from '../../src/kube/ids.ts';
import { noBundles, type ObjectSource } from '../../src/volumes/plan/object-source.ts';
import { callsMade, dieAt } from './die-at-call.ts';
import { dataOf, DRIVER, podOf, textOf } from './volumes-of-a-pod.ts';

/** The wanted state: pods with volumes of this generation, and pods without. */
export interface Wish {
  readonly generation: number;
  readonly wanted: readonly string[];
  readonly unwanted: readonly string[];
  /** 0: never. */
  readonly dieAt: number;
  readonly dieWhen: number;
}

/** The wanted state was reached, with the number of changing calls; or the problems. */
export interface Granted {
  readonly calls: number;
  readonly problems: readonly string[];
}

const WITHIN_MS = 60_000;
const AGAIN_AFTER_MS = 50;
const [, , rootDir = ''] = process.argv;
const localPath = join(rootDir, 'local');
let generation = 0;

const objects: ObjectSource = {
  get: async ({ kind }) => {
    const plain = Object.entries(dataOf(generation));
    const data = kind === 'ConfigMap' ? plain : plain.map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    return { type: 'found', version: String(generation), data: { data: Object.fromEntries(data) } };
  },
  ...noBundles,
  token: async () => ({ type: 'found', token: textOf(generation) }),
};
const storage: StorageObjects = {
  ...noStorageObjects,
  claim: async (namespace, name) => ({
    ok: true,
    value: { metadata: { name, namespace, uid: name }, spec: { volumeName: name }, status: { phase: 'Bound' } },
  }),
  volume: async (name) => ({
    ok: true,
    value: {
      metadata: { name },
      spec: { claimRef: { uid: name }, accessModes: ['ReadWriteMany'], csi: { driver: DRIVER, volumeHandle: name } },
    },
  }),
  driver: async () => ({ ok: true, value: { attachRequired: false } }),
};

const jobs = jobThreads(agentJobs, { clock: systemClock, log: silentLog });
const registry = join(rootDir, 'plugins_registry');
mkdirSync(registry, { recursive: true });
const work = new KeyedWork();
const mailbox = { capacity: 100_000 };
const host = new ThreadHost({
  thread: 'here',
  life: 1,
  kinds: {
    'job-pool': { make: () => new JobPool(jobs), mailbox },
    'csi-manager': actorKind<CsiManagerProtocol>({
      mailbox,
      make: (context) =>
        new CsiManager(context, {
          place: { rootDir, nodeName: 'node-a', files: hostCsiFiles },
          connections: async () => csiConnections(systemClock),
          objects: storage,
          token: async () => ({ ok: false, message: 'no tokens here' }),
          sockets: () => pluginSockets(registry),
          work,
          inCluster: false,
        }),
    }),
    'volume-manager': actorKind<VolumeManagerProtocol>({
      mailbox,
      make: (context) =>
        new VolumeManager(context, {
          rootDir,
          objects: () => objects,
          foreign: csiManagerClient,
          syncFrequencyMs: 60_000,
          podThreads: [],
          // There is no runtime, and so no start under way.
          heldAtStartMs: 0,
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

const ask = (question: VolumeManagerProtocol['question']): Promise<VolumesAnswer> =>
  // The volume manager's own answer.
  host.ask('volume-manager', question, WITHIN_MS) as Promise<VolumesAnswer>;

async function have(uid: string): Promise<readonly string[]> {
  const mounted = await ask({ type: 'mount-volumes', pod: podOf(uid, generation, localPath) });
  if (!mounted.ok) return [`${uid}: ${mounted.message}`];
  const volumePath = join(rootDir, 'pods', uid, 'volumes/kubernetes.io~empty-dir/disk');
  const bound = await ask({
    type: 'bind-sub-paths',
    podUid: podUid(uid),
    container: 'main',
    binds: [{ volume: 'disk', volumePath, subPath: 'a/b', index: 0 }],
  });
  return bound.ok ? [] : [`${uid}: ${bound.message}`];
}

/** Repeats the question as a pod worker does: a driver, for example, may not be registered yet. */
async function haveNot(uid: string): Promise<readonly string[]> {
  const begun = systemClock.monotonic();
  for (;;) {
    const gone = await ask({ type: 'unmount-volumes', podUid: podUid(uid) });
    if (gone.ok) return [];
    if (systemClock.monotonic() - begun > WITHIN_MS) return [`${uid}: ${gone.message}`];
    await new Promise<void>((resolve) => void systemClock.after(AGAIN_AFTER_MS, resolve));
  }
}

const orProblem = (uid: string, done: Promise<readonly string[]>): Promise<readonly string[]> =>
  done.catch((error: unknown) => [`${uid}: ${String(error)}`]);

process.on('message', (wish: Wish) => {
  void (async () => {
    ({ generation } = wish);
    dieAt(wish.dieAt, wish.dieWhen);
    const changed: VolumeManagerProtocol['command'] = { type: 'objects-changed', keys: 'any' };
    host.tell('volume-manager', changed);
    const problems = await Promise.all([
      ...wish.wanted.map((uid) => orProblem(uid, have(uid))),
      ...wish.unwanted.map((uid) => orProblem(uid, haveNot(uid))),
    ]);
    process.send?.({ calls: callsMade(), problems: problems.flat() } satisfies Granted);
  })();
});
for (const address of ['job-pool', 'csi-manager', 'volume-manager']) {
  await host.startActor({ address, restart: defaultRestartRule, stopWithinMs: 1_000 });
}
process.send?.('here');
