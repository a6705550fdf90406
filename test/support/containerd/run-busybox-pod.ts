import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import {
  ContainerConfig,
  ContainerStatusRequest,
  CreateContainerRequest,
  PodSandboxConfig,
  Protocol,
  RunPodSandboxRequest,
  RuntimeServiceService as runtime,
  StartContainerRequest,
  type ContainerStatus,
} from '../../../src/cri/gen/api.ts';
import type { CriConnection } from './cri-connection.ts';
import { BUSYBOX_IMAGE } from './test-images.ts';
import { waitUntil } from './wait-until.ts';

export interface BusyboxPod {
  readonly name: string;
  /** Run by `sh -c`. */
  readonly script: string;
  /** The pod's log directory; the container's log is `main/0.log` in it. */
  readonly logDirectory: string;
  /** A TCP port of the node that leads to the same port of the pod. */
  readonly hostPort?: number;
}

export interface StartedPod {
  readonly sandboxId: string;
  readonly containerId: string;
  readonly logPath: string;
}

/** Runs a one-container pod by bare CRI calls, with no agent: sandbox, container `main`, start. */
export async function runBusyboxPod(cri: CriConnection, pod: BusyboxPod): Promise<StartedPod> {
  const { hostPort } = pod;
  const sandboxConfig = PodSandboxConfig.create({
    metadata: { name: pod.name, namespace: 'default', uid: randomUUID(), attempt: 0 },
    logDirectory: pod.logDirectory,
    portMappings: hostPort === undefined ? [] : [{ protocol: Protocol.TCP, containerPort: hostPort, hostPort }],
    linux: {},
  });
  const { podSandboxId: sandboxId } = await cri.call(
    runtime.runPodSandbox,
    RunPodSandboxRequest.create({ config: sandboxConfig }),
  );
  const config = ContainerConfig.create({
    metadata: { name: 'main', attempt: 0 },
    image: { image: BUSYBOX_IMAGE },
    command: ['sh', '-c', pod.script],
    logPath: 'main/0.log',
    linux: {},
  });
  const { containerId } = await cri.call(
    runtime.createContainer,
    CreateContainerRequest.create({ podSandboxId: sandboxId, config, sandboxConfig }),
  );
  await cri.call(runtime.startContainer, StartContainerRequest.create({ containerId }));
  return { sandboxId, containerId, logPath: join(pod.logDirectory, 'main/0.log') };
}

export async function containerStatus(cri: CriConnection, containerId: string): Promise<ContainerStatus> {
  const { status } = await cri.call(runtime.containerStatus, ContainerStatusRequest.create({ containerId }));
  if (status === undefined) throw new Error(`the runtime gave no status for container ${containerId}`);
  return status;
}

/** Waits for the status that fulfils `condition`; plain CRI has no notice of it to await. */
export async function containerStatusOnce(
  cri: CriConnection,
  containerId: string,
  condition: (status: ContainerStatus) => boolean,
): Promise<ContainerStatus> {
  const ask = async (): Promise<ContainerStatus | false> => {
    const status = await containerStatus(cri, containerId);
    return condition(status) && status;
  };
  return waitUntil(ask, { what: `the awaited status of container ${containerId}`, withinMs: 15_000 });
}
