import { assertNever } from '../../kube/text/assert-never.ts';
import type { Container } from '../../kube/pod.ts';
import { containerHash } from '../values/container-hash.ts';
import { containerToKill } from './container-to-kill.ts';
import { latestContainer } from '../values/latest-container.ts';
import type { ContainerToKill, KillReason } from './pod-actions.ts';
import type { PodObservation } from './pod-observation.ts';
import type { RuntimeContainer } from '../values/runtime-pod-status.ts';
import { effectiveRestartPolicy, isRestartedAfter } from './should-restart.ts';
import { isSidecar } from '../../kube/pod-resources.ts';

/** The actions for the init containers of a pod with a good sandbox. */
export interface InitContainerActions {
  /** `true` if regular containers may be started. */
  readonly initialised: boolean;
  /** `true` if an init container failed for good: the pod has failed. */
  readonly killPod: boolean;
  /** Ascending indices into `spec.initContainers`. */
  readonly start: readonly number[];
  readonly kill: readonly ContainerToKill[];
  readonly resize: readonly RuntimeContainer[];
}

type Step =
  | { readonly type: 'failed-for-good' }
  | {
      readonly type: 'go-on';
      readonly done?: boolean;
      readonly start?: boolean;
      readonly kill?: ContainerToKill;
      readonly resize?: boolean;
    };

/**
 * Init containers run one after the other; a sidecar counts as done once it has started. The walk begins at the last
 * init container, because records of finished ones may have been cleaned up. The last one with a record tells how far
 * the pod got; before it, only sidecars still need care.
 */
export function initContainerActions(observed: PodObservation): InitContainerActions {
  const containers = observed.pod.spec.initContainers ?? [];
  if (containers.length === 0) return { initialised: true, killPod: false, start: [], kill: [], resize: [] };

  let initialised = observed.pod.spec.containers.some(({ name }) => {
    // An exited container may belong to an older sandbox; then initialisation begins again.
    const state = latestContainer(observed.status, name)?.state;
    return state === 'created' || state === 'running';
  });
  let before = initialised;
  const start: number[] = [];
  const kill: ContainerToKill[] = [];
  const resize: RuntimeContainer[] = [];

  for (let index = containers.length - 1; index >= 0; index -= 1) {
    const container = containers[index];
    if (container === undefined || (before && !isSidecar(container))) continue;
    const latest = latestContainer(observed.status, container.name);
    if (latest === undefined) {
      if (before) start.push(index);
      continue;
    }
    const step = isSidecar(container)
      ? sidecarStep(observed, container, latest)
      : regularStep(observed, container, latest);
    if (step.type === 'failed-for-good') {
      return { initialised: false, killPod: true, start: [], kill: [], resize: [] };
    }
    if (step.done === true && index === containers.length - 1) initialised = true;
    else if (step.done === true && !before) start.push(index + 1);
    if (step.start === true) start.push(index);
    if (step.kill !== undefined) kill.push(step.kill);
    if (step.resize === true) resize.push(latest);
    before = true;
  }
  if (!before) start.push(0);
  return { initialised, killPod: false, start: start.toReversed(), kill, resize };
}

function regularStep(observed: PodObservation, container: Container, latest: RuntimeContainer): Step {
  const { spec } = observed.pod;
  switch (latest.state) {
    case 'created':
      // One sync step both creates and starts a container, so the start of a merely created container has failed.
      return { type: 'go-on', start: true };
    case 'running':
      return { type: 'go-on', resize: observed.resize?.(container, latest) === 'in-place' };
    case 'exited':
      if (!isFailedInit(latest)) return { type: 'go-on', done: true };
      // Out of memory is a failure even when the exit code is 0. Any other code lets the policy treat it as a failure.
      return isRestartedAfter(spec, container, latest.exitCode === 0 ? OUT_OF_MEMORY_CODE : latest.exitCode)
        ? { type: 'go-on', start: true }
        : { type: 'failed-for-good' };
    case 'unknown':
      return effectiveRestartPolicy(spec, container) === 'Never'
        ? { type: 'failed-for-good' }
        : { type: 'go-on', start: true, kill: killing(latest, 'unknown-state') };
    default:
      return assertNever(latest.state, 'container state');
  }
}

function sidecarStep(observed: PodObservation, container: Container, latest: RuntimeContainer): Step {
  switch (latest.state) {
    case 'created':
    case 'exited':
      return { type: 'go-on', start: true };
    case 'unknown':
      return { type: 'go-on', start: true, kill: killing(latest, 'unknown-state') };
    case 'running':
      return runningSidecarStep(observed, container, latest);
    default:
      return assertNever(latest.state, 'container state');
  }
}

function runningSidecarStep(observed: PodObservation, container: Container, latest: RuntimeContainer): Step {
  if (container.startupProbe !== undefined) {
    const startup = observed.probes?.startup(latest.id);
    if (startup === 'failure') return { type: 'go-on', start: true, kill: killing(latest, 'startup-probe') };
    if (startup !== 'success') return { type: 'go-on' };
  }
  // From here on the sidecar has started. Its health does not hold up the next init container.
  const restart = (reason: KillReason): Step => ({
    type: 'go-on',
    done: true,
    start: true,
    kill: killing(latest, reason),
  });
  if (containerHash(container) !== latest.hash) return restart('definition-changed');
  if (container.livenessProbe !== undefined && observed.probes?.liveness(latest.id) === 'failure') {
    return restart('liveness-probe');
  }
  const resize = observed.resize?.(container, latest) ?? 'none';
  return resize === 'restart' ? restart('resize') : { type: 'go-on', done: true, resize: resize === 'in-place' };
}

const OUT_OF_MEMORY_CODE = 137;

/**
 * `true` if the init container failed. Out of memory is a failure, whatever exit code the container's wrapper returned.
 */
export const isFailedInit = (latest: RuntimeContainer): boolean =>
  latest.exitCode !== 0 || latest.reason === 'OOMKilled';

const killing = (latest: RuntimeContainer, reason: KillReason): ContainerToKill =>
  containerToKill(latest, reason, { subject: 'Init container' });
