import type { Container, ContainerState, ContainerStatus, Pod, ResourceRequirements } from '../../kube/pod.ts';
import {
  CONTAINER_CREATING,
  LOST_CONTAINER,
  POD_INITIALIZING,
  RESET_CONTAINER,
  WAITING_FOR_RESET,
  containerStateOf,
} from './container-state.ts';
import { hasRegularContainerRecord } from '../values/latest-container.ts';
import type { RuntimeContainer, RuntimePodStatus } from '../values/runtime-pod-status.ts';
import { shouldContainerBeRestarted } from '../sync/should-restart.ts';
import { isSidecar } from '../../kube/pod-resources.ts';
import { mountStatuses } from './mount-status.ts';

/** The reason why the last attempt to start a container failed, as its status shows it. */
export interface StartFailure {
  readonly reason: string;
  readonly message: string;
}

export interface ContainerStatusInput {
  readonly pod: Pod;
  readonly runtime: RuntimePodStatus;
  /** `containerd` in `containerd://<id>`. */
  readonly runtimeName: string;
  /** The last status made of this list, or else the API's. */
  readonly previous: readonly ContainerStatus[] | undefined;
  readonly startFailure: (containerName: string) => StartFailure | undefined;
  /**
   * Returns the resources that the runtime reports for a running container; the spec's are used when it reports none.
   */
  readonly actualResources?: (container: RuntimeContainer) => ResourceRequirements | undefined;
  /** `true` if the runtime can mount recursively read-only for this pod. */
  readonly recursiveReadOnly?: boolean;
  /** `true` if all containers are being restarted in place (KEP-5532). */
  readonly restartingAll?: boolean;
}

export type ContainerKind = 'init' | 'regular' | 'ephemeral';

/**
 * Returns the statuses of one of the pod's three container lists. The newest runtime record of a name gives the state,
 * the one before it the last state. Init containers keep the order of the spec, the others are sorted by name. `ready`
 * and `started` are filled in later, from probe results.
 */
export function containerStatuses(kind: ContainerKind, input: ContainerStatusInput): readonly ContainerStatus[] {
  const containers = listOf(kind, input.pod);
  const statuses = containers.map((container) => statusOf(kind, container, input));
  return kind === 'init' || statuses.length < 2 ? statuses : statuses.sort(byName);
}

const listOf = (kind: ContainerKind, { spec }: Pod): readonly Container[] =>
  (kind === 'regular' ? spec.containers : kind === 'init' ? spec.initContainers : spec.ephemeralContainers) ?? [];

const byName = (a: ContainerStatus, b: ContainerStatus): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

function statusOf(kind: ContainerKind, container: Container, input: ContainerStatusInput): ContainerStatus {
  const previous = input.previous?.find(({ name }) => name === container.name);
  const [newest, older] = newestTwo(input.runtime, container.name);
  const status =
    newest === undefined
      ? withoutRecord(kind, container, { input, previous })
      : fromRecords(container, { input, previous, newest, older });
  return kind === 'init' && newest?.state === 'exited' && newest.exitCode === 0
    ? status
    : withStartFailure(container, status, input);
}

function newestTwo(runtime: RuntimePodStatus, name: string): [RuntimeContainer?, RuntimeContainer?] {
  let newest: RuntimeContainer | undefined;
  for (const container of runtime.containers) {
    if (container.name !== name) continue;
    if (newest !== undefined) return [newest, container];
    newest = container;
  }
  return newest === undefined ? [] : [newest];
}

interface Known {
  readonly input: ContainerStatusInput;
  readonly previous: ContainerStatus | undefined;
}

function withoutRecord(kind: ContainerKind, container: Container, { input, previous }: Known): ContainerStatus {
  if (input.restartingAll === true && previous !== undefined && kind !== 'ephemeral') {
    const wasMade = previous.state?.running ?? previous.state?.terminated;
    if (wasMade !== undefined) return removedByReset(kind, container, previous);
  }
  if (previous?.state?.terminated !== undefined) return previous;
  // An ephemeral container starts once in its life, so it waits for nothing.
  if (kind === 'ephemeral' && previous?.state?.running !== undefined)
    return { ...previous, state: { terminated: LOST_CONTAINER } };
  if (kind === 'init' && !isSidecar(container) && hasRegularContainerRecord(input.pod, input.runtime)) {
    return { ...fresh(container, previous), state: { terminated: INIT_TAKEN_AS_DONE } };
  }
  const hasInit = kind === 'init' || (input.pod.spec.initContainers?.length ?? 0) > 0;
  const status = { ...fresh(container, previous), state: hasInit ? WAITING_FOR_INIT : WAITING };
  if (previous?.state?.running === undefined || status.lastState?.terminated !== undefined) return status;
  // The container was running and is gone. Without a last state the pod would seem never to have run it.
  const lost = input.pod.metadata.deletionTimestamp === undefined ? 1 : 0;
  return { ...status, lastState: { terminated: LOST_CONTAINER }, restartCount: status.restartCount + lost };
}

