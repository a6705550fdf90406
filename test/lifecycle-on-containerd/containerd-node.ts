import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiTransport } from '../../src/api/api-transport.ts';
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
import type { Played } from '../lifecycle/judge-scenario.ts';
import { folderFor, LiveNode, NODE } from '../lifecycle/live/live-node.ts';
import { type ProxiedCall, proxyCalls } from '../lifecycle/live/proxy-calls.ts';
import type { StageControl } from '../lifecycle/play-scenario.ts';
import { CallRecorder } from '../lifecycle/record-calls.ts';
import type { Scenario } from '../lifecycle/scenario.ts';
import type { AgentFolder } from '../support/agent-process/agent-folder.ts';
import type { PrivateContainerd } from '../support/containerd/start-containerd.ts';
import { ActingRuntime } from './acting-runtime.ts';
import { untilItMindsTerm } from './minds-signals.ts';
import { EXIT_CODE_FILE } from './shell-behaviour.ts';

/** An agent process, an API server and real containers, for scenarios with one configuration. */
export class ContainerdNode implements AsyncDisposable {
  readonly #folder: AgentFolder;
  readonly #server: EmbeddedApiServer;
  readonly #proxy: { close(): void };
  readonly #api: ApiTransport;
  readonly #node: LiveNode;

  private constructor(parts: {
    readonly folder: AgentFolder;
    readonly server: EmbeddedApiServer;
    readonly proxy: { close(): void };
    readonly api: ApiTransport;
    readonly node: LiveNode;
  }) {
    this.#folder = parts.folder;
    this.#server = parts.server;
    this.#proxy = parts.proxy;
    this.#api = parts.api;
    this.#node = parts.node;
  }

  /** Starts a node for scenarios with one configuration, with a running agent. */
  static async start(containerd: PrivateContainerd, scenarios: readonly Scenario[]): Promise<ContainerdNode> {
    const folder = await folderFor(scenarios);
    const server = await serveEmbeddedApi({ core: { historyLength: 100_000 } });
    const user = await server.credentials({ username: `system:node:${NODE}`, groups: ['system:nodes'] });
    const { address, authority } = server;
    const file = join(folder.dir, 'node.kubeconfig');
    writeFileSync(file, kubeconfig({ server: address, authority: authority.certificate, user }), { mode: 0o600 });
    const script = scenarios.map((scenario) => parseScript(scenario.script)).reduce(mergeScripts);
    const runtime = new ActingRuntime(script, {
      killSandbox: (id) => killSandbox(containerd, id),
      untilItMindsTerm: (id) => containerMinds(containerd, id),
    });
    const calls = new CallRecorder<ProxiedCall>({ owners: runtime, now: () => performance.now(), changed: () => {} });
    const listen = join(folder.dir, 'cri.sock');
    const proxy = await proxyCalls({ listen, runtime: containerd.socketPath }, (call, passOn) =>
      runtime.answer(call, passOn, calls),
    );
    const api = inProcessTransport(server.core);
    const node = await LiveNode.start(
      {
        folder,
        kubeconfig: file,
        api,
        endpoint: `unix://${listen}`,
        calls,
        control: controlOf(containerd, runtime),
        runtime: 'real',
      },
      scenarios,
    );
    return new ContainerdNode({ folder, server, proxy, api, node });
  }

  /** Plays one scenario beside others. */
  play(scenario: Scenario): Promise<Played> {
    return this.#node.play(scenario);
  }

  /** The agent's log, to find the cause of a difference. */
  get logFile(): string {
    return this.#folder.logFile;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#node.stop();
    this.#proxy.close();
    this.#api.close();
    await this.#server.close();
    await this.#folder.discard();
  }
}

/** What happens to real containers without a call of the agent. */
const controlOf = (containerd: PrivateContainerd, runtime: ActingRuntime): StageControl => ({
  async exit({ pod, container }, code) {
    const containerId = runtime.newest(pod, container)?.id ?? '';
    const cmd = ['sh', '-c', `echo ${code} > ${EXIT_CODE_FILE}; kill -USR1 1`];
    const request = ExecSyncRequest.create({ containerId, cmd, timeout: 5n });
    await containerd.cri.call(RuntimeServiceService.execSync, request);
  },
  async vanish({ pod, container }) {
    const containerId = runtime.newest(pod, container)?.id ?? '';
    // Removing a running container kills it first.
    const request = RemoveContainerRequest.create({ containerId });
    await containerd.cri.call(RuntimeServiceService.removeContainer, request);
  },
  sandboxDie: ({ pod }) => killSandbox(containerd, runtime.newestSandbox(pod) ?? ''),
  async sandboxVanish({ pod }) {
    const podSandboxId = runtime.newestSandbox(pod) ?? '';
    const { cri } = containerd;
    // The recorded sandbox vanishes at once; a real sandbox is removed step by step.
    await runtime.unseen(async () => {
      await cri.call(RuntimeServiceService.stopPodSandbox, StopPodSandboxRequest.create({ podSandboxId }));
      await cri.call(RuntimeServiceService.removePodSandbox, RemovePodSandboxRequest.create({ podSandboxId }));
    });
  },
});

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
