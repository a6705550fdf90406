import { isEntryName } from '../../../src/kube/validation/entry-name.ts';
import { podCgroupParent, podCgroups } from '../../../src/node/resources/cgroup-path.ts';
import { podCgroupValues, requestedMilliCpu } from '../../../src/cgroups/cgroup-values.ts';
import { qosClass } from '../../../src/pod/values/qos.ts';
import type { RuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';
import type { PodWorkerProtocol } from '../protocol.ts';
import type { Stopped } from '../decide/step-result.ts';
import type { PodWorkerTools } from '../tools.ts';
import type { SyncAttempt } from './sync-attempt.ts';

/**
 * Creates the pod's own cgroup before anything of the pod runs, so that its limits hold from the start. Returns why
 * nothing may start, when the host refuses.
 */
export function ensureCgroup({ pod, tools }: SyncAttempt): Stopped | undefined {
  const { node, reports } = tools;
  const { cgroups } = tools.host;
  if (node.managesCgroups !== true || !isEntryName(pod.metadata.uid)) return undefined;
  const qos = qosClass(pod);
  const path = podCgroupParent(pod.metadata.uid, qos, node);
  const problem = cgroups.exists(path) ? undefined : cgroups.set(path, podCgroupValues(pod, node));
  if (problem === undefined) {
    if (qos === 'Burstable') reports.podWeight(requestedMilliCpu(pod));
    return undefined;
  }
  const message = `unable to ensure pod container exists: ${problem}`;
  reports.event({ type: 'Warning', reason: 'FailedCreatePodContainer', message });
  return { ok: false, stop: { type: 'pod-failed', message } };
}

/**
 * Checks the cgroups once in a worker's life, when something of the pod is first observed to run: an earlier kubelet
 * may have used other cgroups.
 */
export class CgroupCheck {
  readonly #tools: Pick<PodWorkerTools, 'node' | 'host'>;
  readonly #uid: string;
  #isOver: boolean;

  constructor(tools: Pick<PodWorkerTools, 'node' | 'host'>, uid: string) {
    this.#tools = tools;
    this.#uid = uid;
    this.#isOver = tools.node.managesCgroups !== true || !isEntryName(uid);
  }

  /**
   * Returns `true` if the pod has none of its possible cgroups. Cgroups of another driver, root or layout are not
   * checked.
   */
  isFoundGone(command: PodWorkerProtocol['command']): boolean {
    if (this.#isOver) return false;
    const status = statusIn(command);
    if (status === undefined || !status.containers.some(({ state }) => state === 'running')) return false;
    this.#isOver = true;
    const { node, host } = this.#tools;
    const paths = podCgroups(this.#uid, undefined, node);
    return paths.length > 0 && !paths.some((path) => host.cgroups.exists(path));
  }
}

function statusIn(command: PodWorkerProtocol['command']): RuntimePodStatus | undefined {
  if (command.type === 'pod-status-observed') return command.status;
  return command.type === 'observed' && command.outcome.ok ? command.outcome.value.status : undefined;
}
