import type { ContainerId } from '../../kube/ids.ts';
import { containerId } from '../../kube/ids.ts';
import type { Container, ContainerStatus } from '../../kube/pod.ts';
import { isSidecar } from '../../kube/pod-resources.ts';

export type ProbeVerdict = 'success' | 'failure' | 'unknown';

/** Cached probe results by container id; `undefined` before the first result. */
export interface ProbeVerdicts {
  readonly liveness: (id: ContainerId) => ProbeVerdict | undefined;
  readonly readiness: (id: ContainerId) => ProbeVerdict | undefined;
  readonly startup: (id: ContainerId) => ProbeVerdict | undefined;
}

export const NO_VERDICTS: ProbeVerdicts = {
  liveness: () => undefined,
  readiness: () => undefined,
  startup: () => undefined,
};

/** `<runtime>://<id>` → `<id>`. */
export const idOfContainer = ({ containerID }: ContainerStatus): ContainerId | undefined =>
  containerID === undefined ? undefined : containerId(containerID.slice(containerID.indexOf('://') + 3));

export interface ProbedContainers {
  readonly containers: readonly Container[];
  readonly verdicts: ProbeVerdicts;
  /**
   * The previous statuses; after a restart of the agent, the last reported ones. A container that has not been replaced
   * keeps its values until a probe reports, or until the verdicts on disk are read (`actors/probe-manager`).
   */
  readonly previous: readonly ContainerStatus[] | undefined;
  /** `true` if the container's sandbox is dead: processes still running in it cannot be reached. */
  readonly isCutOff: (id: ContainerId) => boolean;
  /** `true` if the container's postStart hook has not returned. Until then the container is neither started nor ready. */
  readonly hookRuns: (id: ContainerId) => boolean;
}

/** Returns the statuses of regular containers with `started` and `ready` filled in. */
export function probedRegular(statuses: readonly ContainerStatus[], probed: ProbedContainers): ContainerStatus[] {
  return statuses.map((status) => probedStatus(status, specOf(probed, status), probed));
}

/**
 * Returns the statuses of init containers with `started` and `ready` filled in. An ordinary one is ready once it
 * succeeded.
 */
export function probedInit(statuses: readonly ContainerStatus[], probed: ProbedContainers): ContainerStatus[] {
  return statuses.map((status) => {
    const container = specOf(probed, status);
    if (container !== undefined && isSidecar(container)) return probedStatus(status, container, probed);
    const succeeded = status.state?.terminated?.exitCode === 0;
    return { ...status, ready: status.ready || succeeded, started: status.state?.running !== undefined };
  });
}

/**
 * `true` if a startup probe has just succeeded. This success is reported first; readiness without a readiness probe
 * follows with the next status (observed of kubelet v1.36).
 */
export const hasJustStarted = (container: Container | undefined, before: ContainerStatus | undefined): boolean =>
  container?.startupProbe !== undefined && container.readinessProbe === undefined && before?.started === false;

function probedStatus(
  status: ContainerStatus,
  container: Container | undefined,
  { verdicts, previous, isCutOff, hookRuns }: ProbedContainers,
): ContainerStatus {
  const id = idOfContainer(status);
  if (status.state?.running === undefined || id === undefined || hookRuns(id))
    return { ...status, ready: false, started: false };
  const before = previous?.find(({ containerID }) => containerID === status.containerID);
  const started = passes(verdicts.startup(id), container?.startupProbe === undefined || before?.started === true);
  const mayBeReady = passes(verdicts.readiness(id), container?.readinessProbe === undefined || before?.ready === true);
  const ready = started && mayBeReady && !isCutOff(id) && !hasJustStarted(container, before);
  return { ...status, ready, started };
}

const passes = (verdict: ProbeVerdict | undefined, withoutVerdict: boolean): boolean =>
  verdict === undefined ? withoutVerdict : verdict === 'success';

const specOf = ({ containers }: ProbedContainers, { name }: ContainerStatus): Container | undefined =>
  containers.find((container) => container.name === name);
