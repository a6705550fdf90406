import type { Caller } from '../../src/actor/actor.ts';
import { podUid } from '../../src/kube/ids.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { STATUS_MANAGER } from '../status-manager/protocol.ts';
import { POD_MANAGER } from './protocol.ts';

/** The pods of this node, for those who show them. Rejects with an `ActorFault` when no answer came. */
export interface NodePods {
  /** The desired pods, without what their workers report. */
  desired(): Promise<readonly Pod[]>;
  /** The desired pods, each with the status that its worker reported last. */
  all(): Promise<readonly Pod[]>;
  /** One of them. `undefined` when there is none of that name. */
  named(namespace: string, name: string): Promise<Pod | undefined>;
  /** Ends all pods, with their grace periods. Resolves when they are gone. */
  takeAllAway(): Promise<void>;
}

const ASK_WITHIN = { deadlineMs: 10_000 };
/** Longer than any grace period that is worth waiting for when a user has asked for an end. */
const PODS_GONE_WITHIN_MS = 600_000;

export function podsThroughManager(context: Pick<Caller, 'ref'>): NodePods {
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
      const pod = await manager.ask({ type: 'pod-named', namespace, name }, ASK_WITHIN);
      if (pod === undefined) return undefined;
      const uid = podUid(pod.metadata.uid);
      return withStatus(pod, await statuses.ask({ type: 'status-of-pod', podUid: uid }, ASK_WITHIN));
    },
    async takeAllAway() {
      await manager.ask({ type: 'take-all-away' }, { deadlineMs: PODS_GONE_WITHIN_MS });
    },
  };
}

const withStatus = (pod: Pod, status: Pod['status']): Pod => (status === undefined ? pod : { ...pod, status });
