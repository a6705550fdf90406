import type { WallMs } from '../../src/actor/clock.ts';
import type { CriClient } from '../../src/cri/client.ts';
import { rpcErrorText, type CriOutcome } from '../../src/cri/fault.ts';
import { isEntryOf, type PodFiles } from '../../src/host/pod-files.ts';
import { podLogDirectory } from '../../src/pod/values/pod-log-path.ts';
import type { PodOnNode, PodsOnNode } from '../pod-manager/protocol.ts';
import { forEach, type Budget } from './budget.ts';
import { listRuntime, type RuntimeLists } from './list-runtime.ts';
import { planContainers, type ContainerPolicy, type ListedContainer, type ListedSandbox } from './plan-containers.ts';
import { containerIdOfLink, deadLogs, podUidOfLogDirectory, restartedLogDirectories } from './plan-logs.ts';
import type { PassOutcome } from './protocol.ts';

export interface ContainerTools {
  readonly cri: CriClient;
  /** The pods known to the pod manager. Without an answer no pod is known, and `knowsAll` is `false`. */
  readonly podsOnNode: () => Promise<PodsOnNode>;
  readonly files: Pick<PodFiles, 'list' | 'kindOf' | 'removeEntry'>;
  readonly podLogsDir: string;
  /** Directory of the links for older log collectors; `undefined` when there is none. */
  readonly legacyLogsDir: string | undefined;
  readonly policy: ContainerPolicy;
  readonly now: () => WallMs;
  /** Awaited between two slices of work on the disk, so that other work of the thread comes first. */
  readonly breathe: () => Promise<void>;
}

const AT_ONCE = 2;
/** Directories handled in one turn. */
const SLICE = 64;
const BACKGROUND = { lane: 'background' } as const;

export type LifeOf = (podUid: string) => PodOnNode['life'] | undefined;

/** Returns `undefined` only for a pod that certainly does not exist. */
export function lifeOf({ knowsAll, pods }: PodsOnNode): LifeOf {
  const lives = new Map<string, PodOnNode['life']>(pods.map(({ podUid, life }) => [podUid, life]));
  return (uid) => lives.get(uid) ?? (knowsAll ? undefined : 'living');
}

/**
 * Removes dead containers and sandboxes that no pod needs, and the logs of removed containers. The runtime is listed
 * before the pod manager is asked: a pod that arrives in between is not in the lists. Throws `PassFailed`.
 */
export async function collectContainers(
  tools: ContainerTools,
  { budget, shortOfDisk }: { readonly budget: Budget; readonly shortOfDisk: boolean },
): Promise<PassOutcome> {
  const logDirectories = tools.files.list(tools.podLogsDir);
  const lists = await listRuntime(tools.cri);
  const life = lifeOf(await tools.podsOnNode());
  const { containers, sandboxes } = planContainers(
    { ...lists, lifeOf: life, now: tools.now(), shortOfDisk },
    tools.policy,
  );
  const problems: string[] = [];
  const removed = new Set<string>();
  const limits = { atOnce: AT_ONCE, budget };
  const first = await forEach(containers, limits, async (container) => {
    const problem = await removeContainer(tools.cri, container);
    if (problem === undefined) {
      removed.add(container.id);
      if (life(container.podUid) !== 'living') removeLogsOf(tools, container);
    } else problems.push(problem);
  });
  const held = new Set(lists.containers.filter(({ id }) => !removed.has(id)).map(({ sandboxId }) => sandboxId));
  const second = await forEach(
    sandboxes.filter(({ id }) => !held.has(id)),
    limits,
    async (sandbox) => {
      const problem = await removeSandbox(tools.cri, sandbox);
      if (problem !== undefined) problems.push(problem);
    },
  );
  await collectLogs(tools, { logDirectories, life, left: lists.containers.filter(({ id }) => !removed.has(id)) });
  if (problems.length > 0) return { ok: false, problem: problems.join('; ') };
  return { ok: true, more: first === 'some' || second === 'some' };
}

