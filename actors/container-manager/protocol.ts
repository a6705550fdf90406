import { addressOf } from '../../src/actor/messages/message.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';

/** What the container manager can be told. */
export type ContainerManagerCommand =
  | PodCgroupChanged
  /** Its own: every pod there is, and the pods' cgroups that are there. Undefined: the pod manager has not answered. */
  | { readonly type: 'pods-surveyed'; readonly pods: readonly Pod[] | undefined; readonly cgroups: readonly string[] }
  /** Its own timers. */
  | { readonly type: 'survey-due' }
  | { readonly type: 'weigh-due' };

/** Of a pod worker: the pod has its cgroup, or it has none any more. */
export interface PodCgroupChanged {
  readonly type: 'pod-cgroup-changed';
  readonly podUid: PodUid;
  /** Thousandths of a CPU that the pod adds to the weight of its class; 0 when it is gone, or is not burstable. */
  readonly burstableMilliCpu: bigint;
}

export interface ContainerManagerProtocol {
  readonly command: ContainerManagerCommand;
  readonly question: never;
  readonly answers: object;
}

export const CONTAINER_MANAGER = addressOf<ContainerManagerProtocol>('container-manager');