/**
 * The container was removed by an in-place restart. An init container stays `ready`, so that the pod stays initialised.
 */
function removedByReset(kind: ContainerKind, container: Container, previous: ContainerStatus): ContainerStatus {
  return {
    ...fresh(container, previous),
    ready: kind === 'init' && previous.ready,
    restartCount: previous.restartCount + 1,
    state: WAITING_FOR_RESET,
    lastState: { terminated: RESET_CONTAINER },
  };
}

function fresh(container: Container, previous: ContainerStatus | undefined): ContainerStatus {
  return {
    name: container.name,
    ready: false,
    restartCount: previous?.restartCount ?? 0,
    image: container.image ?? '',
    imageID: '',
    ...(previous?.lastState === undefined ? {} : { lastState: previous.lastState }),
  };
}

interface Records extends Known {
  readonly newest: RuntimeContainer;
  readonly older: RuntimeContainer | undefined;
}

function fromRecords(container: Container, { input, previous, newest, older }: Records): ContainerStatus {
  const containerID = `${input.runtimeName}://${newest.id}`;
  const state = containerStateOf(newest, containerID, previous);
  const unseenRestarts = newest.state === 'unknown' && previous?.state?.running !== undefined ? 1 : 0;
  const lastState = lastStateOf({ input, previous, newest, older });
  const resources = (newest.state === 'running' ? input.actualResources?.(newest) : undefined) ?? container.resources;
  const requests = container.resources?.requests;
  const mounts = mountStatuses(container, input.recursiveReadOnly === true);
  return {
    name: container.name,
    state,
    ...(lastState === undefined ? {} : { lastState }),
    ready: false,
    // A count never decreases, even if the record that held it is gone.
    restartCount: Math.max(newest.restartCount, (previous?.restartCount ?? 0) + unseenRestarts),
    image: newest.image,
    imageID: newest.imageRef,
    containerID,
    ...(requests === undefined ? {} : { allocatedResources: requests }),
    ...(resources === undefined ? {} : { resources }),
    ...(mounts === undefined ? {} : { volumeMounts: mounts }),
  };
}

/** Returns the record before the newest, or else the last known one: dead records are cleaned up before pods end. */
function lastStateOf({ input, previous, newest, older }: Records): ContainerState | undefined {
  if (older !== undefined) {
    const id = `${input.runtimeName}://${older.id}`;
    return containerStateOf(older, id, previous?.containerID === id ? previous : lastAsStatus(previous));
  }
  const replaced = previous?.containerID !== `${input.runtimeName}://${newest.id}`;
  if (replaced && previous?.state?.terminated !== undefined) return previous.state;
  // The container ran, and its record is gone: without a last state its end would never be shown.
  if (replaced && previous?.state?.running !== undefined) return { terminated: LOST_CONTAINER };
  return previous?.lastState;
}

/** Only the previous last state fits an older record; the previous state belongs to a newer container. */
const lastAsStatus = (previous: ContainerStatus | undefined): ContainerStatus | undefined =>
  previous?.lastState === undefined ? undefined : { ...previous, state: previous.lastState };

/** A container whose start failed is waiting, and the failure gives the reason. */
function withStartFailure(container: Container, status: ContainerStatus, input: ContainerStatusInput): ContainerStatus {
  const failure = input.startFailure(container.name);
  if (failure === undefined || !shouldContainerBeRestarted(input.pod, container, input.runtime)) return status;
  const { reason, message } = failure;
  const ended = status.state?.terminated === undefined ? undefined : { lastState: status.state };
  return { ...status, ...ended, state: { waiting: { reason, ...(message === '' ? {} : { message }) } } };
}

const WAITING: ContainerState = { waiting: { reason: CONTAINER_CREATING } };
const WAITING_FOR_INIT: ContainerState = { waiting: { reason: POD_INITIALIZING } };
const INIT_TAKEN_AS_DONE = {
  exitCode: 0,
  reason: 'Completed',
  message:
    'Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally',
};
