import { ContainerState, NamespaceMode, PodSandboxState } from '../../cri/gen/api.ts';
import type { ContainerStatus, PodSandboxStatus } from '../../cri/gen/api.ts';
import { isEntryName } from '../../kube/validation/entry-name.ts';
import { excerpt } from '../../kube/text/excerpt.ts';
import { MAX_INT32 } from '../../kube/validation/field-checks.ts';
import { own } from '../../kube/text/own.ts';
import { containerId, sandboxId } from '../../kube/ids.ts';
import type { SandboxId } from '../../kube/ids.ts';
import type { RuntimeContainer, RuntimePodStatus, RuntimeSandbox } from '../values/runtime-pod-status.ts';
import { CONTAINER_HASH_ANNOTATION, RESTART_COUNT_ANNOTATION } from '../values/pod-labels.ts';

/** Nanoseconds to milliseconds. Microseconds still fit a number exactly; the rest is never used. */
const milliseconds = (nanoseconds: bigint): number => Number(nanoseconds / 1000n) / 1000;

export function runtimeSandbox(status: PodSandboxStatus): RuntimeSandbox {
  return {
    id: sandboxId(status.id),
    attempt: status.metadata?.attempt ?? 0,
    state: status.state === PodSandboxState.SANDBOX_READY ? 'ready' : 'not-ready',
    createdAt: milliseconds(status.createdAt),
    ip: status.network?.ip,
    additionalIps: status.network?.additionalIps.map(({ ip }) => ip) ?? [],
    hostNetwork: status.linux?.namespaces?.options?.network === NamespaceMode.NODE,
  };
}

/** The limit of a message in a status: the kubelet keeps 12 KiB for all termination messages of a pod. */
const MOST_MESSAGE = 12 * 1024;

/** `sandbox` comes from the container list, because the runtime's status of one container does not name its sandbox. */
export function runtimeContainer(status: ContainerStatus, sandbox: SandboxId | undefined): RuntimeContainer {
  const attempt = status.metadata?.attempt ?? 0;
  const restartCount = Number(own(status.annotations, RESTART_COUNT_ANNOTATION) ?? attempt);
  const isCount = Number.isInteger(restartCount) && restartCount >= 0 && restartCount <= MAX_INT32;
  const name = status.metadata?.name ?? '';
  return {
    id: containerId(status.id),
    // Containers of this agent have names that are valid file names. Any other name is dropped.
    name: isEntryName(name) ? name : '',
    sandboxId: sandbox,
    attempt,
    state: STATES[status.state] ?? 'unknown',
    createdAt: milliseconds(status.createdAt),
    startedAt: milliseconds(status.startedAt),
    finishedAt: milliseconds(status.finishedAt),
    exitCode: status.exitCode,
    reason: status.reason,
    message: excerpt(status.message, MOST_MESSAGE),
    image: status.image?.userSpecifiedImage || status.image?.image || '',
    imageRef: status.imageRef,
    logPath: status.logPath,
    hash: status.annotations[CONTAINER_HASH_ANNOTATION] ?? '',
    restartCount: isCount ? restartCount : Math.min(attempt, MAX_INT32),
    annotations: status.annotations,
  };
}

const STATES: Readonly<Partial<Record<ContainerState, RuntimeContainer['state']>>> = {
  [ContainerState.CONTAINER_CREATED]: 'created',
  [ContainerState.CONTAINER_RUNNING]: 'running',
  [ContainerState.CONTAINER_EXITED]: 'exited',
  [ContainerState.CONTAINER_UNKNOWN]: 'unknown',
};

export interface RuntimePodParts extends Pick<RuntimePodStatus, 'uid' | 'name' | 'namespace'> {
  readonly sandboxes: readonly RuntimeSandbox[];
  readonly containers: readonly RuntimeContainer[];
  /** The addresses observed before. They are kept while no sandbox is ready. */
  readonly previousIps?: readonly string[];
}

/** Combines the observed parts, in any order, into a status sorted newest first. */
export function runtimePodStatus(parts: RuntimePodParts): RuntimePodStatus {
  const { uid, name, namespace } = parts;
  const sandboxes = parts.sandboxes.toSorted(newestSandboxFirst);
  const containers = parts.containers.toSorted(newestContainerFirst);
  const seen = ipsOf(sandboxes[0]);
  const isReady = sandboxes.some(({ state }) => state === 'ready');
  const ips = seen.length === 0 && !isReady ? (parts.previousIps ?? []) : seen;
  return { uid, name, namespace, sandboxes, containers, ips };
}

/** Returns the pod's addresses, which only the newest sandbox gives, and only while it is ready. */
function ipsOf(sandbox: RuntimeSandbox | undefined): readonly string[] {
  if (sandbox?.state !== 'ready' || sandbox.hostNetwork || !sandbox.ip) return [];
  return [sandbox.ip, ...sandbox.additionalIps.filter((ip) => ip !== '')];
}

const newestSandboxFirst = (a: RuntimeSandbox, b: RuntimeSandbox): number =>
  b.attempt - a.attempt || b.createdAt - a.createdAt || byId(a, b);

/** Sorts by attempt before creation time, because clocks may be set back. The id makes the order stable. */
const newestContainerFirst = (a: RuntimeContainer, b: RuntimeContainer): number =>
  b.attempt - a.attempt || b.createdAt - a.createdAt || byId(a, b);

const byId = (a: { readonly id: string }, b: { readonly id: string }): number =>
  a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
