import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import {
  ContainerState,
  ContainerStatusRequest,
  ListContainersRequest,
  ListPodSandboxRequest,
  PodSandboxState,
  RuntimeServiceService as runtime,
  type Container,
  type PodSandbox,
} from '../../../src/cri/gen/api.ts';
import type { CriConnection } from '../containerd/cri-connection.ts';
import { waitUntil } from '../containerd/wait-until.ts';

export interface RuntimeList {
  readonly sandboxes: readonly PodSandbox[];
  readonly containers: readonly Container[];
}

export async function listRuntime(cri: CriConnection): Promise<RuntimeList> {
  const [{ containers }, { items }] = await Promise.all([
    cri.call(runtime.listContainers, ListContainersRequest.create()),
    cri.call(runtime.listPodSandbox, ListPodSandboxRequest.create()),
  ]);
  return { sandboxes: items, containers };
}

export const isOfPod =
  (pod: string) =>
  ({ labels }: { readonly labels: Readonly<Record<string, string>> }): boolean =>
    labels['io.kubernetes.pod.name'] === pod;

/** Resolves when the runtime holds nothing of the pod. A restarted agent does not list a pod that it only removes. */
export function untilNothingOf(cri: CriConnection, pod: string, withinMs = 20_000): Promise<true> {
  const ask = async (): Promise<boolean> => {
    const { sandboxes, containers } = await listRuntime(cri);
    return ![...sandboxes, ...containers].some(isOfPod(pod));
  };
  return waitUntil(ask, { what: `the runtime holds nothing of ${pod}`, withinMs, everyMs: 50 }).then(() => true);
}

export const isRunning = ({ state }: Container): boolean => state === ContainerState.CONTAINER_RUNNING;
export const isReadySandbox = ({ state }: PodSandbox): boolean => state === PodSandboxState.SANDBOX_READY;

/** Running containers as `pod/container` → ID. */
export async function runningContainers(cri: CriConnection): Promise<Readonly<Record<string, string>>> {
  const { containers } = await listRuntime(cri);
  return Object.fromEntries(
    containers
      .filter(isRunning)
      .map(({ id, labels, metadata }) => [`${labels['io.kubernetes.pod.name']}/${metadata?.name}`, id]),
  );
}

/**
 * Containers that ran and do not any more. Not among them: those whose start was cut off when the caller's connection
 * ended. A runtime may give such a start up (containerd: reason `StartError`); the next attempt is the first that runs.
 */
export async function containersThatRanBefore(cri: CriConnection): Promise<readonly string[]> {
  const { containers } = await listRuntime(cri);
  const ended = containers.filter(({ state }) => state === ContainerState.CONTAINER_EXITED);
  const statuses = await Promise.all(
    ended.map(({ id }) => cri.call(runtime.containerStatus, ContainerStatusRequest.create({ containerId: id }))),
  );
  return statuses.flatMap(({ status }) =>
    status === undefined || status.reason === 'StartError'
      ? []
      : [`${status.labels['io.kubernetes.pod.name']}/${status.metadata?.name}: ${status.reason} (${status.exitCode})`],
  );
}

const BETWEEN_LOOKS_MS = 5;
const WAIT_FOR_RUNTIME_MS = 50;

/** The runtime's states during some work. */
export interface Watch {
  /** Ends the watch. Returns how many looks were taken, and every breach of "never two at once". */
  end(): Promise<{ readonly looks: number; readonly breaches: readonly string[] }>;
}

/**
 * Looks at the runtime's lists again and again. Never are there two running containers of one name in pods of one name,
 * or two ready sandboxes of pods of one name: neither of one UID nor of two generations. A runtime that is down is
 * waited for.
 */
export function watchForDoubles(cri: CriConnection): Watch {
  const breaches = new Set<string>();
  const ending = new AbortController();
  const look = async (): Promise<number> => {
    let looks = 0;
    while (!ending.signal.aborted) {
      const list = await listRuntime(cri).catch(() => undefined);
      if (list === undefined) {
        await delay(WAIT_FOR_RUNTIME_MS);
        continue;
      }
      looks++;
      for (const double of doublesIn(list)) breaches.add(double);
      // Polling without a pause would take a core from the agent under test.
      await delay(BETWEEN_LOOKS_MS);
    }
    return looks;
  };
  const looking = look();
  // A test that fails before it has ended its watch must not leave it running.
  onTestFinished(() => ending.abort());
  return {
    async end() {
      ending.abort();
      return { looks: await looking, breaches: [...breaches] };
    },
  };
}

function doublesIn({ sandboxes, containers }: RuntimeList): readonly string[] {
  const seen = new Map<string, string>();
  const doubles: string[] = [];
  const note = (key: string, id: string): void => {
    const other = seen.get(key);
    if (other !== undefined) doubles.push(`${key}: ${[other, id].sort().join(' and ')} at once`);
    seen.set(key, id);
  };
  const podOf = (labels: Readonly<Record<string, string>>): string =>
    `${labels['io.kubernetes.pod.namespace']}/${labels['io.kubernetes.pod.name']}`;
  for (const { id, labels } of sandboxes.filter(isReadySandbox)) note(`sandbox of ${podOf(labels)}`, id);
  for (const { id, labels, metadata } of containers.filter(isRunning)) note(`${podOf(labels)}/${metadata?.name}`, id);
  return doubles;
}
