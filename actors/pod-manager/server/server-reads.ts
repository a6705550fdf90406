import { apiClient, type ApiCall } from '../../../src/api/api-client.ts';
import { nodePath, podPath } from '../../../src/api/api-path.ts';
import { claimedName } from '../../../src/api/object-meta.ts';
import { isForbidden, isNotFound, type ApiOutcome } from '../../../src/api/api-request.ts';
import type { PodUid } from '../../../src/kube/ids.ts';
import type { ObservedNode } from '../protocol.ts';

/**
 * Reads of single objects, for decisions that must not rest on what a watch has not brought. `unknown`: the server did
 * not answer.
 */
export interface ServerReads {
  /** `undefined` when the server has no such object, or does not show it to this node. */
  node(): Promise<ObservedNode | undefined | 'unknown'>;
  /** Whether the server has a pod with this name and this UID. */
  pod(pod: {
    readonly uid: PodUid;
    readonly namespace: string;
    readonly name: string;
  }): Promise<'has-pod' | 'has-no-pod' | 'unknown'>;
}

export function serverReads(call: ApiCall, nodeName: string): ServerReads {
  return {
    async node() {
      const outcome = await apiClient(call).get<ObservedNode>(nodePath(nodeName), 'object');
      if (outcome.ok) return outcome.value;
      return isDenied(outcome) ? undefined : 'unknown';
    },
    async pod({ uid, namespace, name }) {
      // A name that leads to another path is no name of an object.
      if (namespace === '' || name === '') return 'has-no-pod';
      const outcome = await call({ verb: 'get', path: podPath(namespace, name), priority: 'object' });
      // The rest of the pod may be unreadable to this agent: the pod is there all the same.
      if (outcome.ok) return claimedName(outcome.value).uid === uid ? 'has-pod' : 'has-no-pod';
      if (outcome.fault.kind === 'unreadable') return 'has-pod';
      return isDenied(outcome) ? 'has-no-pod' : 'unknown';
    },
  };
}

const isDenied = (outcome: ApiOutcome<unknown>): boolean =>
  !outcome.ok && (isNotFound(outcome.fault) || isForbidden(outcome.fault));
