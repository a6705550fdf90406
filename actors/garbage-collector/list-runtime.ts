import type { CriClient } from '../../src/cri/client.ts';
import { rpcErrorText, type CriOutcome } from '../../src/cri/fault.ts';
import { ContainerState, PodSandboxState, type Container, type PodSandbox } from '../../src/cri/gen/api.ts';
import type { ListedContainer, ListedSandbox } from './plan-containers.ts';
import {
  CONTAINER_NAME_LABEL,
  POD_NAMESPACE_LABEL,
  POD_NAME_LABEL,
  POD_UID_LABEL,
  RESTART_COUNT_ANNOTATION,
} from '../../src/pod/values/pod-labels.ts';

/** A step failed that the pass cannot continue without. `message` names the step and the reason. */
export class PassFailed extends Error {}

export function orFail<T>(outcome: CriOutcome<T>, what: string): T {
  if (!outcome.ok) throw new PassFailed(`${what}: ${rpcErrorText(outcome.fault)}`);
  return outcome.value;
}

export interface RuntimeLists {
  readonly containers: readonly ListedContainer[];
  readonly sandboxes: readonly ListedSandbox[];
  /** All forms of names by which containers refer to their images. */
  readonly imagesInUse: ReadonlySet<string>;
}

/** Lists all pods' containers and sandboxes in the runtime. Throws `PassFailed` when the runtime does not answer. */
export async function listRuntime(cri: CriClient): Promise<RuntimeLists> {
  const [containers, sandboxes] = await Promise.all([
    cri.call('ListContainers', { filter: undefined }),
    cri.call('ListPodSandbox', { filter: undefined }),
  ]);
  const all = orFail(containers, 'listing containers').containers;
  return {
    containers: all.flatMap(listedContainer),
    sandboxes: orFail(sandboxes, 'listing sandboxes').items.flatMap(listedSandbox),
    // Includes containers that no kubelet made: their images are in use too.
    imagesInUse: new Set(
      all.flatMap(({ imageRef, imageId, image }) => [imageRef, imageId, image?.image ?? '']).filter(Boolean),
    ),
  };
}

const MS = 1e6;

function listedContainer({ id, podSandboxId, labels, annotations, state, createdAt, metadata }: Container) {
  const podUid = labels[POD_UID_LABEL];
  if (!podUid || id === '') return [];
  const count = Number(annotations[RESTART_COUNT_ANNOTATION] ?? metadata?.attempt ?? 0);
  const container: ListedContainer = {
    id,
    podUid,
    podName: labels[POD_NAME_LABEL] ?? '',
    podNamespace: labels[POD_NAMESPACE_LABEL] ?? '',
    name: labels[CONTAINER_NAME_LABEL] ?? '',
    sandboxId: podSandboxId,
    state: containerStates.get(state) ?? 'unknown',
    createdAt: Number(createdAt) / MS,
    restartCount: Number.isSafeInteger(count) && count >= 0 ? count : 0,
  };
  return [container];
}

const containerStates: ReadonlyMap<ContainerState, ListedContainer['state']> = new Map([
  [ContainerState.CONTAINER_CREATED, 'created'],
  [ContainerState.CONTAINER_RUNNING, 'running'],
  [ContainerState.CONTAINER_EXITED, 'exited'],
]);

function listedSandbox({ id, labels, state, createdAt }: PodSandbox): ListedSandbox[] {
  const podUid = labels[POD_UID_LABEL];
  if (!podUid || id === '') return [];
  const isReady = state === PodSandboxState.SANDBOX_READY;
  return [{ id, podUid, state: isReady ? 'ready' : 'not-ready', createdAt: Number(createdAt) / MS }];
}
