import { assertNever } from '../../../src/kube/text/assert-never.ts';
import type { ContainerId, SandboxId } from '../../../src/kube/ids.ts';
import type { ResourceRequirements } from '../../../src/kube/pod.ts';
import type { FailedPull } from '../../../src/pod/image/image-pull-decision.ts';
import type { ObservedPod } from '../../pleg/protocol.ts';
import type { PullEnd, StepResult } from './step-result.ts';
import type { ActResult, ContainerFailure, Touched } from '../protocol.ts';

type FailedPulls = ReadonlyMap<string, FailedPull>;

/** Returns `true` if nothing of the attempt may follow this step. */
export function endsAttempt(result: StepResult): boolean {
  const stop = stopOf(result);
  return stop !== undefined && stop.type !== 'container-failed';
}

/** Folds the results of an attempt's steps, in their order, into its outcome. */
export function attemptOutcome(failedPulls: FailedPulls, results: readonly StepResult[]): ActResult {
  const sandboxes: SandboxId[] = [];
  const containers: Touched['containers'][number][] = [];
  const tried = new Set<string>();
  const failures = new Map<string, ContainerFailure>();
  const actuated = new Map<ContainerId, ResourceRequirements>();
  let pulls = failedPulls;
  let seen: ObservedPod | undefined;
  let podFailure: string | undefined;
  let resize: ActResult['resize'];
  let resizeFailure: string | undefined;
  let unfinishedHook: ContainerId | undefined;
  let createdSandbox = false;
  let inDoubt = false;
  for (const result of results) {
    switch (result.type) {
      case 'not-prepared':
        break;
      case 'stopped':
        sandboxes.push(...result.touched.sandboxes);
        containers.push(...result.touched.containers);
        break;
      case 'resized':
        containers.push(...result.touched);
        for (const [id, resources] of result.actuated) actuated.set(id, resources);
        resizeFailure = result.failure;
        resize = result.failure === undefined ? 'done' : result.refused === true ? 'refused' : 'unfinished';
        break;
      case 'sandbox':
        createdSandbox = result.made;
        if (result.touched !== undefined) sandboxes.push(result.touched);
        seen = result.seen ?? seen;
        break;
      case 'container':
        tried.add(result.name);
        if (result.touched !== undefined) containers.push(result.touched);
        if (result.actuated !== undefined) actuated.set(...result.actuated);
        pulls = failedPullsAfter(pulls, result.pulls);
        seen = result.seen ?? seen;
        unfinishedHook = result.unfinishedHook ?? unfinishedHook;
        break;
      default:
        assertNever(result, 'step result');
    }
    const stop = stopOf(result);
    switch (stop?.type) {
      case undefined:
      case 'cancelled':
        break;
      case 'in-doubt':
        inDoubt = true;
        break;
      case 'not-made':
        if (result.type !== 'container') break;
        // The container shows as waiting, as before the attempt.
        tried.delete(result.name);
        failures.set(result.name, { reason: 'ContainerCreating', message: stop.detail, until: undefined });
        break;
      case 'container-failed':
        if (result.type === 'container') failures.set(result.name, stop.failure);
        break;
      case 'pod-failed':
        podFailure = stop.message;
        break;
      default:
        assertNever(stop, 'stop');
    }
  }
  const touched = { sandboxes, containers };
  return {
    touched,
    tried,
    failures,
    failedPulls: pulls,
    podFailure,
    createdSandbox,
    inDoubt,
    seen,
    unfinishedHook,
    actuated,
    resize,
    resizeFailure,
  };
}

/** Returns the known failed pulls after further pulls. The same map when there were none. */
export function failedPullsAfter(before: FailedPulls, pulls: readonly PullEnd[] = []): FailedPulls {
  if (pulls.length === 0) return before;
  const after = new Map(before);
  for (const { key, failed } of pulls) {
    if (failed === undefined) after.delete(key);
    else after.set(key, failed);
  }
  return after;
}

const stopOf = (result: StepResult) => (result.type === 'resized' ? undefined : result.stop);
