import { assertNever } from '../../kube/text/assert-never.ts';
import type { Container, ContainerRestartRule, Pod, PodSpec, RestartPolicy } from '../../kube/pod.ts';
import { latestContainer } from '../values/latest-container.ts';
import type { RuntimePodStatus } from '../values/runtime-pod-status.ts';

/** The policy of one container: its own if it has one, else the pod's. */
export const effectiveRestartPolicy = (spec: PodSpec, container: Container): RestartPolicy =>
  container.restartPolicy ?? spec.restartPolicy ?? 'Always';

/**
 * Whether a container that is not running is to be started (again). Exit-code rules count here, and only here: a kill for a
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

/** What policy and rules (KEP-5307) say of an exit code. */
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

/** The first rule that covers the exit code. Rules belong to a container-level policy and are ignored without one. */
export function matchingRestartRule(container: Container, exitCode: number): ContainerRestartRule | undefined {
  if (container.restartPolicy === undefined) return undefined;
  return container.restartPolicyRules?.find(({ exitCodes }) => {
    if (exitCodes === undefined) return false;
    const listed = exitCodes.values?.includes(exitCode) ?? false;
    return exitCodes.operator === 'In' ? listed : !listed;
  });
}

/** Whether any container of the pod may ask for all of them to be restarted in place (KEP-5532). */
export const mayRestartAllContainers = (spec: PodSpec): boolean =>
  spec.containers.some(asksToRestartAll) || (spec.initContainers?.some(asksToRestartAll) ?? false);

const asksToRestartAll = (container: Container): boolean =>
  container.restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers') ?? false;

/** Whether an exit with this code makes the whole pod's containers start anew. */
export const triggersRestartOfAll = (container: Container, exitCode: number): boolean =>
  matchingRestartRule(container, exitCode)?.action === 'RestartAllContainers';
