import { isEntryName } from '../../../src/kube/validation/entry-name.ts';
import { containerId, podUid, type ContainerId } from '../../../src/kube/ids.ts';
import type { Container } from '../../../src/kube/pod.ts';
import { podDir } from '../../../src/pod/values/pod-paths.ts';
import { NO_LIMIT_MS, runHook } from './run-hook.ts';
import { CANCELLED, type ContainerResult, type Stop } from '../decide/step-result.ts';
import type { PodWorkerTools } from '../tools.ts';
import type { SyncAttempt } from './sync-attempt.ts';
import type { PodWorkerState } from '../worker-state.ts';
import { stopContainer } from './stop-pod.ts';

export interface StartedContainer {
  readonly container: Container;
  readonly id: ContainerId;
  readonly podIps: readonly string[];
}

/**
 * Runs the postStart hook of a container that has just started. A failed hook kills the container; its failure is
 * returned. A hook still running when the pod is removed is abandoned.
 */
export async function postStart(
  { pod, tools, cancelled }: SyncAttempt,
  { container, id, podIps }: StartedContainer,
): Promise<Stop | undefined> {
  const handler = container.lifecycle?.postStart;
  if (handler === undefined) return undefined;
  const { name, namespace } = pod.metadata;
  const uid = podUid(pod.metadata.uid);
  const run = runHook(tools, handler, {
    pod: { uid, name, namespace },
    container,
    id,
    podIp: podIps[0] ?? '',
    withinMs: NO_LIMIT_MS,
  });
  const failed = await Promise.race([run, cancelled]);
  if (failed === 'cancelled') return CANCELLED.stop;
  if (failed !== undefined) {
    tools.reports.event({
      type: 'Warning',
      reason: 'FailedPostStartHook',
      message: 'PostStartHook failed',
      container: container.name,
    });
    const started = { id, name: container.name, annotations: {} };
    await stopContainer(
      tools,
      { pod, runtime: { uid, ips: podIps } },
      { container: started, why: { message: 'FailedPostStartHook' } },
    );
  }
  noteUnfinishedHook(tools, uid, undefined);
  if (failed === undefined) return undefined;
  // The crash-loop back-off decides about the next try, as after any other exit.
  return { type: 'container-failed', failure: { reason: 'PostStartHookError', message: failed, until: 0 } };
}

/**
 * Runs a hook again that a restart of the agent interrupted, since it may not have completed. `undefined` when its
 * container is gone.
 */
export async function resumeHook(attempt: SyncAttempt, id: ContainerId): Promise<ContainerResult | undefined> {
  const { pod, tools, decided } = attempt;
  const { runtime } = decided;
  const { spec } = pod;
  const record = runtime.containers.find((each) => each.id === id);
  const container = [...spec.containers, ...(spec.initContainers ?? [])].find(({ name }) => name === record?.name);
  if (container === undefined) return undefined;
  const podIps = spec.hostNetwork === true ? tools.hostNetworkIps() : runtime.ips;
  const stop = await postStart(attempt, { container, id, podIps });
  return {
    type: 'container',
    name: container.name,
    touched: [id, record?.sandboxId],
    stop,
    ...(stop?.type === 'cancelled' && { unfinishedHook: id }),
  };
}

type Files = Pick<PodWorkerTools, 'host' | 'node'>;

/**
 * Keeps on disk which hook is running, from before the container's start until the hook ends. A later incarnation runs
 * the hook again: hooks run at least once.
 */
export function noteUnfinishedHook({ host, node }: Files, uid: string, id: ContainerId | undefined): void {
  if (!isEntryName(uid)) return;
  try {
    host.files.writeFile(pathOf(node.rootDir, uid), id ?? '', 0o600);
  } catch {
    // With a full disk, the hook does not run again after a restart, but the pod starts.
  }
}

/**
 * Removes the record of a hook that has ended, when the disk refused the removal at the time. A later incarnation would
 * run the hook again.
 */
export function wipeStaleHookNote(
  tools: Files,
  {
    phase,
    work,
    statusKnown,
    unfinishedHook,
  }: Pick<PodWorkerState, 'phase' | 'work' | 'statusKnown' | 'unfinishedHook'>,
): void {
  const mayRun = work.acting || !statusKnown || unfinishedHook !== undefined;
  if (phase.type !== 'syncing' || mayRun) return;
  const { spec, metadata } = phase.pod;
  const hooks = [...spec.containers, ...(spec.initContainers ?? [])].some(({ lifecycle }) => lifecycle?.postStart);
  if (hooks && readUnfinishedHook(tools, metadata.uid) !== undefined)
    noteUnfinishedHook(tools, metadata.uid, undefined);
}

export function readUnfinishedHook({ host, node }: Files, uid: string): ContainerId | undefined {
  const text = isEntryName(uid) ? host.files.read(pathOf(node.rootDir, uid)) : undefined;
  return text === undefined || text === '' ? undefined : containerId(text);
}

const pathOf = (rootDir: string, uid: string): string => `${podDir(rootDir, uid)}/unfinished-hook`;
