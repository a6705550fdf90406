import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiTransport } from '../../src/api/api-transport.ts';
import { portOrFree } from '../../src/cli/dev/port-or-free.ts';
import {
  ContainerStatusRequest,
  ExecSyncRequest,
  PodSandboxStatusRequest,
  RemoveContainerRequest,
  RemovePodSandboxRequest,
  RuntimeServiceService,
  StopPodSandboxRequest,
} from '../../src/cri/gen/api.ts';
import { inProcessTransport } from '../../src/embedded/apiserver/http/in-process-transport.ts';
import { kubeconfig } from '../../src/embedded/apiserver/kubeconfig.ts';
import { type EmbeddedApiServer, serveEmbeddedApi } from '../../src/embedded/apiserver/serve.ts';
import { mergeScripts, parseScript } from '../../src/embedded/runtime/script/script.ts';
import { problemsOf, type Played } from '../lifecycle/judge-scenario.ts';
import { namespacesOf, pathOfNamed } from '../lifecycle/object-path.ts';
import { createNamespaces, createObject, playActions, type Stage } from '../lifecycle/play-scenario.ts';
import type { Interval } from '../lifecycle/foreign-time.ts';
import { CallRecorder } from '../lifecycle/record-calls.ts';
import { ObjectRecorder } from '../lifecycle/record-objects.ts';
import type { Scenario } from '../lifecycle/scenario.ts';
import { AgentFolder } from '../support/agent-process/agent-folder.ts';
import { AgentProcess } from '../support/agent-process/agent-process.ts';
import type { PrivateContainerd } from '../support/containerd/start-containerd.ts';
import { ActingRuntime } from './acting-runtime.ts';
import { hasKill } from './group-lives.ts';
import { Together } from './kill-together.ts';
import { untilItMindsTerm } from './minds-signals.ts';
import { type ProxiedCall, proxyCalls } from './proxy-calls.ts';
import { EXIT_CODE_FILE } from './shell-behaviour.ts';

const NODE = 'life-node';
const WAIT_MS = 90_000;
const LATE_MS = 15_000;

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

/** An agent process, an API server and real containers, for scenarios with one configuration. */
export class ContainerdNode implements AsyncDisposable {
  readonly calls: CallRecorder<ProxiedCall>;
  readonly objects: ObjectRecorder;
  readonly #runtime: ActingRuntime;
  readonly #containerd: PrivateContainerd;
  readonly #folder: AgentFolder;
  readonly #server: EmbeddedApiServer;
  readonly #proxy: { close(): void };
  readonly #api: ApiTransport;
  readonly #endpoint: string;
  readonly #together: Together;
  /** The pods of all scenarios. */
  readonly #pods: ReadonlySet<string>;
  readonly #agentStarts: Interval[] = [];
  #agent: AgentProcess | undefined;

  private constructor(parts: {
    readonly runtime: ActingRuntime;
    readonly calls: CallRecorder<ProxiedCall>;
    readonly objects: ObjectRecorder;
    readonly containerd: PrivateContainerd;
    readonly folder: AgentFolder;
    readonly server: EmbeddedApiServer;
    readonly proxy: { close(): void };
    readonly endpoint: string;
    readonly together: Together;
    readonly pods: ReadonlySet<string>;
  }) {
    this.calls = parts.calls;
    this.objects = parts.objects;
    this.#runtime = parts.runtime;
    this.#containerd = parts.containerd;
    this.#folder = parts.folder;
    this.#server = parts.server;
    this.#proxy = parts.proxy;
    this.#endpoint = parts.endpoint;
    this.#together = parts.together;
    this.#pods = parts.pods;
    this.#api = inProcessTransport(parts.server.core);
  }

