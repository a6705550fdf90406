import {
  ListContainersRequest,
  ListPodSandboxRequest,
  RemoveContainerRequest,
  RemovePodSandboxRequest,
  RuntimeServiceService as runtime,
  StopContainerRequest,
  StopPodSandboxRequest,
} from '../../../src/cri/gen/api.ts';
import type { CriConnection } from './cri-connection.ts';

const AT_ONCE = 8;

/**
 * Stops and removes every sandbox and container of the runtime, at once and without grace. Failures are left in
 * place and reported: the caller has harder means.
 */
export async function removeAllPods(cri: CriConnection): Promise<readonly Error[]> {
  const problems: Error[] = [];
  const note = (error: unknown): void => {
    problems.push(error instanceof Error ? error : new Error(String(error)));
  };
  const { items } = await cri.call(runtime.listPodSandbox, ListPodSandboxRequest.create());
  await forEachAtOnce(items, async ({ id: podSandboxId }) => {
    await cri.call(runtime.stopPodSandbox, StopPodSandboxRequest.create({ podSandboxId })).catch(note);
    await cri.call(runtime.removePodSandbox, RemovePodSandboxRequest.create({ podSandboxId })).catch(note);
  });
  // Removing a sandbox takes its containers along; here are those whose sandbox is gone or could not be removed.
  const { containers } = await cri.call(runtime.listContainers, ListContainersRequest.create());
  await forEachAtOnce(containers, async ({ id: containerId }) => {
    await cri.call(runtime.stopContainer, StopContainerRequest.create({ containerId })).catch(note);
    await cri.call(runtime.removeContainer, RemoveContainerRequest.create({ containerId })).catch(note);
  });
  return problems;
}

async function forEachAtOnce<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await act(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
