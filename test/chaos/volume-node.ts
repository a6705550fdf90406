import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configMapPath, podPath, podsPath, secretPath } from '../../src/api/api-path.ts';
import type { ApiRequest } from '../../src/api/api-request.ts';
import type { ApiTransport } from '../../src/api/api-transport.ts';
import { inProcessTransport } from '../../src/embedded/apiserver/http/in-process-transport.ts';
import { kubeconfig } from '../../src/embedded/apiserver/kubeconfig.ts';
import { serveEmbeddedApi, type EmbeddedApiServer } from '../../src/embedded/apiserver/serve.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { systemMounter } from '../../src/volumes/disk/mounter.ts';
import { NODE_NAME, type AgentProcess } from '../support/agent-process/agent-process.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { isRunningAndReady } from '../support/agent-process/observe-pods.ts';
import { processOf, type RuntimeKind } from '../support/agent-process/runtime-under-test.ts';
import { runningContainers } from '../support/agent-process/runtime-view.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';
import { CsiDriver } from '../support/csi-driver.ts';
import { dataOf, DRIVER, textOf } from '../volume-kills/volumes-of-a-pod.ts';
import { mountsBelow } from '../volumes/temporary-root.ts';
import {
  annotations,
  claims,
  driverObject,
  FOLLOWERS,
  FOLLOWERS_INSIDE,
  MOUNTS_OF_A_POD,
  NAMESPACE,
  podWithEveryVolume,
} from './every-volume.ts';

const CALL_MS = 10_000;

/** A node of an API server, with a storage driver and pods with every kind of volume. */
export class VolumeNode {
  readonly node: NodeUnderTest;
  readonly #server: EmbeddedApiServer;
  readonly #api: ApiTransport;
  readonly #driver: CsiDriver;
  readonly #kubeconfig: string;
  /** The pods by name. */
  readonly wanted = new Map<string, string>();
  /** UIDs of pods that were deleted. */
  readonly unwanted = new Set<string>();
  #generation = 1;

  private constructor(node: NodeUnderTest, server: EmbeddedApiServer, files: { kubeconfig: string; disks: string }) {
    this.node = node;
    this.#server = server;
    this.#api = inProcessTransport(server.core, { later: (run) => setImmediate(run) });
    this.#driver = new CsiDriver(DRIVER, files.disks);
    this.#kubeconfig = files.kubeconfig;
  }

  static async start(kind: RuntimeKind): Promise<VolumeNode> {
    const node = await NodeUnderTest.prepare(kind);
    const { folder } = node;
    const server = await serveEmbeddedApi();
    const user = await server.credentials({ username: `system:node:${NODE_NAME}`, groups: ['system:nodes'] });
    const file = join(folder.dir, 'kubeconfig');
    writeFileSync(file, kubeconfig({ server: server.address, authority: server.authority.certificate, user }));
    for (const name of ['disks', 'local', 'host']) mkdirSync(join(folder.dir, name));
    await folder.configure({ enableServer: false, evictionHard: { 'memory.available': '1Mi' } });
    const made = new VolumeNode(node, server, { kubeconfig: file, disks: join(folder.dir, 'disks') });
    await made.#prepare();
    await made.spawnAgent().ready();
    return made;
  }

