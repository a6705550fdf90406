import type { CriClient } from '../../src/cri/client.ts';
import { isEntryOf, type PodFiles } from '../../src/host/pod-files.ts';
import type { VolumeCalls } from '../volume-manager/client.ts';
import type { PodsOnNode } from '../pod-manager/protocol.ts';
import { forEach, type Budget } from './budget.ts';
import { lifeOf } from './collect-containers.ts';
import { listRuntime } from './list-runtime.ts';
import type { GarbageMetrics } from './metrics.ts';
import type { PassOutcome } from './protocol.ts';

/** The result of removing a directory. */
export type DirectoryRemoval = 'removed' | 'still-mounted';

export interface DirectoryTools {
  readonly cri: CriClient;
  readonly podsOnNode: () => Promise<PodsOnNode>;
  readonly files: Pick<PodFiles, 'list'>;
  /** Parent directory of all pods' directories. */
  readonly podsDir: string;
  readonly volumes: Pick<VolumeCalls, 'unmount'>;
  /** Never removes across a mount, and removes nothing where anything is mounted. Rejects with the failure. */
  readonly removePodDirectory: (podUid: string) => Promise<DirectoryRemoval>;
  /** Removes the pod's empty cgroups; returns the first problem, or `undefined`. */
  readonly removeCgroups: (podUid: string) => string | undefined;
  readonly metrics: GarbageMetrics;
}

/**
 * Removes the directories of pods that no longer exist, left by an earlier agent or a crash. The pod manager decides
 * whether an unknown pod certainly does not exist. Throws `PassFailed`.
 */
export async function collectDirectories(tools: DirectoryTools, budget: Budget): Promise<PassOutcome> {
  const { files, podsDir, metrics } = tools;
  // First the disk, then the runtime, last the pod manager: a pod that arrives in between is not mistaken for an
  // orphan.
  const found = files.list(podsDir).filter((uid) => isEntryOf(podsDir, uid));
  const suspects = await unknownAmong(found, tools);
  if (suspects.length === 0) {
    metrics.orphansCleaned(0, 0);
    return { ok: true, more: false };
  }
  const { containers, sandboxes } = await listRuntime(tools.cri);
  const inRuntime = new Set([...containers, ...sandboxes].map(({ podUid }) => podUid));
  const orphans = await unknownAmong(
    suspects.filter((uid) => !inRuntime.has(uid)),
    tools,
  );
  const problems: string[] = [];
  let cleaned = 0;
  const end = await forEach(orphans, { atOnce: 1, budget }, async (uid) => {
    const problem = await removeOrphan(tools, uid);
    if (problem === undefined) cleaned += 1;
    else problems.push(problem);
  });
  metrics.orphansCleaned(cleaned, problems.length);
  const [first] = problems;
  if (first === undefined) return { ok: true, more: end === 'some' };
  const others = problems.length === 1 ? '' : `; there were ${problems.length} such errors`;
  return { ok: false, problem: `${first}${others}` };
}

async function unknownAmong(uids: readonly string[], { podsOnNode }: DirectoryTools): Promise<readonly string[]> {
  if (uids.length === 0) return [];
  const life = lifeOf(await podsOnNode());
  return uids.filter((uid) => life(uid) === undefined);
}

async function removeOrphan(
  { volumes, removePodDirectory, removeCgroups }: DirectoryTools,
  uid: string,
): Promise<string | undefined> {
  const orphan = `orphaned pod "${uid}" found`;
  const unmounted = await volumes.unmount(uid);
  if (!unmounted.ok) return `${orphan}, but volumes are still mounted: ${unmounted.message}`;
  try {
    if ((await removePodDirectory(uid)) === 'still-mounted') return `${orphan}, but volumes are still mounted`;
    const busy = removeCgroups(uid);
    return busy === undefined ? undefined : `${orphan}, but ${busy}`;
  } catch (error) {
    return `${orphan}, but failed to rmdir() its directory: ${String(error)}`;
  }
}
