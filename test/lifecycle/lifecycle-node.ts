import { defaultLaneLimits } from '../../actors/cri-gateway/state.ts';
import { treeOf, type Tree } from '../../actors/tree.ts';
import { describeError } from '../../src/actor/fault.ts';
import { seededRandom } from '../../src/actor/random.ts';
import { parseScript } from '../../src/embedded-runtime/script.ts';
import { MANIFEST_FOLDER, ManifestDisk } from '../simulation/manifest-disk.ts';
import { MemoryCgroups } from '../support/memory-cgroups.ts';
import { MemoryFiles } from '../simulation/memory-files.ts';
import { SimulatedAgent } from '../simulation/simulated-agent.ts';
import { SimulatedApi } from '../simulation/simulated-api.ts';
import { ROOT_DIR, simulatedKinds } from '../simulation/simulated-kinds.ts';
import { SimulatedRuntime } from '../simulation/simulated-runtime.ts';
import { runUntil } from '../simulation/simulate.ts';
import { switches } from '../simulation/switches.ts';
import { Trace } from '../simulation/trace.ts';
import { Traps } from '../simulation/traps.ts';
import { newOwner, VirtualTime } from '../simulation/virtual-time.ts';
import type { Played } from './judge-scenario.ts';
import { createObject, NAMESPACE, playActions, type Stage } from './play-scenario.ts';
import { CallRecorder } from './record-calls.ts';
import { ObjectRecorder } from './record-objects.ts';
import { nodesPath } from '../../src/api/api-path.ts';
import type { ApiObject, Scenario } from './scenario.ts';

const NODE = 'life-node';
/** Longer than any recording takes. */
const LONGEST_MS = 400_000;
/** How often a condition is looked at although nothing has been told. */
const LOOK_EVERY_MS = 50;
/** Before the first object is created: the agent is up. */
const WARM_UP_MS = 2_000;

interface Waiter {
  readonly holds: () => boolean;
  readonly resolve: () => void;
}

