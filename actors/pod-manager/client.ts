import type { Caller } from '../../src/actor/actor.ts';
import { podUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { STATUS_MANAGER } from '../status-manager/protocol.ts';
import { POD_MANAGER } from './protocol.ts';

/** Reads and ends the pods of this node. Calls reject with an `ActorFault` when no answer came. */
export interface NodePods {
  /** Returns the desired pods, without the status that their workers report. */
  desired(): Promise<readonly Pod[]>;
  /** Returns the desired pods, each with the last reported status of its worker. */
  all(): Promise<readonly Pod[]>;
  /** Returns one pod. `undefined` when no pod has that name. */
  named(namespace: string, name: string): Promise<Pod | undefined>;
  /** Ends all pods, with their grace periods. Resolves when they are gone. */
  removeAllPods(): Promise<void>;
}

const ASK_WITHIN = { deadlineMs: 10_000 };
/** Longer than any grace period worth waiting for once a user has asked to remove all pods. */
const PODS_GONE_WITHIN_MS = 600_000;

export function podManagerClient(context: Pick<Caller, 'ref'>): NodePods {
  const manager = context.ref(POD_MANAGER);
  const statuses = context.ref(STATUS_MANAGER);
  const desired = (): Promise<readonly Pod[]> => manager.ask({ type: 'all-pods' }, ASK_WITHIN);
  return {
    desired,
    async all() {
      const [pods, known] = await Promise.all([desired(), statuses.ask({ type: 'all-statuses' }, ASK_WITHIN)]);
      return pods.map((pod) => withStatus(pod, known.get(podUid(pod.metadata.uid))));
    },
    async named(namespace, name) {
      const pod = await manager.ask({ type: 'pod-by-name', namespace, name }, ASK_WITHIN);
      if (pod === undefined) return undefined;
      const uid = podUid(pod.metadata.uid);
      return withStatus(pod, await statuses.ask({ type: 'status-of-pod', podUid: uid }, ASK_WITHIN));
    },
    async removeAllPods() {
      await manager.ask({ type: 'remove-all-pods' }, { deadlineMs: PODS_GONE_WITHIN_MS });
    },
  };
}

const withStatus = (pod: Pod, status: Pod['status']): Pod => (status === undefined ? pod : { ...pod, status });
