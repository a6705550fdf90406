import { partOfTree } from './part-of-tree.ts';
import { defaultLaneLimits } from '../../../actors/cri-gateway/call-schedule.ts';
import type { Address } from '../../../src/actor/messages/message.ts';
import type { HealthMonitor } from '../../../actors/health-monitor/actor.ts';
import type { ActorDuty } from '../../../actors/health-monitor/protocol.ts';
import { treeOf } from '../../../actors/tree.ts';
import { seededRandom } from '../../../src/actor/random.ts';
import { nodesPath } from '../../../src/api/api-path.ts';
import type { ApiRequest } from '../../../src/api/api-request.ts';
import type { ApiTransport } from '../../../src/api/api-transport.ts';
import { ContainerState } from '../../../src/cri/gen/api.ts';
import { parseScript } from '../../../src/embedded/runtime/script/script.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { MemoryCgroups } from '../../support/memory-cgroups.ts';
import { MANIFEST_FOLDER, ManifestDisk } from './manifest-disk.ts';
import { MemoryFiles } from './memory-files.ts';
import { SimulatedAgent } from './simulated-agent.ts';
import { SimulatedApi } from './simulated-api.ts';
import { simulatedKinds } from './simulated-kinds.ts';
import { SimulatedRuntime } from './simulated-runtime.ts';
import { runUntil } from '../simulate.ts';
import { switches } from './switches.ts';
import { Trace } from './trace.ts';
import { Traps } from './traps.ts';
import { newOwner, VirtualTime } from './virtual-time.ts';

