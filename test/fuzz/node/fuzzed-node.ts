import { partOfTree } from '../../simulation/node/part-of-tree.ts';
import { own } from '../../../src/kube/text/own.ts';
import { defaultLaneLimits } from '../../../actors/cri-gateway/call-schedule.ts';
import { treeOf } from '../../../actors/tree.ts';
import type { ActorKind } from '../../../src/actor/actor.ts';
import { seededRandom } from '../../../src/actor/random.ts';
import { nodesPath } from '../../../src/api/api-path.ts';
import type { ApiOutcome, ApiRequest } from '../../../src/api/api-request.ts';
import type { ApiTransport } from '../../../src/api/api-transport.ts';
import { ContainerState } from '../../../src/cri/gen/api.ts';
import { parseScript } from '../../../src/embedded/runtime/script/script.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { MemoryCgroups } from '../../support/memory-cgroups.ts';
import { MANIFEST_FOLDER, ManifestDisk } from '../../simulation/node/manifest-disk.ts';
import { SimulatedAgent } from '../../simulation/node/simulated-agent.ts';
import { simulatedKinds } from '../../simulation/node/simulated-kinds.ts';
import { switches } from '../../simulation/node/switches.ts';
import { newOwner, VirtualTime } from '../../simulation/node/virtual-time.ts';
import { defect, pollution, threadMs } from '../oracle.ts';
import type { Problem, Verdict } from '../target.ts';
import { GuardedFiles } from './guarded-files.ts';
import { HandlerWatch, LatestOnly } from './handler-watch.ts';
import { HostileApi } from './hostile-api.ts';
import { HostileRuntime } from './hostile-runtime.ts';

export const NODE = 'fuzzed-node';
export const ROOT_DIR = '/var/lib/hivelet';
export const PODS = '/api/v1/pods?';

export interface FuzzedNodeOptions {
  /** Images that are absent until they are pulled. */
  readonly absentImages?: readonly string[];
  /** Actors of this node that differ from the usual ones. */
  readonly kinds?: (
    usual: Readonly<Record<string, ActorKind>>,
    node: FuzzedNode,
  ) => Readonly<Record<string, ActorKind>>;
}

