import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiTransport } from '../../src/api/api-transport.ts';
import { portOrFree } from '../../src/cli/dev/port-or-free.ts';
import { inProcessTransport } from '../../src/embedded/apiserver/http/in-process-transport.ts';
import { kubeconfig } from '../../src/embedded/apiserver/kubeconfig.ts';
import { serveEmbeddedApi } from '../../src/embedded/apiserver/serve.ts';
import type { RuntimeCore } from '../../src/embedded/runtime/runtime-core.ts';
import { serveEmbeddedRuntime } from '../../src/embedded/runtime/serve/serve.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { startAgent } from '../density/agent-child.ts';
import { isReady } from '../density/is-ready.ts';
import { NODE_NAME, runPlace } from '../density/node-setup.ts';
import { programScript, type ProgramKind } from '../density/program.ts';
import { rest, within } from '../density/rest.ts';
import { TemporaryFolder } from '../density/temporary-folder.ts';

export const NAMESPACE = 'bench';
const CALL_MS = 60_000;
const PODS_PATH = `/api/v1/namespaces/${NAMESPACE}/pods`;

export interface NodeSettings {
  readonly program: ProgramKind;
  readonly maxPods: number;
  /** The script of the simulated runtime. */
  readonly script: object;
  readonly events: 'on' | 'off';
}

/** Raised API limits, as for the density figures: this benchmark measures the agent's latency, not its throttling. */
const limits = { kubeAPIQPS: 5_000, kubeAPIBurst: 10_000, eventRecordQPS: 5_000, eventBurst: 10_000 };

/** An agent as a process of its own; its API server and its simulated runtime are in this one. */
export class NodeInUse implements AsyncDisposable {
  readonly runtime: RuntimeCore;
  readonly #api: ApiTransport;
  readonly #parts: AsyncDisposableStack;
  readonly #alive: Promise<never>;
  readonly #pods = new Map<string, Pod>();
  #looks: (() => void)[] = [];

  private constructor(parts: {
    readonly runtime: RuntimeCore;
    readonly api: ApiTransport;
    readonly owned: AsyncDisposableStack;
    readonly alive: Promise<never>;
  }) {
    this.runtime = parts.runtime;
    this.#api = parts.api;
    this.#parts = parts.owned;
    this.#alive = parts.alive;
    this.#api.watch(`${PODS_PATH}?watch=true&resourceVersion=0`, {
      events: (events) => {
        for (const { type, object } of events) {
          const pod = object as Pod;
          if (type === 'DELETED') this.#pods.delete(pod.metadata.name);
          else if (type !== 'BOOKMARK') this.#pods.set(pod.metadata.name, pod);
        }
        for (const look of this.#looks) look();
      },
      ended: (fault) => {
        throw new Error(`the bench's watch ended: ${fault?.message ?? 'in good order'}`);
      },
    });
  }

  /** Resolves when the node is Ready. */
  static async start({ program, maxPods, script, events }: NodeSettings): Promise<NodeInUse> {
    await using parts = new AsyncDisposableStack();
    const folder = parts.use(new TemporaryFolder());
    const place = runPlace(folder.path);
    const runtime = await serveEmbeddedRuntime({ socketPath: place.runtimeSocket, script, events });
    parts.defer(() => runtime.close());
    const server = await serveEmbeddedApi({ core: { historyLength: 100_000 } });
    parts.defer(() => server.close());
    const user = await server.credentials({ username: `system:node:${NODE_NAME}`, groups: ['system:nodes'] });
    const file = join(folder.path, 'node.kubeconfig');
    const { address, authority } = server;
    writeFileSync(file, kubeconfig({ server: address, authority: authority.certificate, user }), { mode: 0o600 });
    const api = inProcessTransport(server.core, { later: setImmediate });
    await create(api, '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    const agent = startAgent(
      {
        script: programScript(program),
        pods: maxPods,
        profile: 'auto',
        timeoutMs: 0,
        idleMs: 0,
        nodeOptions: [],
        interrupted: new Promise(() => {}),
      },
      place,
      {
        kubeconfig: file,
        config: { ...limits, staticPodPath: '', port: await portOrFree(10_250), healthzPort: 0 },
      },
    );
    parts.use(agent);
    await agent.message;
    const path = `/api/v1/nodes/${NODE_NAME}`;
    for (;;) {
      const outcome = await api.call({ verb: 'get', path, priority: 'object' }, CALL_MS);
      if (outcome.ok && isReady(outcome.value)) break;
      await rest(100);
    }
    return new NodeInUse({ runtime: runtime.core, api, owned: parts.move(), alive: agent.alive });
  }

  /** The API's current pods, by name. */
  get pods(): ReadonlyMap<string, Pod> {
    return this.#pods;
  }

  createPod(name: string, spec: object): Promise<void> {
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: NAMESPACE },
      spec: { nodeName: NODE_NAME, automountServiceAccountToken: false, terminationGracePeriodSeconds: 1, ...spec },
    };
    return create(this.#api, PODS_PATH, body);
  }

  async deletePod(name: string, grace?: number): Promise<void> {
    const path = `${PODS_PATH}/${name}`;
    const body = grace === undefined ? {} : { gracePeriodSeconds: grace };
    const outcome = await this.#api.call({ verb: 'delete', path, body, priority: 'object' }, CALL_MS);
    if (!outcome.ok) throw new Error(`DELETE ${path}: ${outcome.fault.message}`);
  }

  /** Resolves with the instant at which the API showed this first, on the scale of `performance.now()`. */
  until(
    isSo: () => boolean,
    { what, withinMs }: { readonly what: string; readonly withinMs: number },
  ): Promise<number> {
    const heard = Promise.withResolvers<number>();
    const look = (): void => {
      if (isSo()) heard.resolve(performance.now());
    };
    this.#looks.push(look);
    look();
    const work = within(withinMs, { what, work: heard.promise });
    return Promise.race([work, this.#alive]).finally(() => {
      this.#looks = this.#looks.filter((each) => each !== look);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#api.close();
    await this.#parts.disposeAsync();
  }
}

async function create(api: ApiTransport, path: string, body: object): Promise<void> {
  const outcome = await api.call({ verb: 'create', path, body, priority: 'object' }, CALL_MS);
  if (!outcome.ok) throw new Error(`POST ${path}: ${outcome.fault.message}`);
}
