import {
  ContainerEventType,
  ContainerState,
  type CreateContainerRequest,
  PodSandboxState,
  type RunPodSandboxRequest,
} from '../../../cri/gen/api.ts';
import { pause } from './caller.ts';
import type { ContainerLife } from './container-life.ts';
import { isReady, usesHostNetwork } from './messages.ts';
import { PodAddresses } from '../inventory/pod-addresses.ts';
import type { ContainerRecord, SandboxRecord } from '../inventory/records.ts';
import { announce, type RuntimeContext, type RuntimeHandler, scriptedError } from '../runtime-context.ts';
import { notFound, RuntimeError } from '../runtime-error.ts';
import { scriptedContainer, scriptedPod } from '../script/script.ts';

/** The default runtime handlers; the empty name is the default one. */
export const RUNTIME_HANDLERS: readonly RuntimeHandler[] = ['', 'runc'].map((name) => ({
  name,
  recursiveReadOnlyMounts: true,
  userNamespaces: true,
}));

/** The life of sandboxes, and the creation and removal of their containers. */
export class SandboxLife {
  readonly #context: RuntimeContext;
  readonly #containers: ContainerLife;
  readonly #addresses = new PodAddresses();

  constructor(context: RuntimeContext, containers: ContainerLife) {
    this.#context = context;
    this.#containers = containers;
  }

