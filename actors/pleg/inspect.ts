import type { Clock } from '../../src/actor/clock.ts';
import type { CriClient } from '../../src/cri/client.ts';
import type { CriFault, CriOutcome } from '../../src/cri/fault.ts';
import {
  Container,
  ContainerEventResponse,
  ContainerEventType,
  ContainerState,
  PodSandbox,
  PodSandboxState,
} from '../../src/cri/gen/api.ts';
import { containerId, podUid, sandboxId, type ContainerId, type SandboxId } from '../../src/kube/ids.ts';
import { runtimeContainer, runtimeSandbox } from '../../src/pod/status/runtime-status-from-cri.ts';
import { isEntryName, MAX_ENTRY_NAME_BYTES } from '../../src/kube/validation/entry-name.ts';
import { excerpt } from '../../src/kube/text/excerpt.ts';
import type { RuntimeContainer, RuntimeSandbox } from '../../src/pod/values/runtime-pod-status.ts';
import type { Inspected, Inspection, RuntimePodName } from './protocol.ts';
import { POD_NAME_LABEL, POD_NAMESPACE_LABEL, POD_UID_LABEL } from '../../src/pod/values/pod-labels.ts';
import type { ListedContainer, ListedSandbox } from './runtime-lists.ts';
import type { InspectionResult } from './pod-records.ts';

/** Requests the full status of some sandboxes and containers of a pod. One failed call fails the whole inspection. */
export async function inspect(cri: CriClient, { podUid, sandboxes, containers }: Inspection): Promise<Inspected> {
  const [sandboxOutcomes, containerOutcomes] = await Promise.all([
    Promise.all(sandboxes.map(async (id) => [id, await sandboxStatus(cri, id, podUid)] as const)),
    Promise.all(
      containers.map(async ([id, sandbox]) => [id, await containerStatus(cri, { id, sandbox, podUid })] as const),
    ),
  ]);
  for (const [, outcome] of [...sandboxOutcomes, ...containerOutcomes]) if (!outcome.ok) return outcome;
  return { ok: true, sandboxes: sandboxOutcomes.map(valueOf), containers: containerOutcomes.map(valueOf) };
}

type InspectOutcome<T> = CriOutcome<T | undefined>;

async function sandboxStatus(cri: CriClient, id: SandboxId, uid: string): Promise<InspectOutcome<RuntimeSandbox>> {
  const outcome = await cri.call('PodSandboxStatus', { podSandboxId: id, verbose: false }, { podUid: uid });
  if (!outcome.ok) return undefinedIfNotFound(outcome.fault);
  const { status } = outcome.value;
  if (status !== undefined && status.id !== id) return otherObject('PodSandboxStatus', id, status.id);
  return { ok: true, value: status === undefined ? undefined : runtimeSandbox(status) };
}

async function containerStatus(
  cri: CriClient,
  wanted: { readonly id: ContainerId; readonly sandbox: SandboxId | undefined; readonly podUid: string },
): Promise<InspectOutcome<RuntimeContainer>> {
  const { id, sandbox, podUid: uid } = wanted;
  const outcome = await cri.call('ContainerStatus', { containerId: id, verbose: false }, { podUid: uid });
  if (!outcome.ok) return undefinedIfNotFound(outcome.fault);
  const { status } = outcome.value;
  if (status !== undefined && status.id !== id) return otherObject('ContainerStatus', id, status.id);
  return { ok: true, value: status === undefined ? undefined : runtimeContainer(status, sandbox) };
}

/** A status of another sandbox or container says nothing about the requested one. */
function otherObject(method: string, asked: string, answered: string): InspectOutcome<never> {
  const detail = `the answer to ${method} for ${asked} is about ${JSON.stringify(excerpt(answered, 128))}`;
  return { ok: false, fault: { code: 'DATA_LOSS', detail } };
}

const undefinedIfNotFound = (fault: CriFault): CriOutcome<undefined> =>
  fault.code === 'NOT_FOUND' ? { ok: true, value: undefined } : { ok: false, fault };

