import type { Clock } from '../../actor/clock.ts';
import type * as Cri from '../../cri/gen/api.ts';
import { CgroupDriver, ContainerState } from '../../cri/gen/api.ts';
import { type Caller, patientCaller } from './calls/caller.ts';
import { ContainerLife } from './calls/container-life.ts';
import { EventFeed, type EventListener, type EventPlan } from './inventory/event-feed.ts';
import type { IdSource } from './inventory/ids.ts';
import { ImageCalls } from './calls/image-calls.ts';
import { ImageStore } from './inventory/image-store.ts';
import { Inventory } from './inventory/inventory.ts';
import { updatedResources } from './inventory/update-resources.ts';
import type { ContainerPlace } from './streaming/container-place.ts';
import {
  containerStatusMessage,
  isReady,
  listedContainer,
  listedSandbox,
  sandboxStatusMessage,
} from './calls/messages.ts';
import { OutcomeCounters } from './script/outcomes.ts';
import type { ContainerRecord, SandboxRecord } from './inventory/records.ts';
import {
  DEFAULT_LATENCIES,
  defaultOutcomes,
  type Latencies,
  type RuntimeContext,
  type RuntimeHandler,
  strictlyGrowingNanoseconds,
} from './runtime-context.ts';
import { RuntimeControl } from './serve/runtime-control.ts';
import { notFound, RuntimeError } from './runtime-error.ts';
import { noFiles, type RuntimeFiles } from './inventory/runtime-files.ts';
import { EMPTY_SCRIPT, mergeScripts, type Script, scriptedExec } from './script/script.ts';
import { RUNTIME_HANDLERS, SandboxLife } from './calls/sandbox-life.ts';
import { containerUsage, sandboxUsage, type UsageView } from './inventory/usage.ts';

export interface RuntimeWorld {
  readonly clock: Clock;
  readonly nextId: IdSource;
  readonly files: RuntimeFiles;
}

export interface RuntimeSettings {
  readonly script?: Script;
  readonly latencies?: Partial<Latencies>;
  readonly events?: EventPlan;
  /** The reported directory of images and writable layers. */
  readonly stateDir?: string;
  /** The runtime handlers and their features. The empty name is the default one. */
  readonly handlers?: readonly RuntimeHandler[];
}

const NO_OUTPUT = Buffer.alloc(0);

/**
 * A simulated CRI runtime: sandboxes, containers and images exist in memory only, and behave as scripted. It does
 * not depend on gRPC. Its methods are the calls of the CRI runtime service, with the messages of the wire. They
 * throw, or reject with, a {@link RuntimeError}.
 */
export class RuntimeCore {
  readonly images: ImageCalls;
  readonly control: RuntimeControl;
  readonly #context: RuntimeContext;
  readonly #containers: ContainerLife;
  readonly #sandboxes: SandboxLife;
  readonly #mountpoint: string;
  #script: Script;

  constructor(world: RuntimeWorld, settings: RuntimeSettings = {}) {
    this.#script = settings.script ?? EMPTY_SCRIPT;
    this.#mountpoint = settings.stateDir ?? '/';
    const script = (): Script => this.#script;
    this.#context = {
      clock: world.clock,
      nextId: world.nextId,
      nanoseconds: strictlyGrowingNanoseconds(world.clock),
      files: this.#script.logs === 'off' ? noFiles : world.files,
      script,
      defaults: defaultOutcomes({ ...DEFAULT_LATENCIES, ...settings.latencies }),
      counters: new OutcomeCounters(),
      inventory: new Inventory(),
      images: new ImageStore(script),
      events: new EventFeed(settings.events ?? 'on', world.clock),
      handlers: settings.handlers ?? RUNTIME_HANDLERS,
    };
    this.#containers = new ContainerLife(this.#context);
    this.#sandboxes = new SandboxLife(this.#context, this.#containers);
    this.images = new ImageCalls(this.#context, this.#mountpoint);
    this.control = new RuntimeControl({
      context: this.#context,
      containers: this.#containers,
      sandboxes: this.#sandboxes,
    });
  }

  /** Extends the script. An entry for a pod or an image replaces the earlier entry. Counts continue. */
  addScript(more: Script): void {
    this.#script = mergeScripts(this.#script, more);
  }

