import type { CriOutcome } from '../../src/cri/fault.ts';
import type { ContainerId } from '../../src/kube/ids.ts';
import { possiblePodCgroups } from '../../src/node/cgroup-path.ts';
import { podDir } from '../../src/pod/pod-paths.ts';
import type { RuntimePodStatus } from '../../src/pod/runtime-pod-status.ts';
import type { PodWorkerTools } from './round.ts';

/** Takes everything of a stopped pod off the node: containers, sandboxes, logs, its directory, its cgroup. Says what could not be removed. */
export async function removePod(tools: PodWorkerTools, runtime: RuntimePodStatus): Promise<string | undefined> {
  const { uid, name, namespace } = runtime;
  const failed = await removeContainers(tools, { podUid: uid, containers: runtime.containers.map(({ id }) => id) });
  if (failed !== undefined) return failed;
  for (const { id } of runtime.sandboxes) {
    const outcome = await tools.cri.call('RemovePodSandbox', { podSandboxId: id }, { podUid: uid });
    if (!isGone(outcome)) return `removing sandbox ${id} failed`;
  }
  try {
    if (name !== '' && namespace !== '') tools.files.remove(`${tools.node.podLogsDir}/${namespace}_${name}_${uid}`);
    tools.files.remove(podDir(tools.node.rootDir, uid));
    for (const path of possiblePodCgroups(uid, tools.node)) tools.files.removeCgroup(path);
  } catch (error) {
    return `removing the pod's files or cgroup failed: ${String(error)}`;
  }
  return undefined;
}

export async function removeContainers(
  { cri }: PodWorkerTools,
  { podUid, containers }: { readonly podUid: string; readonly containers: readonly ContainerId[] },
): Promise<string | undefined> {
  const outcomes = await Promise.all(
    containers.map((id) => cri.call('RemoveContainer', { containerId: id }, { podUid })),
  );
  return outcomes.every(isGone) ? undefined : 'removing containers failed';
}

const isGone = (outcome: CriOutcome<unknown>): boolean => outcome.ok || outcome.fault.code === 'NOT_FOUND';
