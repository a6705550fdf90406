import { later, type MonotonicMs } from '../../../src/actor/clock.ts';
import { containerId } from '../../../src/kube/ids.ts';
import { assertNever } from '../../../src/kube/text/assert-never.ts';
import { own } from '../../../src/kube/text/own.ts';
import type { Container, Pod, PodCondition, PodStatus, ResourceRequirements } from '../../../src/kube/pod.ts';
import { isTerminalPhase } from '../../../src/pod/status/api-status.ts';
import { latestContainer } from '../../../src/pod/values/latest-container.ts';
import {
  asksForOther,
  asksForOtherAsAWhole,
  POD_ITSELF,
  resizableContainers,
  resizeMessage,
  resizeVerdict,
  resourcesOf,
  withPodLimits,
} from '../../../src/pod/sync/pod-resizes.ts';
import type { ResizeVerdict } from '../../../src/pod/sync/pod-observation.ts';
import type { RuntimeContainer } from '../../../src/pod/values/runtime-pod-status.ts';
import type { ActResult, ResizeReport } from '../protocol.ts';
import { errorDelay, relistDelay } from './retry-time.ts';
import type { Effect, Moment, PodWorkerState, Resizing } from '../worker-state.ts';

export const NO_RESIZING: Resizing = {
  original: undefined,
  pending: undefined,
  actuated: new Map(),
  failure: undefined,
  isUnfinished: false,
  shownUntil: Number.NEGATIVE_INFINITY,
};

/** A resize stays visible as under way for at least this long. */
const PROGRESS_SHOWN_MS = 250;

/** Records a new resize decision. What failed before may succeed now, unless the decision is the same. */
export function withResizeReport(
  { resizing, phase }: Pick<PodWorkerState, 'resizing' | 'phase'>,
  { pod, resize: resizeReport }: { readonly pod: Pod; readonly resize?: ResizeReport },
): Resizing {
  const { actuated, isUnfinished } = resizing;
  if (resizeReport === undefined) return { ...NO_RESIZING, actuated, isUnfinished };
  const isSame = phase.type === 'syncing' && !asksForOther(pod, resourcesOf(phase.pod));
  const failure = isSame ? resizing.failure : undefined;
  return { ...resizing, original: resizeReport.original, pending: resizeReport.pending, failure };
}

/** Returns the resources of a running container. */
export function actuatedResources(
  { original, actuated }: Pick<Resizing, 'original' | 'actuated'>,
  { name, resources }: Container,
  running: RuntimeContainer,
): ResourceRequirements | undefined {
  return original === undefined ? resources : (actuated.get(running.id) ?? own(original, name) ?? resources);
}

/** Returns the resources of the whole pod. `undefined` when the pod sets none as a whole. */
export const actuatedWhole = ({ original, actuated }: Pick<Resizing, 'original' | 'actuated'>, { spec }: Pod) =>
  spec.resources && (actuated.get(WHOLE) ?? original?.[POD_ITSELF] ?? spec.resources);

export const WHOLE = containerId(POD_ITSELF);

/** Returns `true` if the whole pod's resources are to change. */
export const isWholeDue = (resizing: Pick<Resizing, 'original' | 'actuated'>, pod: Pod): boolean =>
  resizing.original !== undefined && asksForOtherAsAWhole(pod, actuatedWhole(resizing, pod));

const resizable = (pod: Pod, name: string): Container | undefined =>
  resizableContainers(pod).find((container) => container.name === name);

/** Decides whether a running container's resources are to change. */
export const verdictOn =
  (resizing: Resizing, pod: Pod) =>
  (container: Container, running: RuntimeContainer): ResizeVerdict =>
    resizing.original === undefined || resizable(pod, container.name) === undefined
      ? 'none'
      : resizeVerdict(
          { ...container, resources: withPodLimits(container.resources, pod.spec.resources) ?? {} },
          withPodLimits(actuatedResources(resizing, container, running), actuatedWhole(resizing, pod)),
        );

/** The verdict to act on: none before the resize was shown as under way, and none for a while after a failure. */
export const dueVerdict = (state: PodWorkerState, pod: Pod, now: MonotonicMs): ReturnType<typeof verdictOn> =>
  resizeDueAt(state, pod, now) > now ? () => 'none' : verdictOn(state.resizing, pod);

/** Returns when the resize continues: users see that it began before they see that it is done. */
export function resizeDueAt(state: PodWorkerState, pod: Pod, now: MonotonicMs): MonotonicMs {
  const { failure, shownUntil } = state.resizing;
  const shown = !isResizing(state, pod) ? now : isShown(state.status) ? shownUntil : later(now, PROGRESS_SHOWN_MS);
  return Math.max(failure?.until ?? now, shown);
}

const isShown = (status: PodStatus | undefined): boolean =>
  status?.conditions?.some(({ type }) => type === IN_PROGRESS) ?? false;

/** The resize was just reported as under way for the first time. */
export const shownSince = (before: PodWorkerState, next: PodWorkerState, now: MonotonicMs): PodWorkerState =>
  !isShown(before.status) && isShown(next.status)
    ? { ...next, resizing: { ...next.resizing, shownUntil: later(now, PROGRESS_SHOWN_MS) } }
    : next;

export const isResizing = ({ resizing, observed }: PodWorkerState, pod: Pod): boolean =>
  resizing.original !== undefined &&
  observed !== undefined &&
  resizableContainers(pod).some((container) => {
    const latest = latestContainer(observed.status, container.name);
    if (latest?.state !== 'running') return false;
    return isWholeDue(resizing, pod) || resizing.isUnfinished || verdictOn(resizing, pod)(container, latest) !== 'none';
  });

/** Returns the status with the resize conditions. */
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

/** Returns the events for users once every container has its allocated resources. */
export function completed(before: PodStatus | undefined, after: PodStatus, pod: Pod): readonly Effect[] {
  if (!isShown(before) || isShown(after) || isTerminalPhase(after.phase)) return [];
  const message = resizeMessage('completed', pod);
  return [{ type: 'tell-event', event: { type: 'Normal', reason: 'ResizeCompleted', message } }];
}

/** Records the result of a sync attempt. A failure is reported once and retried later. */
export function afterAttempt(
  { resizing, phase, observed }: PodWorkerState,
  { actuated, resize, resizeFailure }: ActResult,
  at: Moment,
): { readonly resizing: Resizing; readonly effects: readonly Effect[] } {
  const known = new Map(resizing.actuated);
  const ids = new Set(observed?.status.containers.map(({ id }) => id));
  for (const id of known.keys()) if (id !== WHOLE && !ids.has(id)) known.delete(id);
  for (const [id, resources] of actuated ?? []) known.set(id, resources);
  const next: Resizing = { ...resizing, actuated: known };
  switch (resize) {
    case undefined:
      return { resizing: next, effects: [] };
    case 'done':
      return { resizing: { ...next, failure: undefined, isUnfinished: false }, effects: [] };
    case 'refused':
    case 'unfinished': {
      const message = resizeFailure ?? '';
      const isUnfinished = resize === 'unfinished' || resizing.isUnfinished;
      const until = resize === 'unfinished' ? relistDelay(at) : errorDelay(at);
      const failed: Resizing = { ...next, failure: { message, until }, isUnfinished };
      if (resizing.failure?.message === message || phase.type !== 'syncing') return { resizing: failed, effects: [] };
      const event = {
        type: 'Warning',
        reason: 'ResizeError',
        message: resizeMessage('error', phase.pod, message),
      } as const;
      return { resizing: failed, effects: [{ type: 'tell-event', event }] };
    }
    default:
      return assertNever(resize, 'resize outcome');
  }
}
