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
import type { ListedContainer, ListedSandbox } from './runtime-lists.ts';
import type { Look } from './pod-records.ts';

/** Asks the runtime for the full status of some of a pod's things. One that fails makes the whole look fail. */
export async function lookAt(cri: CriClient, { podUid, sandboxes, containers }: Inspection): Promise<Inspected> {
  const [sandboxLooks, containerLooks] = await Promise.all([
    Promise.all(sandboxes.map(async (id) => [id, await sandboxStatus(cri, id, podUid)] as const)),
    Promise.all(
      containers.map(async ([id, sandbox]) => [id, await containerStatus(cri, { id, sandbox, podUid })] as const),
    ),
  ]);
  for (const [, outcome] of [...sandboxLooks, ...containerLooks]) if (!outcome.ok) return outcome;
  return { ok: true, sandboxes: sandboxLooks.map(valueOf), containers: containerLooks.map(valueOf) };
}

type LookOutcome<T> = CriOutcome<T | undefined>;

async function sandboxStatus(cri: CriClient, id: SandboxId, uid: string): Promise<LookOutcome<RuntimeSandbox>> {
  const outcome = await cri.call('PodSandboxStatus', { podSandboxId: id, verbose: false }, { podUid: uid });
  if (!outcome.ok) return goneOr(outcome.fault);
  const { status } = outcome.value;
  if (status !== undefined && status.id !== id) return anotherThing('PodSandboxStatus', id, status.id);
  return { ok: true, value: status === undefined ? undefined : runtimeSandbox(status) };
}

async function containerStatus(
  cri: CriClient,
  wanted: { readonly id: ContainerId; readonly sandbox: SandboxId | undefined; readonly podUid: string },
): Promise<LookOutcome<RuntimeContainer>> {
  const { id, sandbox, podUid: uid } = wanted;
  const outcome = await cri.call('ContainerStatus', { containerId: id, verbose: false }, { podUid: uid });
  if (!outcome.ok) return goneOr(outcome.fault);
  const { status } = outcome.value;
  if (status !== undefined && status.id !== id) return anotherThing('ContainerStatus', id, status.id);
  return { ok: true, value: status === undefined ? undefined : runtimeContainer(status, sandbox) };
}

/** A status that is not about what was asked for says nothing of it. */
function anotherThing(method: string, asked: string, answered: string): LookOutcome<never> {
  const detail = `the answer to ${method} for ${asked} is about ${JSON.stringify(excerpt(answered, 128))}`;
  return { ok: false, fault: { code: 'DATA_LOSS', detail } };
}

const goneOr = (fault: CriFault): CriOutcome<undefined> =>
  fault.code === 'NOT_FOUND' ? { ok: true, value: undefined } : { ok: false, fault };

function valueOf<Id, T>([id, outcome]: readonly [Id, LookOutcome<T>]): readonly [Id, T | undefined] {
  return [id, outcome.ok ? outcome.value : undefined];
}

const POD_NAME = 'io.kubernetes.pod.name';
const POD_NAMESPACE = 'io.kubernetes.pod.namespace';
const POD_UID = 'io.kubernetes.pod.uid';

/** Whose it is, by its labels. `undefined`: not a kubelet's, so it is none of ours and is left alone. */
function ownerOf(labels: Readonly<Record<string, string>>): RuntimePodName | undefined {
  const uid = labels[POD_UID];
  if (uid === undefined || !isPathWord(uid)) return undefined;
  return { podUid: podUid(uid), name: pathWord(labels[POD_NAME]), namespace: pathWord(labels[POD_NAMESPACE]) };
}

/** No kubelet makes a pod whose UID or name could not be part of a path, or would not fit in one. */
const isPathWord = (text: string): boolean => isEntryName(text) && text.length <= MAX_ENTRY_NAME_BYTES;
const pathWord = (text: string | undefined): string => (text !== undefined && isPathWord(text) ? text : '');

/** What a list says of one sandbox; nothing if it is not a kubelet's. */
export function listedSandbox(bytes: Uint8Array): readonly ListedSandbox[] {
  const { id, labels, state } = PodSandbox.decode(bytes);
  const owner = ownerOf(labels);
  if (owner === undefined) return [];
  return [{ ...owner, id: sandboxId(id), state: state === PodSandboxState.SANDBOX_READY ? 'ready' : 'not-ready' }];
}

/** What a list says of one container; nothing if it is not a kubelet's. */
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
 * What an event tells of its pod. `'not-ours'`: it is about a pod that no kubelet made. `'unclear'`: something happened,
 * but the event does not say to whom, as when its sandbox was gone before the runtime had written it.
 */
export function lookFromEvent(
  bytes: Uint8Array,
  time: Pick<Clock, 'now' | 'monotonic'>,
): Look | 'not-ours' | 'unclear' {
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
    // The runtime stamps events with wall time; an event that was long under way must not pass for news.
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
