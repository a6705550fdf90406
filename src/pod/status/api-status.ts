import type { WallMs } from '../../actor/clock.ts';
import type { ContainerId } from '../../kube/ids.ts';
import type { ContainerStatus, Pod, PodPhase, PodStatus, ResourceRequirements } from '../../kube/pod.ts';
import { isRestartingAllContainers, podConditions } from './conditions.ts';
import { containerStatuses } from './container-status.ts';
import type { ContainerStatusInput, StartFailure } from './container-status.ts';
import { hasRegularContainerInActiveSandbox } from '../values/latest-container.ts';
import { podPhase } from './phase.ts';
import { hostNetworkPodIps, podIpsOf } from './pod-ips.ts';
import { hasJustStarted, NO_VERDICTS, probedInit, probedRegular } from '../values/probe-readiness.ts';
import type { ProbeVerdicts } from '../values/probe-readiness.ts';
import { qosClass } from '../values/qos.ts';
import type { RuntimePodStatus } from '../values/runtime-pod-status.ts';

export interface ApiStatusInput extends Pick<
  ContainerStatusInput,
  'runtimeName' | 'actualResources' | 'recursiveReadOnly'
> {
  /** The resources of the pod as a whole; when absent, the allocated ones are shown. */
  readonly actualWhole?: ResourceRequirements | undefined;
  readonly pod: Pod;
  readonly runtime: RuntimePodStatus;
  /** The last status that this agent made. Without one, the API's status is the base. */
  readonly previous?: PodStatus;
  /** Returns why the last attempt to start a container failed. */
  readonly startFailure?: (containerName: string) => StartFailure | undefined;
  readonly probes?: ProbeVerdicts;
  /** `true` if the container's postStart hook has not returned. */
  readonly hookRuns?: (id: ContainerId) => boolean;
  /** The node's addresses, primary family first. */
  readonly hostIps: readonly string[];
  readonly now: WallMs;
  /** Every container has been stopped for good. */
  readonly podIsTerminal?: boolean;
}

/**
 * Returns the pod status for the API, made from the runtime's state and the previous status. The status cache adds
 * transition times and the start time (`mergeStatus`).
 */
export function apiPodStatus(input: ApiStatusInput): PodStatus {
  const { pod, runtime } = input;
  const before = input.previous ?? pod.status ?? {};
  const shared = {
    pod,
    runtime,
    runtimeName: input.runtimeName,
    startFailure: input.startFailure ?? noFailure,
    restartingAll: isRestartingAllContainers(before.conditions),
    ...(input.actualResources === undefined ? {} : { actualResources: input.actualResources }),
    ...(input.recursiveReadOnly === undefined ? {} : { recursiveReadOnly: input.recursiveReadOnly }),
  };
  const rawInit = containerStatuses('init', { ...shared, previous: before.initContainerStatuses });
  const rawRegular = containerStatuses('regular', { ...shared, previous: before.containerStatuses });
  const ephemeral = containerStatuses('ephemeral', { ...shared, previous: before.ephemeralContainerStatuses });

  // The phase is computed before the probes: a sidecar that waits for others to restart is pending, started or not.
  const outcome = outcomeOf(input, before, {
    pod,
    initStatuses: rawInit,
    statuses: rawRegular,
    regularContainerInActiveSandbox: hasRegularContainerInActiveSandbox(pod, runtime),
    podIsTerminal: input.podIsTerminal === true,
  });
  const verdicts = input.probes ?? NO_VERDICTS;
  const isCutOff = deadSandboxes(runtime);
  const hookRuns = input.hookRuns ?? noHook;
  const initStatuses = probedInit(rawInit, {
    containers: pod.spec.initContainers ?? [],
    verdicts,
    previous: before.initContainerStatuses,
    isCutOff,
    hookRuns,
  });
  const statuses = probedRegular(rawRegular, {
    containers: pod.spec.containers,
    verdicts,
    previous: before.containerStatuses,
    isCutOff,
    hookRuns,
  });
  const conditions = podConditions({
    pod,
    runtime,
    phase: outcome.phase,
    initStatuses: withoutNews(pod, initStatuses, before.initContainerStatuses),
    statuses,
    previous: before.conditions ?? [],
  });
  const { generation } = pod.metadata;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...outcome,
    conditions,
    ...addresses(input, before, outcome.phase),
    qosClass: before.qosClass ?? qosClass(pod),
    ...(initStatuses.length === 0 ? {} : { initContainerStatuses: initStatuses }),
    containerStatuses: statuses,
    ...(ephemeral.length === 0 ? {} : { ephemeralContainerStatuses: ephemeral }),
    ...resourcesAsAWhole(pod, input.actualWhole),
  };
}

/** Returns the status fields of a pod that has resources as a whole (KEP-5419). */
function resourcesAsAWhole(
  { spec: { resources } }: Pod,
  actual: ResourceRequirements | undefined,
): Pick<PodStatus, 'allocatedResources' | 'resources'> {
  if (resources === undefined) return {};
  const { requests } = resources;
  return { ...(requests && { allocatedResources: requests }), resources: actual ?? resources };
}

