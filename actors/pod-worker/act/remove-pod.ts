import { isEntryName } from '../../../src/kube/validation/entry-name.ts';
import type { CriOutcome } from '../../../src/cri/fault.ts';
import type { PodUid } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { podCgroups } from '../../../src/node/resources/cgroup-path.ts';
import { hasVolumes } from '../../../src/pod/values/has-volumes.ts';
import { qosClass } from '../../../src/pod/values/qos.ts';
import type { RuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';
import type { PodWorkerTools } from '../tools.ts';
import type { Surplus } from '../../../src/pod/sync/replaced-containers.ts';
import { releaseUserNamespace } from '../../../src/pod/sync/user-namespace.ts';

type RemovalTools = Pick<PodWorkerTools, 'node' | 'runtime' | 'host' | 'volumes' | 'reports'>;

/**
 * Removes everything of a stopped pod from the node: containers, cgroup, logs, directory, sandboxes. Returns what could
 * not be removed. `pod` is `undefined` for a pod that only the runtime knows.
 */
export async function removePod(
  tools: RemovalTools,
  { pod, runtime }: { readonly pod: Pod | undefined; readonly runtime: RuntimePodStatus },
): Promise<string | undefined> {
  const { uid } = runtime;
  const containers = runtime.containers.map(({ id }) => id);
  const failed = await removeDead(tools, { podUid: uid, containers, sandboxes: [] });
  if (failed !== undefined) return failed;
  // Mounts in the pod's directory must be gone before the directory is removed.
  if (isEntryName(uid) && (pod === undefined || hasVolumes(pod))) {
    const problem = await unmountAll(tools, uid);
    if (problem !== undefined) return problem;
  }
  // The sandbox goes last: a restarted agent finds the pod by its sandbox. Without it, a crash here would leave the
  // files for ever.
  await tools.host.ownTurn?.();
  try {
    const problem = removeFiles(tools, pod, runtime);
    if (problem !== undefined) return problem;
  } catch (error) {
    return `removing the pod's files failed: ${String(error)}`;
  }
  return removeDead(tools, { podUid: uid, containers: [], sandboxes: runtime.sandboxes.map(({ id }) => id) });
}

/** Returns why the pod still has volumes; `undefined` when it has none. */
export async function unmountAll({ volumes }: Pick<RemovalTools, 'volumes'>, uid: PodUid): Promise<string | undefined> {
  const unmounted = await volumes.unmount(uid);
  return unmounted.ok ? undefined : `unmounting the pod's volumes failed: ${unmounted.message}`;
}

function removeFiles(
  { host, reports, node }: RemovalTools,
  pod: Pod | undefined,
  { uid, name, namespace }: RuntimePodStatus,
): string | undefined {
  // A UID comes from a manifest or from a runtime label. A UID that leads to another path owns no files here.
  if (!isEntryName(uid)) return undefined;
  for (const cgroup of podCgroups(uid, pod === undefined ? undefined : qosClass(pod), node)) {
    const problem = host.cgroups.remove(cgroup);
    if (problem !== undefined) return problem;
  }
  if (node.managesCgroups === true && (pod === undefined || qosClass(pod) === 'Burstable')) reports.podWeight(0n);
  const logs = `${namespace}_${name}_${uid}`;
  if (name !== '' && namespace !== '' && isEntryName(logs)) host.files.removeEntry(node.podLogsDir, logs);
  releaseUserNamespace(host.files, { rootDir: node.rootDir, uid });
  host.files.removeEntry(podsDir(node.rootDir), uid);
  return undefined;
}

/** The parent of all pod directories, beside `podDir`. */
const podsDir = (rootDir: string): string => `${rootDir}/pods`;

/** Containers go first: removing a sandbox removes its containers too, and their logs would stay for ever. */
export async function removeDead(
  { runtime: { cri } }: Pick<PodWorkerTools, 'runtime'>,
  { podUid, containers, sandboxes }: Surplus & { readonly podUid: string },
): Promise<string | undefined> {
  const outcomes = await Promise.all(
    containers.map((id) => cri.call('RemoveContainer', { containerId: id }, { podUid })),
  );
  const failed = outcomes.find((outcome) => !isGone(outcome));
  if (failed !== undefined) return `removing containers failed: ${detailOf(failed)}`;
  for (const id of sandboxes) {
    const outcome = await cri.call('RemovePodSandbox', { podSandboxId: id }, { podUid });
    if (!isGone(outcome)) return `removing sandbox ${id} failed: ${detailOf(outcome)}`;
  }
  return undefined;
}

const isGone = (outcome: CriOutcome<unknown>): boolean => outcome.ok || outcome.fault.code === 'NOT_FOUND';

const detailOf = (outcome: CriOutcome<unknown>): string => (outcome.ok ? '' : outcome.fault.detail);
