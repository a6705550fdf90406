import {
  ContainerConfig,
  type ContainerStatus,
  CreateContainerRequest,
  NamespaceMode,
  PodSandboxConfig,
  type PodSandboxStatus,
} from '../../../src/cri/gen/api.ts';
import { seededIds } from '../../../src/embedded/runtime/inventory/ids.ts';
import { RuntimeCore, type RuntimeSettings } from '../../../src/embedded/runtime/runtime-core.ts';
import type { RuntimeFiles } from '../../../src/embedded/runtime/inventory/runtime-files.ts';
import { parseScript } from '../../../src/embedded/runtime/script/script.ts';
import { type ManualClock, manualClock, settled } from '../../support/manual-clock.ts';

export const NOW = Date.UTC(2026, 0, 1);

const NO_LATENCY = { sandboxMs: 0, createMs: 0, startMs: 0, stopMs: 0, pullMs: 0 };

/** A simulated runtime with a clock that stands still and files in memory. */
export interface Simulation {
  readonly core: RuntimeCore;
  readonly clock: ManualClock;
  /** Content by path. */
  readonly files: ReadonlyMap<string, string>;
  runPod(name: string, pod?: PodWishes): Promise<string>;
  create(podSandboxId: string, name: string, wishes?: ContainerWishes): Promise<string>;
  /** Creates and starts. */
  start(podSandboxId: string, name: string, wishes?: ContainerWishes): Promise<string>;
  status(containerId: string): ContainerStatus;
  sandboxStatus(podSandboxId: string): PodSandboxStatus;
}

export interface PodWishes {
  readonly uid?: string;
  readonly attempt?: number;
  readonly network?: 'host';
  readonly logDirectory?: string;
  readonly portMappings?: PodSandboxConfig['portMappings'];
}

export interface ContainerWishes {
  readonly attempt?: number;
  readonly image?: string;
  readonly config?: Parameters<typeof ContainerConfig.create>[0];
}

export function podConfig(
  name: string,
  { uid, attempt = 0, network, logDirectory = '', portMappings = [] }: PodWishes = {},
): PodSandboxConfig {
  const podUid = uid ?? `uid-of-${name}`;
  return PodSandboxConfig.create({
    metadata: { name, namespace: 'default', uid: podUid, attempt },
    labels: { 'io.kubernetes.pod.uid': podUid },
    logDirectory,
    portMappings,
    linux: { securityContext: { namespaceOptions: { network: network ? NamespaceMode.NODE : NamespaceMode.POD } } },
  });
}

export function containerRequest(
  podSandboxId: string,
  name: string,
  wishes: ContainerWishes = {},
): CreateContainerRequest {
  const config = ContainerConfig.create({
    metadata: { name, attempt: wishes.attempt ?? 0 },
    image: { image: wishes.image ?? 'registry.test/app:1' },
    labels: { 'io.kubernetes.container.name': name },
    logPath: `${name}/${wishes.attempt ?? 0}.log`,
    ...wishes.config,
  });
  return CreateContainerRequest.create({ podSandboxId, config });
}

/** Without latencies, unless the script or the settings give some. */
export function simulate(script: unknown = {}, settings: RuntimeSettings = {}): Simulation {
  const clock = manualClock(NOW);
  const files = new Map<string, string>();
  const inMemory: RuntimeFiles = {
    createLog: (path) => void files.set(path, files.get(path) ?? ''),
    appendLog: (path, lines) => void files.set(path, (files.get(path) ?? '') + lines),
    writeTerminationMessage: (path, text) => void files.set(path, text),
  };
  const core = new RuntimeCore(
    { clock, nextId: seededIds(1), files: inMemory },
    { latencies: NO_LATENCY, ...settings, script: parseScript(script) },
  );
  const simulation: Simulation = {
    core,
    clock,
    files,
    async runPod(name, wishes) {
      return (await core.runPodSandbox({ config: podConfig(name, wishes), runtimeHandler: '' })).podSandboxId;
    },
    async create(podSandboxId, name, wishes) {
      return (await core.createContainer(containerRequest(podSandboxId, name, wishes))).containerId;
    },
    async start(podSandboxId, name, wishes) {
      const containerId = await simulation.create(podSandboxId, name, wishes);
      await core.startContainer({ containerId });
      return containerId;
    },
    status(containerId) {
      const { status } = core.containerStatus({ containerId, verbose: false });
      if (!status) throw new Error('a container has a status');
      return status;
    },
    sandboxStatus(podSandboxId) {
      const { status } = core.podSandboxStatus({ podSandboxId, verbose: false });
      if (!status) throw new Error('a sandbox has a status');
      return status;
    },
  };
  return simulation;
}

/** Returns the state of a promise once all pending work that takes no time is done. */
export async function stateOf(promise: Promise<unknown>): Promise<'pending' | 'done' | 'failed'> {
  let state: 'pending' | 'done' | 'failed' = 'pending';
  promise.then(
    () => (state = 'done'),
    () => (state = 'failed'),
  );
  await settled();
  return state;
}