  async #prepare(): Promise<void> {
    const { folder } = this.node;
    const data = dataOf(this.#generation);
    await this.#create('/apis/storage.k8s.io/v1/csidrivers', driverObject);
    await this.#create(`/api/v1/namespaces/${NAMESPACE}/configmaps`, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings' },
      data,
    });
    await this.#create(`/api/v1/namespaces/${NAMESPACE}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'keys' },
      stringData: data,
    });
    const claimsPath = `/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims`;
    for (const { claim, status, volume } of claims(NODE_NAME, join(folder.dir, 'local'))) {
      const { metadata } = await this.#create<typeof claim & { metadata: { uid: string } }>(claimsPath, claim);
      const path = `${claimsPath}/${metadata.name}/status`;
      await this.#call({ verb: 'patch', path, body: { status }, patchType: 'merge' });
      const claimRef = { kind: claim.kind, apiVersion: 'v1', ...claim.metadata, uid: metadata.uid };
      await this.#create('/api/v1/persistentvolumes', { ...volume, spec: { ...volume.spec, claimRef } });
    }
    const registry = join(folder.rootDir, 'plugins_registry');
    mkdirSync(registry, { recursive: true });
    await this.#driver.start(registry);
  }

  get rootDir(): string {
    return this.node.folder.rootDir;
  }

  /** Starts the agent without waiting. */
  spawnAgent(): AgentProcess {
    return this.node.spawnAgent({ kubeconfig: this.#kubeconfig });
  }

  /** Waits until the agent answers, which may take long on a busy machine. */
  async untilAnswers(withinMs: number): Promise<void> {
    const { agent } = this.node;
    const answers = (): Promise<boolean> => {
      if (agent.hasEnded()) throw new Error('the agent ended while it started');
      return agent.admin.pods().then(
        () => true,
        () => false,
      );
    };
    await waitUntil(answers, { what: 'the agent answers', withinMs });
  }

  /** Creates the pod without waiting. Returns its UID. */
  async createPod(name: string): Promise<string> {
    const at = {
      nodeName: NODE_NAME,
      hostDirectory: join(this.node.folder.dir, 'host', name),
      generation: this.#generation,
    };
    const { metadata } = await this.#create<Pod>(podsPath(NAMESPACE), podWithEveryVolume(name, at));
    this.wanted.set(name, metadata.uid);
    return metadata.uid;
  }

  async deletePod(name: string): Promise<string> {
    const uid = this.wanted.get(name) ?? '';
    this.wanted.delete(name);
    this.unwanted.add(uid);
    await this.#call({ verb: 'delete', path: podPath(NAMESPACE, name) });
    return uid;
  }

  /** Changes all objects behind volumes. */
  async renew(): Promise<void> {
    this.#generation += 1;
    // Removes all keys except these.
    const data = dataOf(this.#generation);
    const without = Object.fromEntries(Object.keys({ ...dataOf(3) }).map((key) => [key, null]));
    const patch = (path: string, body: object) => this.#call({ verb: 'patch', path, body, patchType: 'merge' });
    const encoded = Object.fromEntries(
      Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
    );
    await patch(configMapPath(NAMESPACE, 'settings'), { data: { ...without, ...data } });
    await patch(secretPath(NAMESPACE, 'keys'), { data: { ...without, ...encoded } });
    for (const name of this.wanted.keys()) {
      await patch(podPath(NAMESPACE, name), { metadata: { annotations: annotations(this.#generation) } });
    }
  }

  mountsOf(uid: string): readonly string[] {
    return mountsBelow(this.rootDir).filter((path) => path.includes(`/pods/${uid}/`));
  }

  /** The number of a pod's refreshed volumes with the newest content. */
  renewed(uid: string): number {
    const directory = join(this.rootDir, 'pods', uid, 'volumes');
    return FOLLOWERS.filter((file) => read(join(directory, file)) === textOf(this.#generation)).length;
  }

  /** Checks from outside and inside the containers that exactly the wanted content is present. */
  async untilRight(run: number, withinMs: number): Promise<void> {
    const until = (ask: () => Promise<boolean> | boolean, what: string): Promise<unknown> =>
      waitUntil(ask, { what: `${what} after run ${run}`, withinMs, everyMs: 20 });
    for (const [name, uid] of this.wanted) {
      await until(async () => isRunningAndReady(await this.#pod(name)), `${name} (${uid}) runs`);
      await until(() => this.renewed(uid) === FOLLOWERS.length, `the newest content in ${name} (${uid})`);
      await until(() => this.#renewedInside(name), `the newest content seen from inside of ${name}`);
      await until(() => this.mountsOf(uid).length === MOUNTS_OF_A_POD, `as many mounts of ${name} as it is to have`);
    }
    const listed = async (): Promise<number> =>
      (await this.#call<{ items: readonly Pod[] }>({ verb: 'list', path: podsPath(NAMESPACE) })).items.length;
    await until(async () => (await listed()) === this.wanted.size, 'pods that were deleted are gone');
    await until(() => {
      const there = readdirSync(join(this.rootDir, 'pods'));
      return there.length === this.wanted.size && there.every((uid) => !this.unwanted.has(uid));
    }, 'the directories of pods that were deleted are gone');
    const staged = this.wanted.size === 0 ? 0 : 1;
    const count = this.wanted.size * MOUNTS_OF_A_POD + staged;
    await until(() => mountsBelow(this.rootDir).length === count, `${count} mounts, and none more,`);
  }

  /** Reads the content inside the pod, and the subPath, which keeps its content from the start. */
  async #renewedInside(name: string): Promise<boolean> {
    const { cri } = this.node.runtime;
    const container = (await runningContainers(cri))[`${name}/app`];
    if (container === undefined) return false;
    const root = `/proc/${await processOf(cri, container)}/root`;
    const pinned = read(join(root, 'pinned')) ?? '';
    const generation = Number(/^generation (\d+)\n/.exec(pinned)?.[1]);
    if (pinned !== textOf(generation)) throw new Error(`a part of a volume of ${name} holds ${pinned.slice(0, 40)}`);
    return FOLLOWERS_INSIDE.every((file) => read(join(root, file)) === textOf(this.#generation));
  }

  #pod(name: string): Promise<Pod> {
    return this.#call<Pod>({ verb: 'get', path: podPath(NAMESPACE, name) });
  }

  #create<T>(path: string, body: object): Promise<T> {
    return this.#call<T>({ verb: 'create', path, body });
  }

  async #call<T>(request: Omit<ApiRequest, 'priority'>): Promise<T> {
    const outcome = await this.#api.call({ ...request, priority: 'object' }, CALL_MS);
    if (!outcome.ok) throw new Error(`${request.verb} ${request.path}: ${JSON.stringify(outcome.fault)}`);
    return outcome.value as T;
  }

  async stop(): Promise<void> {
    await this.node.agent.kill();
    this.#driver.stop();
    this.#api.close();
    await this.node.runtime.stop();
    // Mounts left by an agent that has failed the test.
    for (const path of mountsBelow(this.rootDir).toReversed()) await systemMounter.unmount(path);
    await this.node.folder.discard();
    await this.#server.close();
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
