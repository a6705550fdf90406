import type { Profile } from '../../src/agent/settings.ts';
import { parseScript } from '../../src/embedded/runtime/script/script.ts';
import { kubeletConfiguration, nodeFactsOf, nodeSettingsOf } from '../golden-runner/kubelet-settings.ts';
import { WholeNode } from '../golden-runner/whole-node.ts';
import { ROOT_DIR } from '../simulation/node/simulated-kinds.ts';
import type { Trace } from '../simulation/node/trace.ts';
import type { FaultSeam } from '../../src/actor/fault-seam.ts';
import type { Played } from './judge-scenario.ts';
import { namespacesOf } from './object-path.ts';
import { createNamespaces, createObject, playActions, type Stage } from './play-scenario.ts';
import { CallRecorder, ownersIn } from './record-calls.ts';
import { ObjectRecorder } from './record-objects.ts';
import type { ApiObject, Scenario } from './scenario.ts';

const NODE = 'life-node';
/** Longer than any recording takes. */
const LONGEST_MS = 400_000;
/** The time before the first object is created, in which the agent starts. */
const WARM_UP_MS = 2_000;

export interface PlayOptions {
  /** The number of latest trace entries that are kept. */
  readonly keepTrace?: number;
  readonly messages?: FaultSeam | undefined;
  readonly profile?: Profile | undefined;
}

/** Plays a scenario on a whole node in virtual time: the agent's own actors, embedded runtime, embedded API server. */
export async function playScenario(
  scenario: Scenario,
  { keepTrace = 0, messages, profile }: PlayOptions = {},
): Promise<Played & { readonly trace: Trace }> {
  const config = kubeletConfiguration(scenario.name, 'kubelet', scenario.kubelet);
  const now = (): number => node.now;
  const changed = (): void => node.look();
  const calls = new CallRecorder({ owners: ownersIn(() => node.runtime.core), now, changed });
  const node: WholeNode = new WholeNode({
    node: { nodeName: NODE, ...nodeSettingsOf(config), facts: nodeFactsOf(config) },
    nodeObject: nodeObject(config.maxPods),
    // The recordings were made on a runtime without an event stream: the kubelet relists about once a second.
    runtime: { script: parseScript(scenario.script), events: 'off' },
    watcher: calls,
    keepTrace,
    messages,
    profile,
  });
  const objects = new ObjectRecorder({ now, changed, withResources: showsResources(scenario) });
  const { api, files } = node;
  const writeStatic = (file: string, pod: ApiObject | undefined): void =>
    node.writeStatic(file, pod === undefined ? undefined : JSON.stringify(pod));
  let restartedAt: number | undefined;
  const killedAt: number[] = [];
  const stage: Stage = {
    api,
    control: node.runtime.core.control,
    objects,
    get calls() {
      return calls.calls;
    },
    now,
    sleep: (ms) => node.sleep(ms),
    until: (holds, what) => node.until(holds, what),
    writeStatic,
    // Scenarios that read a file have one pod.
    readVolumeFile: (path) =>
      files
        .list(`${ROOT_DIR}/pods`)
        .map((uid) => files.read(`${ROOT_DIR}/pods/${uid}/volumes/${path}`))
        .find((text) => text !== undefined),
    killAgent: () => {
      killedAt.push(now());
      node.killAgent();
    },
    startAgent: () => {
      restartedAt ??= now();
      node.startAgent();
    },
  };
  let deletedAt: readonly number[] = [];
  let createdAt: number | undefined;
  const act = async (): Promise<void> => {
    await createNamespaces(api, scenario);
    for (const namespace of namespacesOf(scenario)) objects.watch(api, namespace);
    node.startAgent();
    await node.sleep(WARM_UP_MS);
    createdAt = now();
    for (const [file, pod] of Object.entries(scenario.static ?? {})) writeStatic(file, pod);
    for (const object of scenario.manifest ?? []) await createObject(api, object);
    deletedAt = await playActions(stage, scenario);
  };
  await node.play(act, LONGEST_MS);
  return {
    calls: calls.calls,
    probes: calls.probes,
    objects,
    deletedAt,
    ...(createdAt !== undefined && { createdAt }),
    ...(restartedAt !== undefined && { restartedAt }),
    killedAt,
    problems: node.problems,
    trace: node.trace,
  };
}

/** Statuses are recorded with resources in the cases about resizes. */
const showsResources = ({ topic, expected }: Scenario): boolean =>
  topic === 'resize' ||
  Object.values(expected.status)
    .flat()
    .some(({ containers = {}, init = {} }) =>
      [...Object.values(containers), ...Object.values(init)].some((each) => 'resources' in each || 'allocated' in each),
    );

/** As large as the node of the recordings. */
const nodeObject = (maxPods: number): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: NODE, labels: { 'kubernetes.io/hostname': NODE, 'kubernetes.io/os': 'linux' } },
  status: {
    allocatable: {
      cpu: '2',
      memory: '23Gi',
      'ephemeral-storage': '100Gi',
      'hugepages-1Gi': '0',
      'hugepages-2Mi': '0',
      pods: String(maxPods),
    },
    features: { supplementalGroupsPolicy: true },
  },
});