function valueOf<Id, T>([id, outcome]: readonly [Id, InspectOutcome<T>]): readonly [Id, T | undefined] {
  return [id, outcome.ok ? outcome.value : undefined];
}

/** Returns the pod that the labels name. `undefined` when no kubelet created the object; PLEG then ignores it. */
function ownerOf(labels: Readonly<Record<string, string>>): RuntimePodName | undefined {
  const uid = labels[POD_UID_LABEL];
  if (uid === undefined || !isPathSegment(uid)) return undefined;
  return {
    podUid: podUid(uid),
    name: pathSegment(labels[POD_NAME_LABEL]),
    namespace: pathSegment(labels[POD_NAMESPACE_LABEL]),
  };
}

/** No kubelet creates a pod whose UID or name cannot be part of a path or is too long for one. */
const isPathSegment = (text: string): boolean => isEntryName(text) && text.length <= MAX_ENTRY_NAME_BYTES;
const pathSegment = (text: string | undefined): string => (text !== undefined && isPathSegment(text) ? text : '');

/** Decodes the list entry of one sandbox. Empty when no kubelet made the sandbox. */
export function listedSandbox(bytes: Uint8Array): readonly ListedSandbox[] {
  const { id, labels, state } = PodSandbox.decode(bytes);
  const owner = ownerOf(labels);
  if (owner === undefined) return [];
  return [{ ...owner, id: sandboxId(id), state: state === PodSandboxState.SANDBOX_READY ? 'ready' : 'not-ready' }];
}

/** Decodes the list entry of one container. Empty when no kubelet made the container. */
export function listedContainer(bytes: Uint8Array): readonly ListedContainer[] {
  const { id, labels, state, podSandboxId } = Container.decode(bytes);
  const owner = ownerOf(labels);
  if (owner === undefined) return [];
  const sandbox = sandboxId(podSandboxId);
  return [{ ...owner, id: containerId(id), sandboxId: sandbox, state: containerStates[state] ?? 'unknown' }];
}

const containerStates: Readonly<Record<number, RuntimeContainer['state']>> = {
  [ContainerState.CONTAINER_CREATED]: 'created',
  [ContainerState.CONTAINER_RUNNING]: 'running',
  [ContainerState.CONTAINER_EXITED]: 'exited',
};

/**
 * Decodes the state that an event carries. `'not-ours'`: the event is about a pod that no kubelet made. `'unclear'`: the
 * event does not name its pod, as when the sandbox was gone before the runtime wrote the event.
 */
export function resultFromEvent(
  bytes: Uint8Array,
  time: Pick<Clock, 'now' | 'monotonic'>,
): InspectionResult | 'not-ours' | 'unclear' {
  const event = decodeEvent(bytes);
  const status = event?.podSandboxStatus;
  if (event === undefined || status === undefined || status.id === '') return 'unclear';
  const owner = ownerOf(status.labels);
  if (owner === undefined) return 'not-ours';
  const { containerId: subject, containerEventType, containersStatuses, createdAt } = event;
  const deleted = containerEventType === ContainerEventType.CONTAINER_DELETED_EVENT;
  const sandbox = sandboxId(status.id);
  const sandboxGone = deleted && subject === sandbox;
  const left = containersStatuses.filter(({ id }) => id !== '' && (!deleted || id !== subject));
  const gone = deleted && !sandboxGone && subject !== '' ? [[containerId(subject), undefined] as const] : [];
  return {
    ...owner,
    // The runtime stamps events with wall time. A delayed event must not count as new.
    at: time.monotonic() - Math.max(0, time.now() - Number(createdAt / 1000n) / 1000),
    sandboxes: [[sandbox, sandboxGone ? undefined : runtimeSandbox(status)]],
    containers: [...left.map((each) => [containerId(each.id), runtimeContainer(each, sandbox)] as const), ...gone],
  };
}

function decodeEvent(bytes: Uint8Array): ContainerEventResponse | undefined {
  try {
    return ContainerEventResponse.decode(bytes);
  } catch {
    return undefined;
  }
}
