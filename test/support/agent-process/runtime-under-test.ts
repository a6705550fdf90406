import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { ContainerStatusRequest, RuntimeServiceService } from '../../../src/cri/gen/api.ts';
import { serveEmbeddedRuntime } from '../../../src/embedded/runtime/serve/serve.ts';
import { connectCri, type CriConnection } from '../containerd/cri-connection.ts';
import { skipWithoutContainerd } from '../containerd/skip-without-containerd.ts';
import { startContainerd, type PrivateContainerd } from '../containerd/start-containerd.ts';
import { runningContainers } from './runtime-view.ts';
import { EMBEDDED_SCRIPT } from './test-pods.ts';

/** A container runtime that agents are tried on. */
export interface RuntimeUnderTest {
  readonly endpoint: string;
  readonly cri: CriConnection;
  /** Present only for a real runtime. */
  readonly containerd: PrivateContainerd | undefined;
  /** Ends the first process of a running container behind the agent's back, as SIGKILL does. */
  killContainer(pod: string, container: string): Promise<void>;
  stop(): Promise<void>;
}

export type RuntimeKind = 'containerd' | 'embedded';

/**
 * `script`: the script of the embedded runtime; a real one runs the pods' own commands. `dir`: the folder of a real
 * runtime's files.
 */
export function startRuntime(
  kind: RuntimeKind,
  script: unknown = EMBEDDED_SCRIPT,
  dir?: string,
): Promise<RuntimeUnderTest> {
  return kind === 'containerd' ? realContainerd(dir) : embeddedRuntime(script);
}

async function realContainerd(dir?: string): Promise<RuntimeUnderTest> {
  const containerd = await startContainerd(dir);
  const { endpoint, cri } = containerd;
  return {
    endpoint,
    cri,
    containerd,
    async killContainer(pod, container) {
      process.kill(await processOf(cri, (await runningContainers(cri))[`${pod}/${container}`] ?? ''), 'SIGKILL');
    },
    stop: () => containerd.stop(),
  };
}

/** Returns the process ID of a container's first process, from containerd's verbose status. */
export async function processOf(cri: CriConnection, containerId: string): Promise<number> {
  const request = ContainerStatusRequest.create({ containerId, verbose: true });
  const { info } = await cri.call(RuntimeServiceService.containerStatus, request);
  const { pid } = JSON.parse(info['info'] ?? '{}') as { readonly pid?: number };
  if (pid === undefined || pid <= 0) throw new Error(`container ${containerId} has no process`);
  return pid;
}

async function embeddedRuntime(script: unknown): Promise<RuntimeUnderTest> {
  const dir = await mkdtemp(join(tmpdir(), 'hve-'));
  const runtime = await serveEmbeddedRuntime({ socketPath: join(dir, 'cri.sock'), script });
  const cri = connectCri(runtime.socketPath);
  return {
    endpoint: `unix://${runtime.socketPath}`,
    cri,
    containerd: undefined,
    async killContainer(pod, container) {
      runtime.core.control.exit({ pod, container }, 137);
    },
    async stop() {
      cri.close();
      await runtime.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const inWords: Readonly<Record<RuntimeKind, string>> = {
  containerd: 'on real containerd',
  embedded: 'on the embedded runtime',
};

/** Runs a suite on each runtime. Without containerd that half is skipped, with a message. */
export function describeOnRuntimes(
  name: string,
  kinds: readonly RuntimeKind[],
  body: (kind: RuntimeKind) => void,
): void {
  for (const kind of kinds) {
    const suite = `${name}, ${inWords[kind]}`;
    const skip = kind === 'containerd' && skipWithoutContainerd(suite);
    describe.skipIf(skip)(`${name}, ${inWords[kind]}`, { timeout: 60_000 }, () => {
      body(kind);
    });
  }
}
