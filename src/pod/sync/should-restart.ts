import { assertNever } from '../../kube/text/assert-never.ts';
import type { Container, ContainerRestartRule, Pod, PodSpec, RestartPolicy } from '../../kube/pod.ts';
import { latestContainer } from '../values/latest-container.ts';
import type { RuntimePodStatus } from '../values/runtime-pod-status.ts';

/** Returns the restart policy of one container: its own, or else the pod's. */
export const effectiveRestartPolicy = (spec: PodSpec, container: Container): RestartPolicy =>
  container.restartPolicy ?? spec.restartPolicy ?? 'Always';

/**
 * `true` if a container that is not running should be started (again). Exit-code rules count only here: a kill for a
 * failed probe looks at the policy alone.
 */
export function shouldContainerBeRestarted(pod: Pod, container: Container, status: RuntimePodStatus): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  const latest = latestContainer(status, container.name);
  if (latest === undefined) return true;
  switch (latest.state) {
    case 'running':
      return false;
    case 'created':
    case 'unknown':
      return true;
    case 'exited':
      return isRestartedAfter(pod.spec, container, latest.exitCode);
    default:
      return assertNever(latest.state, 'container state');
  }
}

/** `true` if policy and rules (KEP-5307) call for a restart after this exit code. */
export function isRestartedAfter(spec: PodSpec, container: Container, exitCode: number): boolean {
  if (container.restartPolicy !== undefined && matchingRestartRule(container, exitCode) !== undefined) return true;
  const policy = effectiveRestartPolicy(spec, container);
  switch (policy) {
    case 'Always':
      return true;
    case 'OnFailure':
      return exitCode !== 0;
    case 'Never':
      return false;
    default:
      return assertNever(policy, 'restart policy');
  }
}

/**
 * Returns the first rule that covers the exit code. Rules belong to a container-level policy and are ignored without
 * one.
 */
export function matchingRestartRule(container: Container, exitCode: number): ContainerRestartRule | undefined {
  if (container.restartPolicy === undefined) return undefined;
  return container.restartPolicyRules?.find(({ exitCodes }) => {
    if (exitCodes === undefined) return false;
    const listed = exitCodes.values?.includes(exitCode) ?? false;
    return exitCodes.operator === 'In' ? listed : !listed;
  });
}

/** `true` if any container of the pod can trigger a restart of all containers in place (KEP-5532). */
export const mayRestartAllContainers = (spec: PodSpec): boolean =>
  spec.containers.some(asksToRestartAll) || (spec.initContainers?.some(asksToRestartAll) ?? false);

const asksToRestartAll = (container: Container): boolean =>
  container.restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers') ?? false;

/** `true` if an exit with this code restarts all containers of the pod. */
export const triggersRestartOfAll = (container: Container, exitCode: number): boolean =>
  matchingRestartRule(container, exitCode)?.action === 'RestartAllContainers';
