import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Profile } from '../../../src/agent/settings.ts';
import type { ApiTransport } from '../../../src/api/api-transport.ts';
import { portOrFree } from '../../../src/cli/dev/port-or-free.ts';
import { AgentFolder } from '../../support/agent-process/agent-folder.ts';
import { AgentProcess } from '../../support/agent-process/agent-process.ts';
import type { Interval } from '../foreign-time.ts';
import { problemsOf, type Played } from '../judge-scenario.ts';
import { DEFAULT_NAMESPACE, listPathOf, namespacesOf, objectsOf, pathOfNamed } from '../object-path.ts';
import { createNamespaces, createObject, playActions, type Stage, type StageControl } from '../play-scenario.ts';
import type { CallRecorder } from '../record-calls.ts';
import { ObjectRecorder } from '../record-objects.ts';
import type { Scenario } from '../scenario.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { CpuWaits } from './cpu-waits.ts';
import { hasKill } from './group-lives.ts';
import { Together } from './kill-together.ts';
import type { ProxiedCall } from './proxy-calls.ts';

export const NODE = 'life-node';
const WAIT_MS = 90_000;
const LATE_MS = 15_000;
/** A pod that no scenario has. */
const WARM_UP = 'warm-up-of-life-node';
const atOnce = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 };

/** The configuration of the recorded kubelet. */
const BASE_CONFIGURATION = {
  failCgroupV1: false,
  failSwapOn: false,
  cgroupDriver: 'cgroupfs',
  cgroupsPerQOS: false,
  enforceNodeAllocatable: [],
  maxPods: 500,
  serializeImagePulls: false,
  registryPullQPS: 0,
  kubeAPIQPS: 500,
  kubeAPIBurst: 1000,
  eventRecordQPS: 500,
  eventBurst: 1000,
  clusterDNS: ['10.96.0.10'],
  clusterDomain: 'cluster.local',
  resolvConf: '',
  evictionHard: { 'memory.available': '1Mi' },
  imageGCHighThresholdPercent: 100,
  readOnlyPort: 0,
  healthzPort: 0,
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: 'AlwaysAllow' },
  // The recorded kubelet has twenty seconds with a watch on the folder.
  fileCheckFrequency: '20s',
};

/** Makes the folder of an agent that is configured as the recorded kubelet was for these scenarios. */
export async function folderFor(scenarios: readonly Scenario[]): Promise<AgentFolder> {
  const folder = await AgentFolder.make();
  const port = await portOrFree(10_250);
  // Recordings about cgroups name a root of their own. Here it is this agent's.
  const { cgroupRoot } = folder;
  await folder.configure({ ...BASE_CONFIGURATION, port, ...scenarios[0]?.kubelet, cgroupRoot });
  return folder;
}

export interface LiveNodeParts {
  readonly folder: AgentFolder;
  /** The agent's way to the API server. */
  readonly kubeconfig: string;
  /** The way of the user who plays. */
  readonly api: ApiTransport;
  /** The agent's runtime. */
  readonly endpoint: string;
  readonly calls: CallRecorder<ProxiedCall>;
  readonly control: StageControl;
  /** `real`: calls take their own time. `scripted`: calls take the time of the script, so times are compared. */
  readonly runtime: 'real' | 'scripted';
  readonly profile?: Profile | undefined;
  /** Pods of scenarios that other agents played through the same API server. */
  readonly others?: ReadonlySet<string>;
}

/** An agent process, an API server and a runtime in real time, for scenarios with one configuration. */
export class LiveNode {
  readonly #parts: LiveNodeParts;
  readonly #objects: ObjectRecorder;
  readonly #together: Together;
  /** The pods of all scenarios. */
  readonly #pods: ReadonlySet<string>;
  readonly #agentStarts: Interval[] = [];
  readonly #killedAt: number[] = [];
  readonly #waits = new CpuWaits();
  #agent: AgentProcess | undefined;

