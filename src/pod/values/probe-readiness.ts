import type { ContainerId } from '../../kube/ids.ts';
import { containerId } from '../../kube/ids.ts';
import type { Container, ContainerStatus } from '../../kube/pod.ts';
import { isSidecar } from '../../kube/pod-resources.ts';

export type ProbeVerdict = 'success' | 'failure' | 'unknown';

/** Cached probe results by container id. `undefined`: none yet. */
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
  /** The statuses before these. A container that is still the same one keeps what it had been until a probe speaks. */
  readonly previous: readonly ContainerStatus[] | undefined;
  /** Its sandbox is dead: what still runs in it cannot be reached. */
  readonly isCutOff: (id: ContainerId) => boolean;
}

/** Fills in `started` and `ready` of regular containers. */
export function probedRegular(statuses: readonly ContainerStatus[], probed: ProbedContainers): ContainerStatus[] {
  return statuses.map((status) => probedStatus(status, specOf(probed, status), probed));
}

/** Fills in `started` and `ready` of init containers: an ordinary one is ready once it succeeded. */
export function probedInit(statuses: readonly ContainerStatus[], probed: ProbedContainers): ContainerStatus[] {
  return statuses.map((status) => {
    const container = specOf(probed, status);
    if (container !== undefined && isSidecar(container)) return probedStatus(status, container, probed);
    const succeeded = status.state?.terminated?.exitCode === 0;
    return { ...status, ready: status.ready || succeeded, started: status.state?.running !== undefined };
  });
}

/**
 * That a startup probe has succeeded is told first, and with the status after it what follows from that, if no other probe is
 * to be asked for it (observed of kubelet v1.36).
 */
export const hasJustStarted = (container: Container | undefined, before: ContainerStatus | undefined): boolean =>
  container?.startupProbe !== undefined && container.readinessProbe === undefined && before?.started === false;

function probedStatus(
  status: ContainerStatus,
  container: Container | undefined,
  { verdicts, previous, isCutOff }: ProbedContainers,
): ContainerStatus {
  const id = idOfContainer(status);
  if (status.state?.running === undefined || id === undefined) return { ...status, ready: false, started: false };
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