const isGone = (outcome: CriOutcome<unknown>): boolean => outcome.ok || outcome.fault.code === 'NOT_FOUND';

const problemOf = (outcome: CriOutcome<unknown>, what: string): string | undefined =>
  outcome.ok || isGone(outcome) ? undefined : `${what}: ${rpcErrorText(outcome.fault)}`;

async function removeContainer(cri: CriClient, { id, podUid, state }: ListedContainer): Promise<string | undefined> {
  if (state === 'unknown') {
    // The container may be running after all.
    const stopped = await cri.call('StopContainer', { containerId: id, timeout: 2n }, { ...BACKGROUND, podUid });
    const problem = problemOf(stopped, `stopping container ${id}, whose state is unknown`);
    if (problem !== undefined) return problem;
  }
  const outcome = await cri.call('RemoveContainer', { containerId: id }, { ...BACKGROUND, podUid });
  return problemOf(outcome, `removing container ${id}`);
}

async function removeSandbox(cri: CriClient, { id, podUid }: ListedSandbox): Promise<string | undefined> {
  const stopped = await cri.call('StopPodSandbox', { podSandboxId: id }, { ...BACKGROUND, podUid });
  const problem = problemOf(stopped, `stopping sandbox ${id}`);
  if (problem !== undefined) return problem;
  const outcome = await cri.call('RemovePodSandbox', { podSandboxId: id }, { ...BACKGROUND, podUid });
  return problemOf(outcome, `removing sandbox ${id}`);
}

function removeLogsOf({ files, podLogsDir }: ContainerTools, container: ListedContainer): void {
  const { podNamespace: namespace, podName, podUid: uid, name, restartCount } = container;
  const directory = podLogDirectory({ namespace, name: podName, uid });
  const path = `${podLogsDir}/${directory.name}/${name}`;
  const logs = files
    .list(path)
    .filter((file) => file === `${restartCount}.log` || file.startsWith(`${restartCount}.log.`));
  for (const file of logs) remove(files, path, file);
}

/** Ignores a name that is no entry of the directory: names come from the runtime and the disk. */
function remove(files: ContainerTools['files'], directory: string, name: string): void {
  if (isEntryOf(directory, name)) files.removeEntry(directory, name);
}

async function collectLogs(
  tools: ContainerTools,
  {
    logDirectories,
    life,
    left,
  }: {
    readonly logDirectories: readonly string[];
    readonly life: LifeOf;
    readonly left: RuntimeLists['containers'];
  },
): Promise<void> {
  const { files, podLogsDir, legacyLogsDir } = tools;
  const inRuntime = new Set(left.map(({ podUid }) => podUid));
  const inSlices = async <T>(items: Iterable<T>, work: (item: T) => void): Promise<void> => {
    let done = 0;
    for (const item of items) {
      if (++done % SLICE === 0) await tools.breathe();
      work(item);
    }
  };
  await inSlices(logDirectories, (name) => {
    const uid = podUidOfLogDirectory(name);
    if (uid === undefined || inRuntime.has(uid)) return;
    const itsLife = life(uid);
    if (itsLife === undefined || itsLife === 'over' || itsLife === 'evicted') remove(files, podLogsDir, name);
  });
  await inSlices(restartedLogDirectories(left), ([path, kept]) => {
    const directory = `${podLogsDir}/${path}`;
    for (const file of deadLogs(files.list(directory), kept)) remove(files, directory, file);
  });
  if (legacyLogsDir === undefined) return;
  // The target of a link is missing for a moment while its log is rotated.
  const alive = new Set(left.filter(({ state }) => state === 'running' || state === 'created').map(({ id }) => id));
  await inSlices(files.list(legacyLogsDir), (link) => {
    const id = containerIdOfLink(link);
    if (id === undefined || alive.has(id) || files.kindOf(`${legacyLogsDir}/${link}`) !== undefined) return;
    remove(files, legacyLogsDir, link);
  });
}