/** Plays a scenario on a whole node in virtual time: the agent's own actors, embedded runtime, embedded API server. */
export async function playScenario(scenario: Scenario, keepTrace = 0): Promise<Played & { readonly trace: Trace }> {
  const trace = new Trace(keepTrace);
  const time = new VirtualTime(seededRandom(17), trace);
  const world = newOwner('world');
  const waiters = new Set<Waiter>();
  const look = (): void => {
    for (const waiter of waiters) {
      if (!waiter.holds()) continue;
      waiters.delete(waiter);
      time.in(0, world, { label: 'goes on', run: waiter.resolve });
    }
  };
  const now = (): number => time.now;
  const files = new MemoryFiles();
  const manifests = new ManifestDisk();
  const api = new SimulatedApi(time, 17);
  const calls = new CallRecorder({ core: () => runtime.core, now, changed: look });
  const runtime = new SimulatedRuntime(time, {
    seed: 17,
    files,
    // The recordings were made on a runtime without an event stream: it is looked at about once a second.
    settings: { script: parseScript(scenario.script), events: 'off' },
    random: seededRandom(18),
    watcher: calls,
    twist: (_, outcome) => outcome,
  });
  const objects = new ObjectRecorder({
    now,
    changed: look,
    withResources: scenario.topic === 'resize',
  });
  const transport = api.transportOf(world);
  let agent: SimulatedAgent | undefined;
  const problems: string[] = [];

  const tree = partOf(treeOf('standard', 'api'));

  const startAgent = (): void => {
    agent = new SimulatedAgent(time, {
      tree,
      channels: { weather: { typicalMs: 0.05 }, leaves() {} },
      linkCredits: 1_000,
      random: seededRandom(19),
      kinds: (life) =>
        simulatedKinds(
          {
            time,
            tree,
            runtime,
            api,
            files,
            cgroups: new MemoryCgroups(),
            manifests,
            limits: defaultLaneLimits,
            node: {
              nodeName: NODE,
              clusterDNS: ['10.96.0.10'],
              syncFrequencyMs: durationMs(scenario.kubelet['syncFrequency'] ?? '1m'),
              crashLoopMaxMs: crashLoopMaxMs(scenario),
            },
            traps: new Traps(),
            switches: switches(undefined),
            born() {},
            asked() {},
            answered() {},
            told() {},
          },
          life,
        ),
      report: ({ child, verdict, reason }) => {
        if (verdict === 'restart' || verdict === 'escalate')
          problems.push(`${child} crashed: ${reason.split('\n', 3).join(' ')}`);
      },
      failed: (reason) => problems.push(`the agent failed: ${reason}`),
    });
    agent.start();
  };

  const writeStatic = (file: string, pod: ApiObject | undefined): void => {
    const path = `${MANIFEST_FOLDER}/${file}`;
    if (pod === undefined) manifests.remove(path);
    else manifests.write(path, JSON.stringify(pod));
  };

  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => void time.in(ms, world, { label: 'slept', run: resolve }));

  const stage: Stage = {
    api: transport,
    control: runtime.core.control,
    objects,
    get calls() {
      return calls.calls;
    },
    now,
    sleep,
    until(holds, what) {
      time.trace.add(time.now, 'world', `waits for ${what}`);
      return new Promise((resolve) => {
        waiters.add({ holds, resolve });
        look();
      });
    },
    writeStatic,
    // The scenarios that read one have one pod.
    readVolumeFile: (path) =>
      files
        .list(`${ROOT_DIR}/pods`)
        .map((uid) => files.read(`${ROOT_DIR}/pods/${uid}/volumes/${path}`))
        .find((text) => text !== undefined),
    killAgent() {
      agent?.kill();
      manifests.forgetWatchers();
    },
    startAgent,
  };

  let over = false;
  let deletedAt: readonly number[] = [];
  const play = async (): Promise<void> => {
    await createObject(transport, namespaceObject);
    await transport.call({ verb: 'create', path: nodesPath, body: nodeObject, priority: 'object' }, 1_000);
    objects.watch(transport, NAMESPACE);
    for (const [file, pod] of Object.entries(scenario.static ?? {})) writeStatic(file, pod);
    startAgent();
    await sleep(WARM_UP_MS);
    for (const object of scenario.manifest ?? []) await createObject(transport, object);
    deletedAt = await playActions(stage, scenario.actions);
  };
  const lookOften = (): void => {
    look();
    time.in(LOOK_EVERY_MS, world, { label: 'looks', run: lookOften });
  };
  lookOften();
  let failure: unknown;
  play()
    .catch((error: unknown) => (failure = error))
    .finally(() => (over = true));
  await runUntil(time, LONGEST_MS, () => over);
  if (failure !== undefined) problems.push(describeError(failure));
  else if (!over) problems.push(`still waiting after ${LONGEST_MS / 1_000} s`);
  return { calls: calls.calls, objects, deletedAt, problems: problems.slice(0, 3), trace };
}

/** The actors that have a part in a pod's life; the node's own object, lease, certificate and server have none. */
const played: ReadonlySet<string> = new Set([
  'job-pool',
  'cri-gateway',
  'pleg',
  'probe-manager',
  'volume-manager',
  'api-gateway',
  'event-recorder',
  'node-status',
  'status-manager',
  'pod-manager',
  'container-manager',
  'mirror-pods',
  'pod-source-file',
  'pod-source-api',
  'object-cache',
]);

const partOf = (tree: Tree): Tree => ({
  ...tree,
  main: tree.main.filter(({ address }) => played.has(address)),
  threads: tree.threads.map((thread) => ({
    ...thread,
    actors: thread.actors.filter(({ address }) => played.has(address)),
    children: thread.children.filter((child) => !('address' in child) || played.has(child.address)),
  })),
});

const namespaceObject: ApiObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };

/** As large as the node of the recordings. */
const nodeObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: NODE, labels: { 'kubernetes.io/hostname': NODE, 'kubernetes.io/os': 'linux' } },
  status: { allocatable: { cpu: '2', memory: '23Gi', pods: '500' } },
};

const durationMs = (text: unknown): number => {
  const found = /^(?<count>\d+)(?<unit>s|m)$/.exec(String(text))?.groups;
  if (found === undefined) throw new Error(`a duration that is not known here: ${String(text)}`);
  return Number(found['count']) * (found['unit'] === 'm' ? 60_000 : 1_000);
};

function crashLoopMaxMs({ kubelet }: Scenario): number {
  const { maxContainerRestartPeriod } = (kubelet['crashLoopBackOff'] ?? {}) as { maxContainerRestartPeriod?: string };
  return maxContainerRestartPeriod === undefined ? 300_000 : durationMs(maxContainerRestartPeriod);
}
