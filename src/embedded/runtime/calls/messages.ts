import {
  type Container,
  type ContainerStatus,
  ListContainersResponse,
  ListPodSandboxResponse,
  NamespaceMode,
  type PodSandbox,
  type PodSandboxStatus,
  PodSandboxState,
} from '../../../cri/gen/api.ts';
import { type ContainerRecord, logFileOf, type SandboxRecord } from '../inventory/records.ts';

/** The list entry of a container. */
export const containerMessage = (container: ContainerRecord): Container => ({
  id: container.id,
  podSandboxId: container.sandbox.id,
  metadata: container.config.metadata,
  image: container.config.image,
  imageRef: container.imageId,
  state: container.state,
  createdAt: container.createdAt,
  labels: container.config.labels,
  annotations: container.config.annotations,
  imageId: container.imageId,
});

export const containerStatusMessage = (container: ContainerRecord): ContainerStatus => ({
  id: container.id,
  metadata: container.config.metadata,
  state: container.state,
  createdAt: container.createdAt,
  startedAt: container.startedAt,
  finishedAt: container.finishedAt,
  exitCode: container.exitCode,
  // The image by its name in the pod, when the caller passed its ID.
  image: container.config.image && {
    ...container.config.image,
    image: container.config.image.userSpecifiedImage || container.config.image.image,
  },
  imageRef: container.imageId,
  reason: container.reason,
  message: '',
  labels: container.config.labels,
  annotations: container.config.annotations,
  mounts: container.config.mounts,
  logPath: logFileOf(container) ?? '',
  resources: container.resources && { linux: container.resources, windows: undefined },
  imageId: container.imageId,
  user: undefined,
  stopSignal: container.config.stopSignal,
});

/** The list entry of a sandbox. */
export const sandboxMessage = (sandbox: SandboxRecord): PodSandbox => ({
  id: sandbox.id,
  metadata: sandbox.config.metadata,
  state: sandbox.state,
  createdAt: sandbox.createdAt,
  labels: sandbox.config.labels,
  annotations: sandbox.config.annotations,
  runtimeHandler: sandbox.runtimeHandler,
});

export const sandboxStatusMessage = (sandbox: SandboxRecord): PodSandboxStatus => ({
  id: sandbox.id,
  metadata: sandbox.config.metadata,
  state: sandbox.state,
  createdAt: sandbox.createdAt,
  network: { ip: sandbox.ip, additionalIps: [] },
  linux: { namespaces: { options: sandbox.config.linux?.securityContext?.namespaceOptions } },
  labels: sandbox.config.labels,
  annotations: sandbox.config.annotations,
  runtimeHandler: sandbox.runtimeHandler,
});

export const usesHostNetwork = (sandbox: SandboxRecord): boolean =>
  sandbox.config.linux?.securityContext?.namespaceOptions?.network === NamespaceMode.NODE;

export const isReady = (sandbox: SandboxRecord): boolean => sandbox.state === PodSandboxState.SANDBOX_READY;

/** The container's list entry, kept until the container changes. */
export const listedContainer = (container: ContainerRecord): Container =>
  (container.listed ??= { message: containerMessage(container) }).message;

export const listedSandbox = (sandbox: SandboxRecord): PodSandbox =>
  (sandbox.listed ??= { message: sandboxMessage(sandbox) }).message;

// Entries of a repeated field follow one another in an encoded message. A response of one entry is therefore that
// entry's piece of any longer response.
export function listedContainerBytes(container: ContainerRecord): Uint8Array {
  const listed = (container.listed ??= { message: containerMessage(container) });
  return (listed.bytes ??= ListContainersResponse.encode({ containers: [listed.message] }).finish());
}

export function listedSandboxBytes(sandbox: SandboxRecord): Uint8Array {
  const listed = (sandbox.listed ??= { message: sandboxMessage(sandbox) });
  return (listed.bytes ??= ListPodSandboxResponse.encode({ items: [listed.message] }).finish());
}
