import { addressOf } from '../../src/actor/messages/message.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';

/** Messages that other actors send to the container manager. */
export type ContainerManagerCommand = PodCgroupChanged;

/** Own reports. */
export type ContainerManagerReport =
  /** All pods, and the pod cgroups that exist. `pods` is `undefined` when the pod manager did not answer. */
  { readonly type: 'pods-surveyed'; readonly pods: readonly Pod[] | undefined; readonly cgroups: readonly string[] };

/** Own timers. */
export type ContainerManagerTimer = { readonly type: 'survey-due' } | { readonly type: 'cpu-weights-due' };

/** Notice from a pod worker: the pod has its cgroup, or its cgroup was removed. */
export interface PodCgroupChanged {
  readonly type: 'pod-cgroup-changed';
  readonly podUid: PodUid;
  /** Thousandths of a CPU that the pod adds to the weight of its class; 0 when the pod is gone or not burstable. */
  readonly burstableMilliCpu: bigint;
}

export interface ContainerManagerProtocol {
  readonly command: ContainerManagerCommand | ContainerManagerReport | ContainerManagerTimer;
  readonly question: never;
  readonly answers: object;
}

export const CONTAINER_MANAGER = addressOf<ContainerManagerProtocol>('container-manager');