  /** Starts a node for scenarios with one configuration, with a running agent. */
  static async start(containerd: PrivateContainerd, scenarios: readonly Scenario[]): Promise<ContainerdNode> {
    const folder = await AgentFolder.make();
    await folder.configure({ ...BASE_CONFIGURATION, port: await portOrFree(10_250), ...scenarios[0]?.kubelet });
    const server = await serveEmbeddedApi({ core: { historyLength: 100_000 } });
    const user = await server.credentials({ username: `system:node:${NODE}`, groups: ['system:nodes'] });
    const { address, authority } = server;
    const text = kubeconfig({ server: address, authority: authority.certificate, user });
    writeFileSync(join(folder.dir, 'node.kubeconfig'), text, { mode: 0o600 });
    const script = scenarios.map((scenario) => parseScript(scenario.script)).reduce(mergeScripts);
    const runtime = new ActingRuntime(script, {
      killSandbox: (id) => killSandbox(containerd, id),
      untilItMindsTerm: (id) => containerMinds(containerd, id),
    });
    const calls = new CallRecorder<ProxiedCall>({ owners: runtime, now, changed: () => {} });
    const objects = new ObjectRecorder({ now, changed: () => {}, withResources: scenarios[0]?.topic === 'resize' });
    const listen = join(folder.dir, 'cri.sock');
    const proxy = await proxyCalls({ listen, runtime: containerd.socketPath }, (call, passOn) =>
      runtime.answer(call, passOn, calls),
    );
    const together = new Together(scenarios.filter(hasKill).length);
    const endpoint = `unix://${listen}`;
    const node = new ContainerdNode({
      runtime,
      calls,
      objects,
      containerd,
      folder,
      server,
      proxy,
      endpoint,
      together,
      pods: new Set(scenarios.flatMap(({ expected }) => Object.keys(expected.status))),
    });
    for (const scenario of scenarios) await createNamespaces(node.#api, scenario);
    for (const namespace of new Set(scenarios.flatMap((scenario) => [...namespacesOf(scenario)])))
      objects.watch(node.#api, namespace);
    await node.#startAgent();
    return node;
  }

  async #startAgent(): Promise<void> {
    const began = now();
    this.#agent = await AgentProcess.start({
      folder: this.#folder,
      endpoint: this.#endpoint,
      kubeconfig: join(this.#folder.dir, 'node.kubeconfig'),
      nodeName: NODE,
    });
    this.#agentStarts.push([began, now()]);
  }

