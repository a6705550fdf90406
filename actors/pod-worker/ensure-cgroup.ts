import { podCgroupParent, podCgroups } from '../../src/node/cgroup-path.ts';
import { podCgroupValues, requestedMilliCpu } from '../../src/cgroups/cgroup-values.ts';
import { qosClass } from '../../src/pod/qos.ts';
import { isDirectoryName } from './remove-pod.ts';
import type { PodWorkerTools, Round } from './round.ts';

/**
 * The pod's own cgroup is made before anything of the pod runs, so that the pod is held to its limits from the start. False: the
 * host would not have it, the round has been told why, and nothing may be started.
 */
export function ensureCgroup(round: Round): boolean {
  const { pod, tools } = round;
  const { node, cgroups } = tools;
  if (node.managesCgroups !== true || !isDirectoryName(pod.metadata.uid)) return true;
  const qos = qosClass(pod);
  const path = podCgroupParent(pod.metadata.uid, qos, node);
  const problem = cgroups.exists(path) ? undefined : cgroups.set(path, podCgroupValues(pod, node));
  if (problem === undefined) {
    if (qos === 'Burstable') tools.weighs(requestedMilliCpu(pod));
    return true;
  }
  const message = `unable to ensure pod container exists: ${problem}`;
  tools.event({ type: 'Warning', reason: 'FailedCreatePodContainer', message });
  round.podFailed(message);
  return false;
}

/** Whether the pod has none of the cgroups that it may have: those of another driver, root or layout are not looked at. */
export function isCgroupGone({ node, cgroups }: Pick<PodWorkerTools, 'node' | 'cgroups'>, uid: string): boolean {
  if (node.managesCgroups !== true || !isDirectoryName(uid)) return false;
  const paths = podCgroups(uid, undefined, node);
  return paths.length > 0 && !paths.some((path) => cgroups.exists(path));
}