  async run(request: RunPodSandboxRequest): Promise<SandboxRecord> {
    const { clock, counters, defaults, handlers, inventory, nanoseconds, nextId, script } = this.#context;
    const { config, runtimeHandler } = request;
    const metadata = config?.metadata;
    if (!config || !metadata) throw new RuntimeError('InvalidArgument', 'a sandbox needs a config with metadata');
    if (!handlers.some(({ name: known }) => known === runtimeHandler)) {
      throw new RuntimeError('Unknown', `no runtime for handler ${runtimeHandler}`);
    }
    const id = nextId();
    const { name, namespace, uid, attempt } = metadata;
    const reservedName = `${name}_${namespace}_${uid}_${attempt}`;
    inventory.reserve('sandbox', reservedName, id);
    try {
      const outcomes = scriptedPod(script(), name)?.sandbox ?? defaults.sandbox;
      const outcome = counters.take(`${uid}//sandbox`, outcomes);
      await pause(clock, outcome.delayMs);
      if (outcome.action === 'err') throw scriptedError(outcome);
      const sandbox: SandboxRecord = {
        id,
        reservedName,
        podName: name,
        podNamespace: namespace,
        podUid: uid,
        config,
        runtimeHandler,
        createdAt: nanoseconds(),
        containers: new Map(),
        state: PodSandboxState.SANDBOX_READY,
        ip: '',
        cancelDeath: () => {},
        listed: undefined,
      };
      if (!usesHostNetwork(sandbox)) sandbox.ip = this.#addresses.take();
      inventory.addSandbox(sandbox);
      announce(this.#context, ContainerEventType.CONTAINER_CREATED_EVENT, sandbox);
      announce(this.#context, ContainerEventType.CONTAINER_STARTED_EVENT, sandbox);
      if (outcome.dieMs !== undefined) sandbox.cancelDeath = clock.after(outcome.dieMs, () => this.die(sandbox));
      return sandbox;
    } catch (error) {
      inventory.release(reservedName, id);
      throw error;
    }
  }

  async createContainer(request: CreateContainerRequest): Promise<ContainerRecord> {
    const { clock, counters, defaults, images, inventory, nanoseconds, nextId, script } = this.#context;
    const { config } = request;
    const metadata = config?.metadata;
    if (!config || !metadata) throw new RuntimeError('InvalidArgument', 'a container needs a config with metadata');
    const sandbox = this.#readySandbox(request.podSandboxId);
    const imageName = config.image?.image ?? '';
    const image = images.find(imageName);
    if (!image) throw notFound('image', imageName);
    const id = nextId();
    const { podName, podNamespace, podUid } = sandbox;
    const reservedName = `${metadata.name}_${podName}_${podNamespace}_${podUid}_${metadata.attempt}`;
    inventory.reserve('container', reservedName, id);
    try {
      const outcomes = scriptedContainer(script(), podName, metadata.name)?.create ?? defaults.create;
      const outcome = counters.take(`${podUid}/${metadata.name}/create`, outcomes);
      await pause(clock, outcome.delayMs);
      if (outcome.action === 'err') throw scriptedError(outcome);
      // The sandbox may have died or vanished during the container's creation.
      this.#readySandbox(sandbox.id);
      const container: ContainerRecord = {
        id,
        reservedName,
        name: metadata.name,
        sandbox,
        config,
        imageId: image.id,
        createdAt: nanoseconds(),
        state: ContainerState.CONTAINER_CREATED,
        startedAt: 0n,
        startedMonotonic: 0,
        finishedAt: 0n,
        exitCode: 0,
        reason: '',
        resources: config.linux?.resources,
        starting: false,
        run: undefined,
        termSent: false,
        cancelExits: [],
        onEnd: new Set(),
        execCounters: undefined,
        listed: undefined,
      };
      inventory.addContainer(container);
      announce(this.#context, ContainerEventType.CONTAINER_CREATED_EVENT, container);
      return container;
    } catch (error) {
      inventory.release(reservedName, id);
      throw error;
    }
  }

  /** The sandbox becomes not ready; its containers keep running. */
  die(sandbox: SandboxRecord): void {
    if (!isReady(sandbox)) return;
    sandbox.cancelDeath();
    sandbox.state = PodSandboxState.SANDBOX_NOTREADY;
    this.#context.inventory.sandboxChanged(sandbox);
    announce(this.#context, ContainerEventType.CONTAINER_STOPPED_EVENT, sandbox);
  }

  /** Kills the sandbox's containers, tears down its network, and makes it not ready. A second stop changes nothing. */
  stop(sandbox: SandboxRecord): void {
    for (const container of sandbox.containers.values()) this.#containers.kill(container);
    this.#releaseAddress(sandbox);
    this.die(sandbox);
  }

  remove(sandbox: SandboxRecord): void {
    this.stop(sandbox);
    for (const container of sandbox.containers.values()) this.removeContainer(container);
    this.#context.inventory.dropSandbox(sandbox);
    announce(this.#context, ContainerEventType.CONTAINER_DELETED_EVENT, sandbox);
  }

  removeContainer(container: ContainerRecord): void {
    this.#containers.kill(container);
    this.#context.inventory.dropContainer(container);
    this.#containers.forget(container);
    announce(this.#context, ContainerEventType.CONTAINER_DELETED_EVENT, container);
  }

  /**
   * Removes the sandbox and its containers without a trace, as a runtime that lost its state does. No event is
   * sent.
   */
  vanish(sandbox: SandboxRecord): void {
    sandbox.cancelDeath();
    for (const container of sandbox.containers.values()) this.vanishContainer(container);
    this.#releaseAddress(sandbox);
    // A call in flight, such as CreateContainer, finds the sandbox dead.
    sandbox.state = PodSandboxState.SANDBOX_NOTREADY;
    this.#context.inventory.dropSandbox(sandbox);
  }

  vanishContainer(container: ContainerRecord): void {
    this.#context.inventory.dropContainer(container);
    this.#containers.forget(container);
    // A call in flight, such as StopContainer, finds the container ended.
    container.state = ContainerState.CONTAINER_UNKNOWN;
  }

  #readySandbox(id: string): SandboxRecord {
    const sandbox = this.#context.inventory.sandbox(id);
    if (!sandbox || !isReady(sandbox)) throw notFound('ready sandbox', id);
    return sandbox;
  }

  #releaseAddress(sandbox: SandboxRecord): void {
    if (sandbox.ip === '') return;
    this.#addresses.release(sandbox.ip);
    sandbox.ip = '';
    this.#context.inventory.sandboxChanged(sandbox);
  }
}
