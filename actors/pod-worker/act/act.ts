import type { Container, EphemeralContainer, Pod } from '../../../src/kube/pod.ts';
import type { PodActions } from '../../../src/pod/sync/pod-actions.ts';
import { hasVolumes } from '../../../src/pod/values/has-volumes.ts';
import { attemptOutcome, endsAttempt, failedPullsAfter } from '../decide/attempt-outcome.ts';
import type { ActResult } from '../protocol.ts';
import { readySandbox } from './create-sandbox.ts';
import { ensureCgroup } from './ensure-cgroup.ts';
import { mountVolumes, NO_VOLUMES } from './mount-volumes.ts';
import { resumeHook } from './post-start.ts';
import { resizePod } from './resize-pod.ts';
import { startContainer } from './start-container.ts';
import type { StartPlace } from './start-place.ts';
import type { StepResult } from '../decide/step-result.ts';
import { resetContainer, stopAsDecided } from './stop-first.ts';
import type { SyncAttempt } from './sync-attempt.ts';

/**
 * Carries out the decided actions on the runtime. Collects the results of the steps: the first one after which nothing
 * may follow ends the attempt, and so does the removal of the pod.
 */
export async function act(attempt: SyncAttempt): Promise<ActResult> {
  const results: StepResult[] = [];
  for await (const result of steps(attempt)) {
    results.push(result);
    if (endsAttempt(result) || attempt.isCancelled) break;
  }
  return attemptOutcome(attempt.decided.memory.failedPulls, results);
}

/**
 * The steps in the kubelet's order: stops, sandbox, ephemeral, init and regular containers. The caller decides after
 * each result whether the next step begins.
 */
async function* steps(attempt: SyncAttempt): AsyncGenerator<StepResult, void, void> {
  const { pod, decided } = attempt;
  const { actions, runtime, unfinishedHook } = decided;
  const toStart = containersToStart(pod, actions);
  const startsSomething = actions.createSandbox || toStart.length > 0;
  const cgroup = startsSomething ? ensureCgroup(attempt) : undefined;
  if (cgroup !== undefined) {
    yield { type: 'not-prepared', stop: cgroup.stop };
    return;
  }
  // Volumes come before any stop: a pod without its volumes could not start again.
  const volumes = startsSomething && hasVolumes(pod) ? await mountVolumes(attempt) : NO_VOLUMES;
  if (!volumes.ok) {
    yield { type: 'not-prepared', stop: volumes.stop };
    return;
  }
  if (actions.killPod || actions.containersToKill.length > 0) yield await stopAsDecided(attempt);
  for (const { id, stopFirst } of actions.containersToReset) {
    const container = runtime.containers.find((each) => each.id === id);
    if (container !== undefined) yield await resetContainer(attempt, { container, stopFirst });
  }
  const resumed = unfinishedHook === undefined ? undefined : await resumeHook(attempt, unfinishedHook);
  if (resumed !== undefined) yield resumed;
  const resized = await resizePod(attempt);
  if (resized !== undefined) yield resized;
  if (!startsSomething) return;
  const sandbox = await readySandbox(attempt);
  if (sandbox.result !== undefined) yield sandbox.result;
  if (sandbox.place === undefined) return;
  let place: StartPlace = { ...sandbox.place, volumePaths: volumes.value, failedPulls: decided.memory.failedPulls };
  for (const container of toStart) {
    const started = await startContainer(attempt, container, place);
    yield started;
    if (started.stop !== undefined && othersNeed(pod, container)) return;
    if (started.pulls !== undefined && started.pulls.length > 0)
      place = { ...place, failedPulls: failedPullsAfter(place.failedPulls, started.pulls) };
  }
}

function containersToStart(
  { spec }: Pod,
  { ephemeralContainersToStart, initContainersToStart, containersToStart: regular }: PodActions,
): readonly EphemeralContainer[] {
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  return [
    ...ephemeralContainersToStart.flatMap((index) => ephemeralContainers[index] ?? []),
    ...initContainersToStart.flatMap((index) => initContainers[index] ?? []),
    ...regular.flatMap((index) => containers[index] ?? []),
  ];
}

/** The next container needs an init container to have ended; a sidecar only has to have started. */
const othersNeed = ({ spec }: Pod, container: Container): boolean =>
  container.restartPolicy !== 'Always' && (spec.initContainers ?? []).includes(container);
