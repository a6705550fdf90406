import type { Container, Pod } from '../../kube/pod.ts';
import { containerHash } from '../values/container-hash.ts';
import { containerToKill } from './container-to-kill.ts';
import { initContainerActions } from './init-container-actions.ts';
import { hasRegularContainerRecord, latestContainer } from '../values/latest-container.ts';
import type { ContainerToKill, KillReason, PodActions } from './pod-actions.ts';
import type { PodObservation } from './pod-observation.ts';
import { containersToReset } from './reset-all-containers.ts';
import type { RuntimeContainer, RuntimePodStatus } from '../values/runtime-pod-status.ts';
import { sandboxChange } from './sandbox-change.ts';
import type { SandboxChange } from './sandbox-change.ts';
import { effectiveRestartPolicy, isRestartedAfter, shouldContainerBeRestarted } from './should-restart.ts';

/**
 * Returns what one sync has to do so that the runtime holds what the pod asks for (the kubelet's `computePodActions`).
 * A pure function of the observation. Once all actions are done, a second call returns none until something changes.
 */
export function computePodActions(observed: PodObservation): PodActions {
  const change = sandboxChange(observed.pod, observed.status);
  if (observed.restartAllContainers === true) {
    return { ...nothing(change), containersToReset: containersToReset(observed.pod, observed.status) };
  }
  return change.changed ? newSandboxActions(observed, change) : sameSandboxActions(observed, change);
}

const nothing = ({ changed, attempt, sandboxId }: SandboxChange): PodActions => ({
  killPod: changed,
  createSandbox: changed,
  attempt,
  sandboxId,
  initContainersToStart: [],
  containersToStart: [],
  ephemeralContainersToStart: [],
  containersToKill: [],
  containersToResize: [],
  containersToReset: [],
});

/** A new sandbox starts the pod from its first init container; earlier containers go with the old sandbox. */
function newSandboxActions({ pod, status, reportedExits }: PodObservation, change: SandboxChange): PodActions {
  const base = nothing(change);
  const over = { ...base, createSandbox: false };
  if (pod.spec.restartPolicy === 'Never' && change.attempt !== 0 && status.containers.length > 0) return over;

  const candidates: number[] = [];
  pod.spec.containers.forEach((container, index) => {
    if (!isDoneForGood(pod, container, status) && !isReportedDone(pod, container, reportedExits))
      candidates.push(index);
  });
  if (candidates.length === 0 && (hasRegularContainerRecord(pod, status) || reportedExits !== undefined)) return over;
  if ((pod.spec.initContainers?.length ?? 0) > 0) return { ...base, initContainersToStart: [0] };
  return { ...base, containersToStart: candidates };
}

function isDoneForGood(pod: Pod, container: Container, status: RuntimePodStatus): boolean {
  if (effectiveRestartPolicy(pod.spec, container) !== 'OnFailure') return false;
  const latest = latestContainer(status, container.name);
  return latest?.state === 'exited' && latest.exitCode === 0;
}

/** `true` if a container's reported exit does not call for a restart, even though the runtime has lost its record. */
const isReportedDone = (pod: Pod, container: Container, reportedExits: PodObservation['reportedExits']): boolean => {
  const code = reportedExits?.get(container.name);
  return code !== undefined && !isRestartedAfter(pod.spec, container, code);
};

function sameSandboxActions(observed: PodObservation, change: SandboxChange): PodActions {
  const { pod, status } = observed;
  const ephemeralContainersToStart: number[] = [];
  pod.spec.ephemeralContainers?.forEach(({ name }, index) => {
    const hasStarted = latestContainer(status, name) !== undefined || observed.reportedEphemeral?.has(name) === true;
    if (!hasStarted) ephemeralContainersToStart.push(index);
  });
  const init = initContainerActions(observed);
  const withInit: PodActions = {
    ...nothing(change),
    ephemeralContainersToStart,
    killPod: init.killPod,
    initContainersToStart: init.start,
    containersToKill: init.kill,
    containersToResize: init.resize.map(({ id }) => id),
  };
  if (init.killPod || !init.initialised) return withInit;

  const regular = regularContainerActions(observed);
  // With nothing to keep and nothing to start the pod is finished. A sidecar must not keep it alive.
  const finished = regular.kept === 0 && regular.start.length === 0;
  return {
    ...withInit,
    killPod: finished,
    initContainersToStart: finished ? [] : init.start,
    containersToStart: regular.start,
    containersToKill: [...init.kill, ...regular.kill],
    containersToResize: [...withInit.containersToResize, ...regular.resize.map(({ id }) => id)],
  };
}

interface RegularContainerActions {
  readonly kept: number;
  readonly start: readonly number[];
  readonly kill: readonly ContainerToKill[];
  readonly resize: readonly RuntimeContainer[];
}

function regularContainerActions(observed: PodObservation): RegularContainerActions {
  const { pod, status } = observed;
  let kept = 0;
  const start: number[] = [];
  const kill: ContainerToKill[] = [];
  const resize: RuntimeContainer[] = [];
  pod.spec.containers.forEach((container, index) => {
    const latest = latestContainer(status, container.name);
    if (latest?.state !== 'running') {
      if (!shouldContainerBeRestarted(pod, container, status) || isReportedDone(pod, container, observed.reportedExits))
        return;
      start.push(index);
      if (latest?.state === 'unknown') kill.push(containerToKill(latest, 'unknown-state', { subject: 'Container' }));
      return;
    }
    const verdict = runningVerdict(observed, container, latest);
    if (verdict === 'keep' || verdict === 'resize-in-place') {
      kept += 1;
      if (verdict === 'resize-in-place') resize.push(latest);
      return;
    }
    const restarts = isForced(verdict) || effectiveRestartPolicy(pod.spec, container) !== 'Never';
    if (restarts) start.push(index);
    kill.push(containerToKill(latest, verdict, { subject: 'Container', restarted: restarts && verdict !== 'resize' }));
  });
  return { kept, start, kill, resize };
}

function runningVerdict(
  observed: PodObservation,
  container: Container,
  running: RuntimeContainer,
): KillReason | 'keep' | 'resize-in-place' {
  if (containerHash(container) !== running.hash) return 'definition-changed';
  if (observed.probes?.liveness(running.id) === 'failure') return 'liveness-probe';
  if (observed.probes?.startup(running.id) === 'failure') return 'startup-probe';
  const resize = observed.resize?.(container, running) ?? 'none';
  if (resize === 'restart') return 'resize';
  return resize === 'in-place' ? 'resize-in-place' : 'keep';
}

/** A changed definition or a resize is applied whatever the restart policy; a failed probe is not. */
const isForced = (reason: KillReason): boolean => reason === 'definition-changed' || reason === 'resize';