/** Returns a predicate for containers in a sandbox that is known to be dead. */
function deadSandboxes({ sandboxes, containers }: RuntimePodStatus): (id: ContainerId) => boolean {
  if (sandboxes.every(({ state }) => state === 'ready')) return () => false;
  const dead = new Set(sandboxes.filter(({ state }) => state !== 'ready').map(({ id }) => id));
  return (id) => {
    const place = containers.find((container) => container.id === id)?.sandboxId;
    return place !== undefined && dead.has(place);
  };
}

/** The consequences of a sidecar's start are reported one status after the start itself. */
const withoutNews = (
  { spec }: Pod,
  statuses: readonly ContainerStatus[],
  previous: readonly ContainerStatus[] | undefined,
): readonly ContainerStatus[] =>
  statuses.map((status) => {
    const container = spec.initContainers?.find(({ name }) => name === status.name);
    const before = previous?.find(({ containerID }) => containerID === status.containerID);
    return status.started === true && hasJustStarted(container, before) ? { ...status, started: false } : status;
  });

const noFailure = (): undefined => undefined;
const noHook = (): boolean => false;

type Outcome = Pick<PodStatus, 'reason' | 'message'> & { readonly phase: PodPhase };

export const isTerminalPhase = (phase: PodPhase | undefined): phase is 'Succeeded' | 'Failed' =>
  phase === 'Succeeded' || phase === 'Failed';

/**
 * A terminal phase never changes again, whichever side saw it first. The API's phase takes precedence, because users
 * have seen it.
 */
function outcomeOf(input: ApiStatusInput, before: PodStatus, counted: Parameters<typeof podPhase>[0]): Outcome {
  const api = input.pod.status ?? {};
  if (isTerminalPhase(api.phase)) return { phase: api.phase, ...wordsOf(before, api) };
  if (isTerminalPhase(before.phase)) return { phase: before.phase, ...wordsOf(before, api) };
  if (isPastDeadline(input, before)) return { phase: 'Failed', ...DEADLINE_EXCEEDED };
  const phase = podPhase(counted);
  return phase === before.phase ? { phase, ...wordsOf(before, api) } : { phase };
}

const DEADLINE_EXCEEDED = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
} as const;

function wordsOf(before: PodStatus, api: PodStatus): Pick<PodStatus, 'reason' | 'message'> {
  const reason = nonEmpty(before.reason) ?? nonEmpty(api.reason);
  const message = nonEmpty(before.message) ?? nonEmpty(api.message);
  return { ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) };
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

/**
 * `true` if `activeDeadlineSeconds` has passed. The time counts from when the agent first took up the pod, not from the
 * first container's start.
 */
export function isPastDeadline({ pod, now }: Pick<ApiStatusInput, 'pod' | 'now'>, before: PodStatus): boolean {
  const at = activeDeadline(pod, before);
  return at !== undefined && now >= at;
}

/**
 * Returns the instant at which the pod's active deadline passes; `undefined` when the pod has no deadline or was not
 * taken up yet.
 */
export function activeDeadline(pod: Pod, before: PodStatus): WallMs | undefined {
  const seconds = pod.spec.activeDeadlineSeconds;
  const start = before.startTime ?? pod.status?.startTime;
  return seconds === undefined || start === undefined ? undefined : Date.parse(start) + seconds * 1000;
}

type Addresses = Pick<PodStatus, 'hostIP' | 'hostIPs' | 'podIP' | 'podIPs'>;

function addresses({ pod, runtime, hostIps }: ApiStatusInput, before: PodStatus, phase: PodPhase): Addresses {
  // Only the status remains of a finished pod, so the last address is kept when the sandbox is gone.
  const known = before.podIPs?.map(({ ip }) => ip) ?? [];
  const usesHostNetwork = pod.spec.hostNetwork === true;
  const seen = runtime.ips.length === 0 && (usesHostNetwork || isTerminalPhase(phase)) ? known : runtime.ips;
  const ips = usesHostNetwork ? hostNetworkPodIps(seen, hostIps) : podIpsOf(seen, hostIps);
  const [podIP] = ips;
  return {
    ...hostAddresses(hostIps, before),
    ...(podIP === undefined ? {} : { podIP, podIPs: ips.map((ip) => ({ ip })) }),
  };
}

/** A node without addresses for a while, such as one whose object was deleted, takes back no address that it reported. */
function hostAddresses(hostIps: readonly string[], before: PodStatus): Pick<PodStatus, 'hostIP' | 'hostIPs'> {
  const [hostIP] = hostIps;
  if (hostIP !== undefined) return { hostIP, hostIPs: hostIps.map((ip) => ({ ip })) };
  return {
    ...(before.hostIP === undefined ? {} : { hostIP: before.hostIP }),
    ...(before.hostIPs === undefined ? {} : { hostIPs: before.hostIPs }),
  };
}