export const NODE = 'cluster-node';
const LEASE = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${NODE}`;

/** The actors that affect pods when the API does not answer; the other actors have their own tests. */
export const played: ReadonlySet<string> = new Set([
  'job-pool',
  'cri-gateway',
  'pleg',
  'probe-manager',
  'volume-manager',
  'csi-manager',
  'image-manager',
  'api-gateway',
  'event-recorder',
  'node-status',
  'node-lease',
  'status-manager',
  'pod-manager',
  'eviction-manager',
  'container-manager',
  'mirror-pods',
  'pod-source-file',
  'pod-source-api',
  'object-cache',
]);

/** A node of a cluster in virtual time: a whole agent, an embedded runtime, and an API server with its own faults. */
export class ClusterNode {
  readonly time = new VirtualTime(seededRandom(23), new Trace(0));
  readonly api = new SimulatedApi(this.time, 23);
  readonly runtime: SimulatedRuntime;
  readonly problems: string[] = [];
  readonly #world = newOwner('world');
  readonly #files = new MemoryFiles();
  readonly #manifests = new ManifestDisk();
  readonly #admin: ApiTransport;
  /** CRI calls of the agent that create, start, stop or remove. */
  readonly changes: string[] = [];
  /** The kernel's cgroups, which outlive agents. */
  readonly #cgroups = new MemoryCgroups();
  #agent: SimulatedAgent | undefined;
  #health: HealthMonitor | undefined;

  constructor() {
    this.#admin = this.api.transportOf(this.#world);
    this.runtime = new SimulatedRuntime(this.time, {
      seed: 23,
      files: this.#files,
      settings: { script: parseScript({}) },
      random: seededRandom(24),
      watcher: { began() {}, ended() {}, cut() {} },
      twist: (_, outcome) => outcome,
    });
  }

  startAgent(): void {
    const { time, api, runtime } = this;
    const tree = partOfTree(treeOf('standard', { api: 'api', serves: true }), played);
    this.#agent = new SimulatedAgent(time, {
      tree,
      channels: { weather: { typicalMs: 0.05 }, leaves() {} },
      linkCredits: 1_000,
      random: seededRandom(25),
      kinds: (life) =>
        simulatedKinds(
          {
            time,
            tree,
            runtime,
            api,
            files: this.#files,
            cgroups: this.#cgroups,
            manifests: this.#manifests,
            limits: defaultLaneLimits,
            node: { nodeName: NODE, clusterDNS: ['10.96.0.10'], syncFrequencyMs: 60_000, crashLoopMaxMs: 60_000 },
            traps: new Traps(),
            switches: switches(undefined),
            born() {},
            asked: ({ method }) => {
              if (/^(Run|Create|Start|Stop|Remove)/.test(method)) this.changes.push(method);
            },
            answered() {},
            told() {},
            monitored: (monitor) => (this.#health = monitor),
          },
          life,
        ),
      report: ({ child, verdict, reason }) => {
        if (verdict === 'restart' || verdict === 'escalate') this.problems.push(`${child}: ${reason}`);
      },
      failed: (reason) => this.problems.push(reason),
    });
    this.#agent.start();
  }

  crashActor(address: Address): void {
    this.#agent?.crashActor(address, 'asked to');
  }

  killAgent(): void {
    this.#agent?.kill();
    this.#manifests.forgetWatchers();
  }

  writeStatic(name: string, image?: string): void {
    this.#manifests.write(`${MANIFEST_FOLDER}/${name}.json`, JSON.stringify(podObject(name, undefined, { image })));
  }

  removeStatic(name: string): void {
    this.#manifests.remove(`${MANIFEST_FOLDER}/${name}.json`);
  }

  /** A cluster with a node and a number of pods, all Ready. */
  async begin(pods: number): Promise<void> {
    void this.#create(nodesPath, nodeObject);
    this.startAgent();
    await this.pass(5_000);
    this.createPods('web', pods);
    await this.pass(30_000);
    if (this.readyPods() !== pods) throw new Error(`only ${this.readyPods()} of ${pods} pods are Ready`);
  }

  /** A request takes effect at once; its answer arrives as virtual time passes. */
  createPod(name: string, container: object = {}): Promise<void> {
    return this.#create('/api/v1/namespaces/default/pods', podObject(name, NODE, container));
  }

  createPods(name: string, count: number, container: object = {}): void {
    for (let n = 0; n < count; n += 1) void this.createPod(`${name}-${n}`, container);
  }

  async deletePod(name: string): Promise<void> {
    await this.ask({ verb: 'delete', path: `/api/v1/namespaces/default/pods/${name}`, body: {}, priority: 'object' });
  }

  async ask(request: ApiRequest): Promise<unknown> {
    const outcome = await this.#admin.call(request, 1_000);
    if (!outcome.ok) throw new Error(outcome.fault.message);
    return outcome.value;
  }

  async #create(path: string, body: object): Promise<void> {
    await this.ask({ verb: 'create', path, body, priority: 'object' });
  }

  pass(ms: number): Promise<void> {
    const until = this.time.now + ms;
    let over = false;
    this.time.in(ms, this.#world, { label: 'passed', run: () => (over = true) });
    return runUntil(this.time, until + 1, () => over);
  }

  // ---- current state ------------------------------------------------------------------------------------------------

  /** The pods in the API. */
  pods(): readonly Pod[] {
    return [...this.api.core.store.collection('pods').inOrderOfCreation()] as unknown as readonly Pod[];
  }

  readyPods(): number {
    return this.pods().filter(({ status }) =>
      status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True'),
    ).length;
  }

  runningContainers(): number {
    return this.runtime.core
      .listContainers({ filter: undefined })
      .containers.filter(({ state }) => state === ContainerState.CONTAINER_RUNNING).length;
  }

  /** The failing duties, as the health monitor shows them. */
  failing(): readonly ActorDuty[] {
    if (this.#health === undefined) throw new Error('there is no health monitor');
    return this.#health.failing();
  }

  /** The instants at which the node's lease was written. */
  leaseRenewals(since: number): readonly number[] {
    return this.api.weather.requests
      .filter(({ at, path, verb, ok }) => ok && at >= since && path === LEASE && verb !== 'get')
      .map(({ at }) => at);
  }

  /** The lists requested since then, by path: pages, and watches that begin with all objects. */
  lists(since: number): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { at, verb, path } of this.api.weather.requests) {
      const isList = verb === 'list' || (verb === 'watch' && path.includes('sendInitialEvents=true'));
      if (at < since || !isList) continue;
      const kind = path.split('?')[0] ?? '';
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return counts;
  }

  /** The writes since then, by their object. */
  writes(since: number): readonly string[] {
    return this.api.weather.requests
      .filter(
        ({ at, verb, path, ok }) => ok && at >= since && !['get', 'list', 'watch'].includes(verb) && path !== LEASE,
      )
      .map(({ verb, path }) => `${verb} ${path.split('?')[0]}`);
  }
}

const podObject = (name: string, nodeName: string | undefined, container: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: {
    ...(nodeName !== undefined && { nodeName }),
    automountServiceAccountToken: false,
    containers: [{ name: 'main', image: 'registry.example/web:1', ...JSON.parse(JSON.stringify(container)) }],
  },
});

const nodeObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: NODE, labels: { 'kubernetes.io/hostname': NODE, 'kubernetes.io/os': 'linux' } },
  status: { allocatable: { cpu: '8', memory: '64Gi', pods: '5000' } },
};
