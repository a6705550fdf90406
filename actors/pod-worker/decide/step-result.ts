import { isInDoubt, isNameReserved, type CriFault } from '../../../src/cri/fault.ts';
import type { ContainerId, SandboxId } from '../../../src/kube/ids.ts';
import type { ResourceRequirements } from '../../../src/kube/pod.ts';
import type { FailedPull } from '../../../src/pod/image/image-pull-decision.ts';
import type { ObservedPod } from '../../pleg/protocol.ts';
import type { ContainerFailure, Touched } from '../protocol.ts';

/** The result of one step of a sync attempt: its effects, its observations, and the reason if it stopped. */
export type StepResult = NotPrepared | StopResult | ResizeResult | SandboxResult | ContainerResult;

/** The pod's cgroup or its volumes are not ready. */
export interface NotPrepared {
  readonly type: 'not-prepared';
  readonly stop: Stop;
}

/** Containers, or the whole pod, were stopped before anything starts. */
export interface StopResult {
  readonly type: 'stopped';
  readonly touched: Touched;
  readonly stop?: Stop | undefined;
}

/** Running containers were resized. A failure does not end the attempt. */
export interface ResizeResult {
  readonly type: 'resized';
  readonly touched: Touched['containers'];
  readonly actuated: readonly Actuated[];
  readonly failure: string | undefined;
  /** `true` if the resize was found impossible before any step. */
  readonly refused?: true;
}

/** A sandbox was requested from the runtime. */
export interface SandboxResult {
  readonly type: 'sandbox';
  /** `true` if the runtime created the sandbox. */
  readonly made: boolean;
  /** Present when the created sandbox still has to be inspected. */
  readonly touched?: SandboxId;
  readonly seen?: ObservedPod;
  readonly stop?: Stop | undefined;
}

/** The attempt came to a container. */
export interface ContainerResult {
  readonly type: 'container';
  readonly name: string;
  readonly touched?: Touched['containers'][number];
  /** Ends of pulls, in order. */
  readonly pulls?: readonly PullEnd[];
  readonly actuated?: Actuated;
  readonly seen?: ObservedPod | undefined;
  /** The container if its postStart hook has not returned. */
  readonly unfinishedHook?: ContainerId;
  /** Absent when the container was started. */
  readonly stop?: Stop | undefined;
}

/** The resources that a container has from now on. */
export type Actuated = readonly [ContainerId, ResourceRequirements];

export interface PullEnd {
  /** `pullBackOffKey`. */
  readonly key: string;
  /** `undefined` after a successful pull. */
  readonly failed: FailedPull | undefined;
}

/** Why a step went no further. */
export type Stop =
  /** The pod is being removed. */
  | { readonly type: 'cancelled' }
  /** A call was lost, or an earlier call for the same name is under way: the runtime must be inspected. */
  | { readonly type: 'in-doubt' }
  /** A call for the container was never handed to the runtime. Its back-off does not advance. */
  | { readonly type: 'not-made'; readonly detail: string }
  /** The container cannot start. The other containers continue. */
  | { readonly type: 'container-failed'; readonly failure: ContainerFailure }
  /** Nothing of the pod can go on. */
  | { readonly type: 'pod-failed'; readonly message: string };

/** The value that the next step needs, or the reason why there is none. */
export type Step<T> = { readonly ok: true; readonly value: T } | Stopped;

export interface Stopped {
  readonly ok: false;
  readonly stop: Stop;
}

export const CANCELLED: Stopped = { ok: false, stop: { type: 'cancelled' } };
export const IN_DOUBT: Stopped = { ok: false, stop: { type: 'in-doubt' } };

/** `true` if the result of a failed call is unknown. */
export const isUnknown = (fault: CriFault): boolean => isInDoubt(fault) || isNameReserved(fault);

/** Returns the stop after a failed call for a container. `undefined` when the call itself was refused. */
export function stopAfter(fault: CriFault): Stopped | undefined {
  if (isUnknown(fault)) return IN_DOUBT;
  return fault.code === 'NOT_MADE' ? notMade(fault.detail) : undefined;
}

export const notMade = (detail: string): Stopped => ({ ok: false, stop: { type: 'not-made', detail } });
