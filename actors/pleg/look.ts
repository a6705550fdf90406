import type { CriClient } from '../../src/cri/client.ts';
import type { CriFault, CriOutcome } from '../../src/cri/fault.ts';
import { Container, ContainerState, PodSandbox, PodSandboxState } from '../../src/cri/gen/api.ts';
import { containerId, podUid, sandboxId, type ContainerId, type SandboxId } from '../../src/kube/ids.ts';
import { runtimeContainer, runtimeSandbox } from '../../src/pod/runtime-status-from-cri.ts';
import type { RuntimeContainer, RuntimeSandbox } from '../../src/pod/runtime-pod-status.ts';
import type { Inspected, Inspection } from './protocol.ts';
import type { ListedContainer, ListedSandbox } from './state.ts';

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
  return { ok: true, value: status === undefined ? undefined : runtimeContainer(status, sandbox) };
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
function ownerOf(labels: Readonly<Record<string, string>>) {
  const uid = labels[POD_UID];
  if (uid === undefined || uid === '') return undefined;
  return { podUid: podUid(uid), name: labels[POD_NAME] ?? '', namespace: labels[POD_NAMESPACE] ?? '' };
}

export function listedSandbox(bytes: Uint8Array): ListedSandbox | undefined {
  const { id, labels, state } = PodSandbox.decode(bytes);
  const owner = ownerOf(labels);
  if (owner === undefined) return undefined;
  return { ...owner, id: sandboxId(id), state: state === PodSandboxState.SANDBOX_READY ? 'ready' : 'not-ready' };
}

export function listedContainer(bytes: Uint8Array): ListedContainer | undefined {
  const { id, labels, state, podSandboxId } = Container.decode(bytes);
  const owner = ownerOf(labels);
  if (owner === undefined) return undefined;
  return {
    ...owner,
    id: containerId(id),
    sandboxId: sandboxId(podSandboxId),
    state: containerStates[state] ?? 'unknown',
  };
}

const containerStates: Readonly<Record<number, RuntimeContainer['state']>> = {
  [ContainerState.CONTAINER_CREATED]: 'created',
  [ContainerState.CONTAINER_RUNNING]: 'running',
  [ContainerState.CONTAINER_EXITED]: 'exited',
};
