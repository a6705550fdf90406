import type { Container, Pod, PodCondition, PodStatus, ResourceRequirements } from '../../src/kube/pod.ts';
import { isTerminalPhase } from '../../src/pod/api-status.ts';
import { latestContainer } from '../../src/pod/latest-container.ts';
import {
  resizableContainers,
  resizeMessage,
  resizeVerdict,
  type ActuatedResources,
  type PendingResize,
  type PodResources,
} from '../../src/pod/pod-resizes.ts';
import type { ResizeVerdict } from '../../src/pod/pod-observation.ts';
import type { RuntimeContainer } from '../../src/pod/runtime-pod-status.ts';
import type { ActResult, ResizeNews } from './protocol.ts';
import type { Effect, PodWorkerState } from './state.ts';

/** How far the pod has come with the resources it has been given (KEP-1287). */
export interface Resizing {
  /** With what the pod came. Undefined: it never asked for anything else. */
  readonly original: PodResources | undefined;
  readonly pending: PendingResize | undefined;
  readonly actuated: ActuatedResources;
  /** Why running containers could not be given what they are to have, and when that is tried again (monotonic). */
  readonly failure: { readonly message: string; readonly until: number } | undefined;
}

export const NO_RESIZING: Resizing = {
  original: undefined,
  pending: undefined,
  actuated: new Map(),
  failure: undefined,
};

/** Another word on the pod's resources: what failed before may do now. */
export const withNews = (resizing: Resizing, news: ResizeNews | undefined): Resizing =>
  news === undefined
    ? { ...NO_RESIZING, actuated: resizing.actuated }
    : { ...resizing, original: news.original, pending: news.pending, failure: undefined };

/** What a running container has. */
export function actuatedResources(
  { original, actuated }: Pick<Resizing, 'original' | 'actuated'>,
  { name, resources }: Container,
  running: RuntimeContainer,
): ResourceRequirements | undefined {
  return original === undefined ? resources : (actuated.get(running.id) ?? original[name] ?? resources);
}

const resizable = (pod: Pod, name: string): Container | undefined =>
  resizableContainers(pod).find((container) => container.name === name);

/** Whether a running container is to have other resources than it has. */
export const verdictOn =
  (resizing: Resizing, pod: Pod) =>
  (container: Container, running: RuntimeContainer): ResizeVerdict =>
    resizing.original === undefined || resizable(pod, container.name) === undefined
      ? 'none'
      : resizeVerdict(container, actuatedResources(resizing, container, running));

/** The verdict that is acted upon: none before it is shown that a resize is under way, and for a while after it failed. */
export const dueVerdict = (state: PodWorkerState, pod: Pod, now: number): ReturnType<typeof verdictOn> =>
  (state.resizing.failure?.until ?? now) > now || isBeingAnnounced(state, pod)
    ? () => 'none'
    : verdictOn(state.resizing, pod);

/** Users see that it has begun before they see that it is done. */
export const isBeingAnnounced = (state: PodWorkerState, pod: Pod): boolean =>
  isResizing(state, pod) && !(state.status?.conditions?.some(({ type }) => type === IN_PROGRESS) ?? false);

export const isResizing = ({ resizing, observed }: PodWorkerState, pod: Pod): boolean =>
  resizing.original !== undefined &&
  observed !== undefined &&
  resizableContainers(pod).some((container) => {
    const latest = latestContainer(observed.status, container.name);
    return latest?.state === 'running' && verdictOn(resizing, pod)(container, latest) !== 'none';
  });

/** The status with the conditions that tell of a resize. */
export function withResizeConditions(state: PodWorkerState, pod: Pod, status: PodStatus): PodStatus {
  const others = (status.conditions ?? []).filter(({ type }) => type !== PENDING && type !== IN_PROGRESS);
  const { pending, failure, original } = state.resizing;
  if (original === undefined && others.length === (status.conditions?.length ?? 0)) return status;
  const { generation } = pod.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const own: PodCondition[] = [];
  if (!isTerminalPhase(status.phase)) {
    if (pending !== undefined) own.push({ type: PENDING, status: 'True', ...pending, ...observed });
    if (isResizing(state, pod)) {
      const why = failure === undefined ? {} : { reason: 'Error', message: failure.message };
      own.push({ type: IN_PROGRESS, status: 'True', ...why, ...observed });
    }
  }
  return { ...status, conditions: [...own, ...others] };
}

const PENDING = 'PodResizePending';
const IN_PROGRESS = 'PodResizeInProgress';

/** What users are told once every container has what it was given. */
export function completed(before: PodStatus | undefined, after: PodStatus, pod: Pod): readonly Effect[] {
  const was = before?.conditions?.some(({ type }) => type === IN_PROGRESS) ?? false;
  const is = after.conditions?.some(({ type }) => type === IN_PROGRESS) ?? false;
  if (!was || is || isTerminalPhase(after.phase)) return [];
  const message = resizeMessage('completed', pod);
  return [{ type: 'tell-event', event: { type: 'Normal', reason: 'ResizeCompleted', message } }];
}

/** What came of a round. A failure is told once, and tried again later. */
export function afterRound(
  { resizing, phase, observed }: PodWorkerState,
  { actuated, resizeFailure }: ActResult,
  retryAt: number,
): { readonly resizing: Resizing; readonly effects: readonly Effect[] } {
  const known = new Map(resizing.actuated);
  const ids = new Set(observed?.status.containers.map(({ id }) => id));
  for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
  for (const [id, resources] of actuated ?? []) known.set(id, resources);
  if (resizeFailure === undefined)
    return { resizing: { ...resizing, actuated: known, failure: undefined }, effects: [] };
  const failure = { message: resizeFailure, until: retryAt };
  const isKnown = resizing.failure?.message === resizeFailure || phase.type !== 'syncing';
  const message = phase.type === 'syncing' ? resizeMessage('error', phase.pod, resizeFailure) : '';
  return {
    resizing: { ...resizing, actuated: known, failure },
    effects: isKnown ? [] : [{ type: 'tell-event', event: { type: 'Warning', reason: 'ResizeError', message } }],
  };
}