  /** Plays one scenario beside others. */
  async play(scenario: Scenario): Promise<Played> {
    const problems: string[] = [];
    let deletedAt: readonly number[] = [];
    try {
      for (const [file, pod] of Object.entries(scenario.static ?? {})) await this.#folder.put(file, pod);
      for (const object of scenario.manifest ?? []) await createObject(this.#api, object);
      deletedAt = await playActions(this.#stageOf(scenario), scenario);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    } finally {
      if (hasKill(scenario)) this.#together.leave();
    }
    const played = await this.#lookAt(scenario, { deletedAt, problems });
    await this.#takeAway(scenario);
    return played;
  }

  /**
   * Returns the observations of a scenario. A real runtime is slower than the recordings: a scenario that does not match yet
   * is compared again later, with all observations until then.
   */
  async #lookAt(scenario: Scenario, told: Pick<Played, 'deletedAt' | 'problems'>): Promise<Played> {
    // Removes the remains of this scenario while others are still played.
    const look = (): Played => ({
      ...told,
      calls: this.calls.calls.map((call) => ({ ...call })),
      objects: this.objects.snapshot(),
      others: this.#pods,
      runtime: 'real',
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

  /** Removes a finished scenario's pods, so that they take no time from other scenarios. */
  async #takeAway(scenario: Scenario): Promise<void> {
    const { static: files = {}, actions, expected } = scenario;
    const changed = actions.flatMap((action) => ('static' in action ? [action.static] : []));
    for (const file of new Set([...Object.keys(files), ...changed])) {
      if (existsSync(join(this.#folder.manifests, file))) await this.#folder.remove(file);
    }
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 };
    for (const pod of Object.keys(expected.status)) {
      if (this.objects.history(pod).newest === undefined) continue;
      const path = pathOfNamed(scenario, { name: pod });
      // The pod may already be gone.
      await this.#api.call({ verb: 'delete', path, body, priority: 'object' }, WAIT_MS);
    }
  }

  #stageOf(scenario: Scenario): Stage {
    const { calls, objects } = this;
    const killed = this.#together;
    return {
      api: this.#api,
      control: {
        exit: ({ pod, container }, code) => this.#exit(pod, container, code),
        vanish: ({ pod, container }) => this.#vanish(pod, container),
        sandboxDie: ({ pod }) => killSandbox(this.#containerd, this.#runtime.newestSandbox(pod) ?? ''),
        sandboxVanish: ({ pod }) => this.#sandboxVanish(pod),
      },
      objects,
      calls: calls.calls,
      now,
      sleep: (ms) => delay(ms),
      async until(holds, what) {
        const since = now();
        while (!holds()) {
          if (now() - since > WAIT_MS) throw new Error(`${what}: still not so after ${WAIT_MS / 1_000} s`);
          await delay(20);
        }
      },
      writeStatic: (file, pod) => (pod === undefined ? this.#folder.remove(file) : this.#folder.put(file, pod)),
      readVolumeFile: (path) => this.#readVolumeFile(scenario, path),
      killAgent: () => killed.once(async () => this.#agent?.kill()),
      startAgent: () => killed.once(() => this.#startAgent()),
    };
  }

  #readVolumeFile({ expected }: Scenario, path: string): string | undefined {
    const uids = Object.keys(expected.status).map((pod) => this.objects.history(pod).newest?.metadata.uid ?? '');
    return readdirSync(join(this.#folder.rootDir, 'pods'))
      .filter((uid) => uids.includes(uid))
      .map((uid) => join(this.#folder.rootDir, 'pods', uid, 'volumes', path))
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, 'utf8'))[0];
  }

  async #exit(pod: string, name: string, code: number): Promise<void> {
    const containerId = this.#runtime.newest(pod, name)?.id ?? '';
    const cmd = ['sh', '-c', `echo ${code} > ${EXIT_CODE_FILE}; kill -USR1 1`];
    const request = ExecSyncRequest.create({ containerId, cmd, timeout: 5n });
    await this.#containerd.cri.call(RuntimeServiceService.execSync, request);
  }

  async #vanish(pod: string, name: string): Promise<void> {
    const containerId = this.#runtime.newest(pod, name)?.id ?? '';
    // Removing a running container kills it first.
    const request = RemoveContainerRequest.create({ containerId });
    await this.#containerd.cri.call(RuntimeServiceService.removeContainer, request);
  }

  async #sandboxVanish(pod: string): Promise<void> {
    const podSandboxId = this.#runtime.newestSandbox(pod) ?? '';
    const { cri } = this.#containerd;
    // The recorded sandbox vanishes at once; a real sandbox is removed step by step.
    await this.#runtime.unseen(async () => {
      await cri.call(RuntimeServiceService.stopPodSandbox, StopPodSandboxRequest.create({ podSandboxId }));
      await cri.call(RuntimeServiceService.removePodSandbox, RemovePodSandboxRequest.create({ podSandboxId }));
    });
  }

  /** The agent's log, to find the cause of a difference. */
  get logFile(): string {
    return this.#folder.logFile;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent?.kill();
    this.#proxy.close();
    this.#api.close();
    await this.#server.close();
    await this.#folder.discard();
  }
}

const now = (): number => performance.now();

async function containerMinds({ cri }: PrivateContainerd, containerId: string): Promise<void> {
  const request = ContainerStatusRequest.create({ containerId, verbose: true });
  // The container may already be gone.
  const { info } = await cri.call(RuntimeServiceService.containerStatus, request).catch(() => ({ info: {} }));
  const { pid } = JSON.parse((info as Record<string, string>)['info'] ?? '{}') as { readonly pid?: number };
  if (pid !== undefined && pid > 1) await untilItMindsTerm(pid);
}

/** Ends the process that holds the sandbox, as the kernel might. */
async function killSandbox({ cri }: PrivateContainerd, podSandboxId: string): Promise<void> {
  const request = PodSandboxStatusRequest.create({ podSandboxId, verbose: true });
  const { info } = await cri.call(RuntimeServiceService.podSandboxStatus, request);
  const { pid } = JSON.parse(info['info'] ?? '{}') as { readonly pid?: number };
  if (pid === undefined || pid <= 1) throw new Error(`no process is known of sandbox ${podSandboxId}`);
  process.kill(pid, 'SIGKILL');
}