  private constructor(parts: LiveNodeParts, scenarios: readonly Scenario[]) {
    this.#parts = parts;
    this.#objects = new ObjectRecorder({ now, changed: () => {}, withResources: scenarios[0]?.topic === 'resize' });
    this.#together = new Together(scenarios.filter(hasKill).length);
    this.#pods = new Set([
      WARM_UP,
      ...(parts.others ?? []),
      ...scenarios.flatMap(({ expected }) => Object.keys(expected.status)),
    ]);
  }

  /** Starts the agent, and watches its pods. */
  static async start(parts: LiveNodeParts, scenarios: readonly Scenario[]): Promise<LiveNode> {
    const node = new LiveNode(parts, scenarios);
    try {
      await node.#begin(scenarios);
      return node;
    } catch (error) {
      await node.stop();
      throw error;
    }
  }

  async #begin(scenarios: readonly Scenario[]): Promise<void> {
    const { api } = this.#parts;
    for (const scenario of scenarios) await createNamespaces(api, scenario);
    for (const namespace of new Set(scenarios.flatMap((scenario) => [...namespacesOf(scenario)])))
      this.#objects.watch(api, namespace, await newestVersion(api, namespace));
    await this.#startAgent();
    await this.#warmUp();
  }

  async #startAgent(): Promise<void> {
    const began = now();
    const { folder, endpoint, kubeconfig, profile } = this.#parts;
    this.#agent = await AgentProcess.start({
      folder,
      endpoint,
      kubeconfig,
      nodeName: NODE,
      ...(profile !== undefined && { profile }),
    });
    this.#agentStarts.push([began, now()]);
  }

  /** The recorded kubelet had been running for long. An agent that has run one pod has done what it does but once. */
  async #warmUp(): Promise<void> {
    const { api } = this.#parts;
    const containers = [{ name: 'main', image: 'registry.test/warm-up:1' }];
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: WARM_UP, namespace: DEFAULT_NAMESPACE },
      spec: { nodeName: NODE, containers },
    };
    const path = `${listPathOf(pod)}/${WARM_UP}`;
    const seen = async (): Promise<Pod | undefined> => {
      const outcome = await api.call({ verb: 'get', path, priority: 'object' }, WAIT_MS);
      return outcome.ok ? (outcome.value as Pod) : undefined;
    };
    await createObject(api, pod);
    await until(async () => (await seen())?.status?.phase === 'Running', 'the first pod runs');
    await api.call({ verb: 'delete', path, body: atOnce, priority: 'object' }, WAIT_MS);
    await until(async () => (await seen()) === undefined, 'the first pod is gone');
  }

  /** Plays one scenario beside others. */
  async play(scenario: Scenario): Promise<Played> {
    const { folder, api, runtime } = this.#parts;
    const problems: string[] = [];
    let deletedAt: readonly number[] = [];
    const createdAt = now();
    try {
      for (const [file, pod] of Object.entries(scenario.static ?? {})) await folder.put(file, pod);
      for (const object of scenario.manifest ?? []) await createObject(api, object);
      deletedAt = await playActions(this.#stageOf(scenario), scenario);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    } finally {
      if (hasKill(scenario)) this.#together.leave();
    }
    const told = { deletedAt, problems, ...(runtime === 'scripted' && { createdAt }) };
    const played = await this.#lookAt(scenario, told);
    await this.#takeAway(scenario);
    return played;
  }

  /**
   * Returns the observations of a scenario. A live node may be slower than the recordings: a scenario that does not match
   * yet is compared again later, with all observations until then.
   */
  async #lookAt(scenario: Scenario, told: Pick<Played, 'deletedAt' | 'problems' | 'createdAt'>): Promise<Played> {
    const { calls, runtime } = this.#parts;
    const restartedAt = this.#agentStarts[1]?.[0];
    // A copy: the remains of this scenario are removed while others are still played.
    const look = (): Played => ({
      ...told,
      calls: calls.calls.map((call) => ({ ...call })),
      objects: this.#objects.snapshot(),
      others: this.#pods,
      ...(hasKill(scenario) && restartedAt !== undefined && { restartedAt }),
      killedAt: [...this.#killedAt],
      ...(runtime === 'real'
        ? { runtime }
        : { probes: calls.probes.map((run) => ({ ...run })), waited: (from, to) => this.#waits.between(from, to) }),
      agentStarts: [...this.#agentStarts],
    });
    const atItsEnd = look();
    let played = atItsEnd;
    for (const until = now() + LATE_MS; now() < until; played = look()) {
      if (told.problems.length > 0 || problemsOf(scenario, played).length === 0) return played;
      await delay(500);
    }
    return atItsEnd;
  }

  /** Removes a finished scenario's objects, so that they take no time from other scenarios. */
  async #takeAway(scenario: Scenario): Promise<void> {
    const { folder, api } = this.#parts;
    const { static: files = {}, actions, expected } = scenario;
    const changed = actions.flatMap((action) => ('static' in action ? [action.static] : []));
    for (const file of new Set([...Object.keys(files), ...changed])) {
      if (existsSync(join(folder.manifests, file))) await folder.remove(file);
    }
    // An object may already be gone.
    const remove = async (path: string, body: object = {}): Promise<void> => {
      await api.call({ verb: 'delete', path, body, priority: 'object' }, WAIT_MS);
    };
    for (const pod of Object.keys(expected.status)) {
      if (this.#objects.history(pod).newest !== undefined) await remove(pathOfNamed(scenario, { name: pod }), atOnce);
    }
    for (const { kind, metadata } of objectsOf(scenario)) {
      if (kind !== 'Pod' && kind !== 'Namespace') await remove(pathOfNamed(scenario, { kind, name: metadata.name }));
    }
  }

  #stageOf(scenario: Scenario): Stage {
    const { folder, api, calls, control } = this.#parts;
    const together = this.#together;
    return {
      api,
      control,
      objects: this.#objects,
      calls: calls.calls,
      now,
      sleep: (ms) => delay(ms),
      until,
      writeStatic: (file, pod) => (pod === undefined ? folder.remove(file) : folder.put(file, pod)),
      readVolumeFile: (path) => this.#readVolumeFile(scenario, path),
      killAgent: () =>
        together.once(async () => {
          this.#killedAt.push(now());
          await this.#agent?.kill();
        }),
      startAgent: () => together.once(() => this.#startAgent()),
    };
  }

  #readVolumeFile({ expected }: Scenario, path: string): string | undefined {
    const { rootDir } = this.#parts.folder;
    const uids = Object.keys(expected.status).map((pod) => this.#objects.history(pod).newest?.metadata.uid ?? '');
    return readdirSync(join(rootDir, 'pods'))
      .filter((uid) => uids.includes(uid))
      .map((uid) => join(rootDir, 'pods', uid, 'volumes', path))
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, 'utf8'))[0];
  }

  /** Resolves when no pod of a scenario is left in the API, or after a quarter of a minute. */
  async untilEmpty(): Promise<void> {
    const isEmpty = (): boolean => [...this.#pods].every((pod) => this.#objects.history(pod).newest === undefined);
    for (const until = now() + LATE_MS; now() < until && !isEmpty();) await delay(50);
  }

  /** Ends the agent and the watches. */
  async stop(): Promise<void> {
    await this.#agent?.kill();
    this.#objects.stop();
    this.#waits.stop();
  }
}

const now = (): number => performance.now();

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const since = now();
  while (!(await holds())) {
    if (now() - since > WAIT_MS) throw new Error(`${what}: still not so after ${WAIT_MS / 1_000} s`);
    await delay(20);
  }
}

/** Nothing that an API server had before is an observation. */
async function newestVersion(api: ApiTransport, namespace: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const outcome = await api.call({ verb: 'list', path, priority: 'object' }, WAIT_MS);
  if (!outcome.ok) throw new Error(`list ${path}: ${JSON.stringify(outcome.fault)}`);
  // The answer to a list is a list.
  return (outcome.value as { readonly metadata: { readonly resourceVersion: string } }).metadata.resourceVersion;
}
