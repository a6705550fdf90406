import type { PodStatus } from '../../src/kube/pod.ts';
import type { ApiPodView } from '../../src/pod/source/api-pod-view.ts';
import { isTerminalPhase } from '../../src/pod/status/api-status.ts';
import { mergedWithApi } from '../../src/pod/status/merge-with-api.ts';
import { statusPatch } from '../../src/pod/status/status-patch.ts';
import { sameStatus } from '../../src/pod/status/same-status.ts';
import type { Dropped } from './older-server.ts';
import type { WantedWrite } from './protocol.ts';
import { isReady } from './status-change.ts';

export interface PodReport {
  readonly status: PodStatus | undefined;
  readonly object: ApiPodView | undefined;
  readonly finished: boolean;
  readonly released: boolean;
  /** Dropped by the server from the last patch: sending it again would change nothing. */
  readonly dropped?: Dropped | undefined;
}

/**
 * Returns the next write. `undefined` when the API is up to date, or has no such object. `known` removes the fields
 * that the server does not accept.
 */
export function wantedWrite(
  { status, object, finished, released, dropped }: PodReport,
  known: (status: PodStatus) => PodStatus = (all) => all,
): WantedWrite | undefined {
  if (object === undefined || status === undefined || released) return undefined;
  const merged = known(mergedWithApi(object.status, status));
  if (!sameStatus(object.status, merged)) {
    const patch = statusPatch(object.status, merged);
    const isDropped = dropped?.resourceVersion === object.resourceVersion && dropped.patch === JSON.stringify(patch);
    if (!isDropped) return { type: 'patch', body: { metadata: { uid: object.uid }, status: patch }, status: merged };
  }
  return deletion(object, finished);
}

/** A pod's object goes only after users could read how the pod ended. The status manager never deletes a mirror pod. */
function deletion(object: ApiPodView, finished: boolean): WantedWrite | undefined {
  if (!finished || object.deletionTimestamp === undefined || object.isMirror) return undefined;
  if (object.deletionGracePeriodSeconds === 0 || !isTerminalPhase(object.status.phase)) return undefined;
  return { type: 'delete', body: { gracePeriodSeconds: 0, preconditions: { uid: object.uid } } };
}

/**
 * Returns `true` if `wantedWrite` may return a write, at a fraction of its cost: fields that the server dropped count
 * as changes here.
 */
export function mayWantWrite(
  { status, object, finished, released }: PodReport,
  known: (status: PodStatus) => PodStatus = (all) => all,
): boolean {
  if (object === undefined || status === undefined || released) return false;
  return (
    !sameStatus(object.status, known(mergedWithApi(object.status, status))) || deletion(object, finished) !== undefined
  );
}

/**
 * Returns `true` if others act on the change: a phase, readiness for traffic, a container's end, the end of the pod.
 */
export function isUrgent({ status, object, finished }: PodReport): boolean {
  if (status === undefined || object === undefined) return false;
  const { status: known } = object;
  return (
    finished ||
    known.phase !== status.phase ||
    isReady(known) !== isReady(status) ||
    // The pod is decided to end, though something of it still runs; or its sandbox is gone.
    (isOver(status) && !isOver(known)) ||
    (hasSandbox(known) && !hasSandbox(status)) ||
    // Something has failed. It may be retried within moments, or is given up.
    failures(known) !== failures(status) ||
    endedContainers(known) !== endedContainers(status) ||
    // Clients that wait for an initialisation or a start must see it.
    isInitialized(known) !== isInitialized(status) ||
    startedContainers(known) < startedContainers(status)
  );
}

const isOver = ({ conditions = [] }: PodStatus): boolean =>
  conditions.some(({ type, reason = '' }) => type === 'Ready' && OVER.has(reason));

const OVER: ReadonlySet<string> = new Set(['PodCompleted', 'PodFailed']);

const hasSandbox = ({ conditions = [] }: PodStatus): boolean =>
  conditions.some(({ type, status }) => type === 'PodReadyToStartContainers' && status === 'True');

/** Containers that wait for a fault to be fixed: such a waiting reason has a message. */
const failures = ({ containerStatuses = [], initContainerStatuses = [] }: PodStatus): number => {
  let failed = 0;
  for (const { state } of containerStatuses) if (state?.waiting?.message !== undefined) failed += 1;
  for (const { state } of initContainerStatuses) if (state?.waiting?.message !== undefined) failed += 1;
  return failed;
};

/** Only for pods with initialisation work. */
const isInitialized = ({ initContainerStatuses = [], conditions = [] }: PodStatus): boolean =>
  initContainerStatuses.length > 0 &&
  conditions.some(({ type, status }) => type === 'Initialized' && status === 'True');

/** Only for containers that run. */
const startedContainers = ({ containerStatuses = [], initContainerStatuses = [] }: PodStatus): number =>
  [...containerStatuses, ...initContainerStatuses].filter(({ started }) => started === true).length;

const endedContainers = ({ containerStatuses = [], initContainerStatuses = [] }: PodStatus): number => {
  let ended = 0;
  for (const { state } of containerStatuses) if (state?.terminated !== undefined) ended += 1;
  for (const { state } of initContainerStatuses) if (state?.terminated !== undefined) ended += 1;
  return ended;
};