  version(): Cri.VersionResponse {
    return { version: '0.1.0', runtimeName: 'hivelet-embedded', runtimeVersion: 'v0.1.0', runtimeApiVersion: 'v1' };
  }

  status(): Cri.StatusResponse {
    const condition = (type: string): Cri.RuntimeCondition => ({ type, status: true, reason: '', message: '' });
    return {
      status: { conditions: [condition('RuntimeReady'), condition('NetworkReady')] },
      info: {},
      runtimeHandlers: this.#context.handlers.map(({ name, ...features }) => ({ name, features })),
      features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false },
    };
  }

  runtimeConfig(): Cri.RuntimeConfigResponse {
    return { linux: { cgroupDriver: CgroupDriver.CGROUPFS } };
  }

  updateRuntimeConfig(): Cri.UpdateRuntimeConfigResponse {
    return {};
  }

  async runPodSandbox(request: Cri.RunPodSandboxRequest): Promise<Cri.RunPodSandboxResponse> {
    return { podSandboxId: (await this.#sandboxes.run(request)).id };
  }

  stopPodSandbox({ podSandboxId }: Cri.StopPodSandboxRequest): Cri.StopPodSandboxResponse {
    const sandbox = this.#context.inventory.sandbox(podSandboxId);
    if (sandbox) this.#sandboxes.stop(sandbox);
    return {};
  }

  removePodSandbox({ podSandboxId }: Cri.RemovePodSandboxRequest): Cri.RemovePodSandboxResponse {
    const sandbox = this.#context.inventory.sandbox(podSandboxId);
    if (sandbox) this.#sandboxes.remove(sandbox);
    return {};
  }

  podSandboxStatus({ podSandboxId }: Cri.PodSandboxStatusRequest): Cri.PodSandboxStatusResponse {
    const sandbox = this.#sandbox(podSandboxId);
    return {
      status: sandboxStatusMessage(sandbox),
      info: {},
      containersStatuses: [...sandbox.containers.values()].map(containerStatusMessage),
      timestamp: this.#context.nanoseconds(),
    };
  }

  listPodSandbox({ filter }: Cri.ListPodSandboxRequest): Cri.ListPodSandboxResponse {
    return { items: this.#context.inventory.sandboxes(filter).map(listedSandbox) };
  }

  /** Returns the answer of {@link listPodSandbox}, encoded; unchanged entries are not encoded again. */
  listPodSandboxEncoded({ filter }: Cri.ListPodSandboxRequest): Buffer {
    return this.#context.inventory.sandboxesEncoded(filter);
  }

  updatePodSandboxResources(request: Cri.UpdatePodSandboxResourcesRequest): Cri.UpdatePodSandboxResourcesResponse {
    this.#sandbox(request.podSandboxId);
    return {};
  }

  async createContainer(request: Cri.CreateContainerRequest): Promise<Cri.CreateContainerResponse> {
    return { containerId: (await this.#sandboxes.createContainer(request)).id };
  }

  async startContainer({ containerId }: Cri.StartContainerRequest): Promise<Cri.StartContainerResponse> {
    await this.#containers.start(this.#container(containerId));
    return {};
  }

  async stopContainer(
    { containerId, timeout }: Cri.StopContainerRequest,
    caller: Caller = patientCaller,
  ): Promise<Cri.StopContainerResponse> {
    const container = this.#context.inventory.container(containerId);
    if (container) await this.#containers.stop(container, Number(timeout) * 1000, caller);
    return {};
  }

  removeContainer({ containerId }: Cri.RemoveContainerRequest): Cri.RemoveContainerResponse {
    const container = this.#context.inventory.container(containerId);
    if (container) this.#sandboxes.removeContainer(container);
    return {};
  }

  listContainers({ filter }: Cri.ListContainersRequest): Cri.ListContainersResponse {
    return { containers: this.#context.inventory.containers(filter).map(listedContainer) };
  }

  /** Returns the answer of {@link listContainers}, encoded; unchanged entries are not encoded again. */
  listContainersEncoded({ filter }: Cri.ListContainersRequest): Buffer {
    return this.#context.inventory.containersEncoded(filter);
  }

  containerStatus({ containerId }: Cri.ContainerStatusRequest): Cri.ContainerStatusResponse {
    return { status: containerStatusMessage(this.#container(containerId)), info: {} };
  }

  async updateContainerResources(
    request: Cri.UpdateContainerResourcesRequest,
  ): Promise<Cri.UpdateContainerResourcesResponse> {
    const container = this.#container(request.containerId);
    await this.#containers.update(container);
    container.resources = updatedResources(container.resources, request.linux);
    return {};
  }

  reopenContainerLog({ containerId }: Cri.ReopenContainerLogRequest): Cri.ReopenContainerLogResponse {
    this.#containers.reopenLog(this.#container(containerId));
    return {};
  }

  async execSync(
    { containerId, cmd, timeout }: Cri.ExecSyncRequest,
    caller: Caller = patientCaller,
  ): Promise<Cri.ExecSyncResponse> {
    const container = this.#container(containerId);
    const command = cmd.join(' ');
    const rule = scriptedExec(this.#containers.scriptOf(container), command);
    const result = await this.#containers.exec(container, rule, { command, timeoutMs: Number(timeout) * 1000, caller });
    return { stdout: Buffer.from(result.text), stderr: NO_OUTPUT, exitCode: result.code };
  }

  /** Returns a container for streams to and from it. Throws when it does not run. */
  placeOf(containerId: string): ContainerPlace {
    const container = this.#container(containerId);
    return this.#containers.place(container);
  }

  /** Returns the ports that a sandbox's pod declares, and a name for the pod. Throws when the sandbox is not ready. */
  portsOf(podSandboxId: string): { readonly who: string; readonly ports: ReadonlySet<number> } {
    const sandbox = this.#sandbox(podSandboxId);
    if (!isReady(sandbox)) throw new RuntimeError('Unknown', `sandbox "${podSandboxId}" is not running`);
    const ports = new Set(sandbox.config.portMappings.map(({ containerPort }) => containerPort));
    return { who: `pod ${sandbox.podNamespace}/${sandbox.podName}`, ports };
  }

  containerStats({ containerId }: Cri.ContainerStatsRequest): Cri.ContainerStatsResponse {
    return { stats: containerUsage(this.#container(containerId), this.#usageView()) };
  }

  /** Lists running containers only; a stopped container uses nothing worth reporting. */
  listContainerStats({ filter }: Cri.ListContainerStatsRequest): Cri.ListContainerStatsResponse {
    const view = this.#usageView();
    const state = { state: ContainerState.CONTAINER_RUNNING };
    const running = this.#context.inventory.containers(
      filter ? { ...filter, state } : { id: '', state, podSandboxId: '', labelSelector: {} },
    );
    return { stats: running.map((container) => containerUsage(container, view)) };
  }

  podSandboxStats({ podSandboxId }: Cri.PodSandboxStatsRequest): Cri.PodSandboxStatsResponse {
    return { stats: sandboxUsage(this.#sandbox(podSandboxId), this.#usageView()) };
  }

  listPodSandboxStats({ filter }: Cri.ListPodSandboxStatsRequest): Cri.ListPodSandboxStatsResponse {
    const view = this.#usageView();
    const chosen = this.#context.inventory.sandboxes(filter && { ...filter, state: undefined });
    return { stats: chosen.map((sandbox) => sandboxUsage(sandbox, view)) };
  }

  /**
   * Calls `listener` for every later event; the returned function ends that. Throws Unimplemented if events are
   * off.
   */
  getContainerEvents(listener: EventListener): () => void {
    const { events } = this.#context;
    if (events.plan === 'off') throw new RuntimeError('Unimplemented', 'this runtime sends no container events');
    return events.subscribe(listener);
  }

  #sandbox(id: string): SandboxRecord {
    const sandbox = this.#context.inventory.sandbox(id);
    if (!sandbox) throw notFound('sandbox', id);
    return sandbox;
  }

  #container(id: string): ContainerRecord {
    const container = this.#context.inventory.container(id);
    if (!container) throw notFound('container', id);
    return container;
  }

  #usageView(): UsageView {
    return {
      at: this.#context.nanoseconds(),
      scripted: (container) => this.#containers.scriptOf(container)?.usage,
      mountpoint: this.#mountpoint,
    };
  }
}
