import type { RuntimeContainer } from '../../../src/pod/values/runtime-pod-status.ts';
import type { Touched } from '../protocol.ts';
import { removeDead } from './remove-pod.ts';
import type { Stop, StopResult } from '../decide/step-result.ts';
import { stopContainer, stopContainers, stopEverything } from './stop-pod.ts';
import type { SyncAttempt } from './sync-attempt.ts';

/** Stops the whole pod or single containers, as decided. */
export async function stopAsDecided({ pod, tools, decided }: SyncAttempt): Promise<StopResult> {
  const { actions, runtime } = decided;
  const { touched, failed } = actions.killPod
    ? await stopEverything(tools, { pod, runtime })
    : await stopContainers(tools, { pod, runtime, wanted: actions.containersToKill });
  if (failed !== undefined) return { type: 'stopped', touched, stop: podFailed(failed) };
  if (!actions.killPod || !actions.createSandbox) return { type: 'stopped', touched };
  // In a new sandbox all init containers run again: none may look as if it had ended.
  const names = new Set((pod.spec.initContainers ?? []).map(({ name }) => name));
  const removed: Touched['containers'][number][] = [];
  for (const { id, name, sandboxId } of runtime.containers) {
    if (!names.has(name)) continue;
    await tools.runtime.cri.call('RemoveContainer', { containerId: id }, { podUid: pod.metadata.uid });
    removed.push([id, sandboxId]);
  }
  return { type: 'stopped', touched: { ...touched, containers: [...touched.containers, ...removed] } };
}

/**
 * Stops a container at once and removes it; its log is kept. Every container of the pod then starts again in the same
 * sandbox.
 */
export async function resetContainer(
  { pod, tools, decided: { runtime } }: SyncAttempt,
  { container, stopFirst }: { readonly container: RuntimeContainer; readonly stopFirst: boolean },
): Promise<StopResult> {
  const { id, sandboxId } = container;
  const touched: Touched = { sandboxes: [], containers: [[id, sandboxId]] };
  const failed = stopFirst
    ? await stopContainer(tools, { pod, runtime, graceSeconds: 0 }, { container, why: { message: 'killing' } })
    : undefined;
  if (failed !== undefined) return { type: 'stopped', touched, stop: podFailed(failed) };
  const removed = await removeDead(tools, { podUid: pod.metadata.uid, containers: [id], sandboxes: [] });
  return { type: 'stopped', touched, stop: removed === undefined ? undefined : podFailed(removed) };
}

const podFailed = (message: string): Stop => ({ type: 'pod-failed', message });