const played: ReadonlySet<string> = new Set([
  'job-pool',
  'cri-gateway',
  'pleg',
  'probe-manager',
  'eviction-manager',
  'volume-manager',
  'csi-manager',
  'image-manager',
  'garbage-collector',
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

/** On a real node these run on job threads, which have their own deadline. */
const jobLabels: ReadonlySet<string> = new Set(['parse', 'parsed', 'volumes']);
/** The owner of events outside the agent. */
const others: ReadonlySet<string> = new Set(['world', 'runtime', 'api']);
const READY_WITHIN_MS = 60_000;
/** Matches source text: a sign that a value was looked up by an inherited name. */
const CODE_TEXT = '[native code]';

/** A whole node in virtual time with three ordinary pods, which no hostile input may touch. */
export class FuzzedNode {
  readonly time = new VirtualTime(seededRandom(31), new LatestOnly());
  readonly api = new HostileApi(this.time, 31);
  readonly runtime: HostileRuntime;
  readonly files: GuardedFiles;
  readonly #options: FuzzedNodeOptions;
  readonly #world = newOwner('world');
  readonly #manifests = new ByteDisk();
  readonly #cgroups = new MemoryCgroups();
  readonly #handlers = new HandlerWatch();
  readonly #admin: ApiTransport;
  readonly #problems: Problem[] = [];
  readonly #unhandled = (reason: unknown): void => this.#complain(defect(reason, 'unhandled rejection'));
  #agent: SimulatedAgent | undefined;
  #slowest = { ms: 0, what: '' };
  #ordinary = new Map<string, string>();
  #isOver = false;

  private constructor(options: FuzzedNodeOptions) {
    this.#options = options;
    this.#admin = this.api.transportOf(this.#world);
    this.files = new GuardedFiles((path) => this.wroteOutside(path));
    this.api.asked = ({ verb, body }) => {
      if (body !== undefined && verb !== 'delete' && textIn(body).includes(CODE_TEXT)) {
        this.#complain({ kind: 'defect', where: 'a write to the API holds the text of code', detail: textIn(body) });
      }
    };
    const absent = (options.absentImages ?? []).map((image) => [image, ['ok']] as const);
    this.runtime = new HostileRuntime(this.time, {
      seed: 31,
      files: this.files,
      settings: { script: parseScript({ images: Object.fromEntries(absent) }) },
      random: seededRandom(32),
      watcher: { began() {}, ended() {}, cut() {} },
      twist: (_, outcome) => outcome,
    });
    process.on('unhandledRejection', this.#unhandled);
  }

  /** A node whose ordinary pods are Ready. */
  static async begin(options: FuzzedNodeOptions = {}): Promise<FuzzedNode> {
    const node = new FuzzedNode(options);
    await node.create(nodesPath, nodeObject);
    await node.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hostile' } });
    node.#startAgent();
    await node.pass(3_000);
    for (const name of ['web-0', 'web-1']) {
      await node.create('/api/v1/namespaces/default/pods', ordinaryPod(name));
    }
    node.writeManifest('ordinary', JSON.stringify(ordinaryPod('static')));
    const isReady = (): boolean => node.ordinaryPods().filter(isPodReady).length === 3;
    if (!(await node.until(isReady, READY_WITHIN_MS))) {
      const why = [...node.#problems.map(({ detail }) => detail), JSON.stringify(node.ordinaryPods())];
      throw new Error(`the ordinary pods are not Ready: ${why.join('\n')}`);
    }
    // Waits until their statuses settle.
    await node.pass(5_000);
    node.#ordinary = node.#ordinaryNow();
    node.#problems.length = 0;
    node.#slowest = { ms: 0, what: '' };
    return node;
  }

  close(): void {
    this.#isOver = true;
    this.#agent?.kill();
    process.off('unhandledRejection', this.#unhandled);
  }

  /** `true` while nothing has failed on this node, so the next case may use it. */
  get isSound(): boolean {
    return this.#problems.length === 0 && !this.#isOver;
  }

  /** Returns the findings of the hostile input, and begins the next case. */
  verdict(outcome: string): Verdict {
    for (const [name, now] of this.#ordinaryNow()) {
      const before = this.#ordinary.get(name);
      if (before === now) continue;
      const detail = `${name} was ${before}, and is ${now}`;
      this.#complain({ kind: 'others-touched', where: 'an ordinary pod', detail });
    }
    for (const problem of pollution()) this.#complain(problem);
    const { ms, what } = this.#slowest;
    this.#slowest = { ms: 0, what: '' };
    return { outcome, problems: [...this.#problems], slowestMs: ms, slowest: what };
  }

  writeManifest(name: string, text: string | Uint8Array): void {
    this.#manifests.writeBytes(`${MANIFEST_FOLDER}/${name}.yaml`, typeof text === 'string' ? Buffer.from(text) : text);
  }

  removeManifest(name: string): void {
    this.#manifests.remove(`${MANIFEST_FOLDER}/${name}.yaml`);
  }

  create(path: string, body: object): Promise<void> {
    return this.ask({ verb: 'create', path, body, priority: 'object' });
  }

  /** Sends a request of an administrator. Virtual time passes until the answer. */
  async ask(request: ApiRequest): Promise<void> {
    let outcome: ApiOutcome<unknown> | undefined;
    void this.#admin.call(request, 1_000).then((answer) => (outcome = answer));
    await this.until(() => outcome !== undefined, 1_000);
    if (outcome?.ok !== true) throw new Error(outcome?.fault.message ?? 'the API server does not answer');
  }

  /** Lets virtual time pass. */
  async pass(ms: number): Promise<void> {
    await this.until(() => false, ms);
  }

  /** Lets virtual time pass until the condition holds, checked about every 100 ms. Returns `false` if it never holds. */
  async until(holds: () => boolean, withinMs: number): Promise<boolean> {
    const end = this.time.now + withinMs;
    let lookAt = this.time.now;
    while (!this.#isOver) {
      if (this.time.now >= lookAt) {
        if (holds()) return true;
        lookAt = this.time.now + 100;
      }
      if (!(await this.#step(end))) return holds();
    }
    return false;
  }

  /** Returns everything on the node that belongs to other than the ordinary pods. */
  leftovers(): readonly string[] {
    const uids = this.ordinaryUids();
    const isOther = (uid: string | undefined): boolean => uid === undefined || !uids.has(uid);
    const { containers } = this.runtime.core.listContainers({ filter: undefined });
    const { items } = this.runtime.core.listPodSandbox({ filter: undefined });
    const workers = (this.#agent?.threads ?? []).flatMap(({ host }) => host.addresses('pod-worker'));
    return [
      ...containers.filter(({ labels }) => isOther(labels[POD_UID_LABEL])).map(({ id }) => `container ${id}`),
      ...items.filter(({ metadata }) => isOther(metadata?.uid)).map(({ id }) => `sandbox ${id}`),
      ...workers.filter((address) => isOther(address.split('/')[1])).map((address) => `actor ${address}`),
      ...this.files
        .list(`${ROOT_DIR}/pods`)
        .filter(isOther)
        .map((uid) => `directory pods/${uid}`),
    ];
  }

  /** Waits until the node settles after the removal of the hostile object. Remains are a finding. */
  async comeToRest(withinMs = 180_000): Promise<void> {
    const isAtRest = await this.until(() => this.leftovers().length === 0, withinMs);
    if (isAtRest || !this.isSound) return;
    const left = this.leftovers();
    const where = left.map((each) => each.split(' ')[0]).join(', ');
    this.#complain({ kind: 'left-behind', where, detail: left.join(', ') });
  }

  wroteOutside(path: string): void {
    this.#complain({ kind: 'outside-the-root', where: shapeOfPath(path), detail: path.slice(0, 300) });
  }

  complain(problem: Problem): void {
    this.#complain(problem);
  }

  /** The API's pods, without hostile pods. */
  ordinaryPods(): readonly Pod[] {
    const all = [...this.api.core.store.collection('pods').inOrderOfCreation()] as unknown as readonly Pod[];
    return all.filter(({ metadata }) => metadata.namespace === 'default' && /^(web|static)-/.test(metadata.name));
  }

  ordinaryUids(): ReadonlySet<string> {
    return new Set<string>([...this.ordinaryPods().map(({ metadata }) => metadata.uid), ...this.#staticUids()]);
  }

  isReady(name: string): boolean {
    return this.#named(name).some(isPodReady);
  }

  /** A pod's status in the API, as text for people. */
  statusOf(name: string): string {
    return JSON.stringify(this.#named(name).map(({ status }) => status)).slice(0, 800);
  }

  #named(name: string): readonly Pod[] {
    const all = [...this.api.core.store.collection('pods').inOrderOfCreation()] as unknown as readonly Pod[];
    return all.filter(({ metadata }) => metadata.name === name);
  }

  /** Static pods run under the hash of their manifest, which is an annotation of their mirror pod. */
  #staticUids(): readonly string[] {
    return this.ordinaryPods().flatMap(({ metadata }) => own(metadata.annotations, 'kubernetes.io/config.hash') ?? []);
  }

  #ordinaryNow(): Map<string, string> {
    const running = this.runtime.core
      .listContainers({ filter: undefined })
      .containers.filter(({ state }) => state === ContainerState.CONTAINER_RUNNING);
    return new Map(
      this.ordinaryPods().map((pod) => {
        const uid = pod.metadata.annotations?.['kubernetes.io/config.hash'] ?? pod.metadata.uid;
        const ids = running.filter(({ labels }) => labels[POD_UID_LABEL] === uid).map(({ id }) => id);
        const restarts = pod.status?.containerStatuses?.map(({ restartCount }) => restartCount);
        return [pod.metadata.name, JSON.stringify({ ids, restarts, ready: isPodReady(pod) })];
      }),
    );
  }

  /** Runs one event with all its promises. Returns how long the agent worked on it. */
  async #step(until: number): Promise<boolean> {
    const trace = this.time.trace;
    const begun = threadMs();
    this.#handlers.read.length = 0;
    let more = true;
    try {
      more = this.time.step(until);
    } catch (error) {
      this.#complain(defect(error, 'uncaught'));
    }
    await new Promise((resolve) => void setImmediate(resolve));
    const ms = threadMs() - begun;
    if (ms > this.#slowest.ms && trace instanceof LatestOnly && !others.has(trace.who) && !jobLabels.has(trace.what)) {
      const what = this.#handlers.read[0] ?? `${trace.who.replace(/\.\d+$/, '')} ${trace.what.replaceAll(/\d+/g, 'N')}`;
      this.#slowest = { ms, what };
    }
    return more;
  }

  #complain(problem: Problem): void {
    if (!this.#isOver && this.#problems.length < MOST_PROBLEMS) this.#problems.push(problem);
  }

  #startAgent(): void {
    const { time, api, runtime } = this;
    const tree = partOfTree(treeOf('standard', { api: 'api', serves: true }), played);
    this.#agent = new SimulatedAgent(time, {
      tree,
      channels: { weather: { typicalMs: 0.05 }, leaves() {} },
      linkCredits: 1_000,
      random: seededRandom(33),
      kinds: (life) => {
        const usual = simulatedKinds(
          {
            time,
            tree,
            runtime,
            api,
            files: this.files,
            cgroups: this.#cgroups,
            manifests: this.#manifests,
            limits: defaultLaneLimits,
            node: { nodeName: NODE, clusterDNS: ['10.96.0.10'], syncFrequencyMs: 60_000, crashLoopMaxMs: 60_000 },
            traps: this.#handlers,
            switches: switches(undefined),
            born() {},
            asked: ({ method, request }) => {
              if (Buffer.from(request.buffer, request.byteOffset, request.byteLength).includes(CODE_TEXT)) {
                const where = `a ${method} request holds the text of code`;
                this.#complain({ kind: 'defect', where, detail: where });
              }
            },
            answered() {},
            told() {},
          },
          life,
        );
        return this.#options.kinds?.(usual, this) ?? usual;
      },
      report: ({ child, verdict, reason }) => {
        if (verdict === 'restart' || verdict === 'escalate') {
          this.#complain(defect(reason, child.split('/')[0] ?? child));
        }
      },
      failed: (reason) => this.#complain(defect(reason, 'the agent failed')),
    });
    this.#agent.start();
  }
}

/** A folder of manifests that may hold any bytes. */
class ByteDisk extends ManifestDisk {
  readonly #bytes = new Map<string, Uint8Array>();

  writeBytes(path: string, bytes: Uint8Array): void {
    this.#bytes.set(path, bytes);
    this.write(path, '');
  }

  override read(path: string): Promise<Uint8Array> {
    const bytes = this.#bytes.get(path);
    return bytes === undefined ? super.read(path) : super.read(path).then(() => bytes);
  }
}

/** Keeps the first few problems; the others follow from them. */
const MOST_PROBLEMS = 5;
export const POD_UID_LABEL = 'io.kubernetes.pod.uid';

const isPodReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

/** Returns a path without the parts that differ from case to case. */
const shapeOfPath = (path: string): string =>
  path
    .slice(0, 200)
    .replaceAll(/[0-9a-f]{8,}[0-9a-f-]*/g, 'ID')
    .slice(0, 80);

const textIn = (body: object): string => {
  try {
    return JSON.stringify(body);
  } catch {
    return '';
  }
};

const ordinaryPod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: {
    ...(name !== 'static' && { nodeName: NODE }),
    automountServiceAccountToken: false,
    containers: [{ name: 'main', image: 'registry.example/ordinary:1' }],
  },
});

const nodeObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: NODE, labels: { 'kubernetes.io/hostname': NODE, 'kubernetes.io/os': 'linux' } },
  status: { allocatable: { cpu: '8', memory: '64Gi', pods: '5000' } },
};
