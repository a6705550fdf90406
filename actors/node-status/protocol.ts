import { addressOf } from '../../src/actor/messages/message.ts';
import type { ApiFault } from '../../src/api/api-request.ts';
import type { ContainerImage, Node } from '../../src/kube/node.ts';
import type { AddressResult } from '../../src/node/object/node-addresses.ts';
import type { ObservedAddresses } from '../../src/node/object/known-addresses.ts';
import type { Pressures } from '../../src/node/object/node-conditions.ts';
import type { RuntimeConditionFacts, RuntimeHandlerSummary } from '../../src/node/object/runtime-state.ts';
import type { ApiHealthChanged, WatchNotice } from '../api-gateway/protocol.ts';
import type { RuntimeHealthChanged } from '../cri-gateway/protocol.ts';
import type { AddressAnswers, AddressQuestion } from '../node-addresses/protocol.ts';

/** Messages that other actors send to the node status. */
export type NodeStatusCommand =
  | RuntimeHealthChanged
  | ApiHealthChanged
  | WatchNotice
  /**
   * From the eviction manager: the node's pressures. Until the first report, the pressure conditions stay as they are.
   */
  | { readonly type: 'pressures-observed'; readonly pressures: Pressures }
  /** From the CSI manager, once known: attachable volumes in use on this node, as `kubernetes.io/csi/driver^handle`. */
  | { readonly type: 'volumes-in-use-changed'; readonly volumes: readonly string[] }
  /**
   * From any actor: a reason why the node cannot run pods (`problem`), or only a remark for the Ready condition's
   * message (`warning`). Replaces the earlier text of the same source; `undefined` removes it.
   */
  | {
      readonly type: 'node-problem';
      readonly source: string;
      readonly severity: 'problem' | 'warning';
      readonly text: string | undefined;
    };

/** Own reports. */
export type NodeStatusReport =
  | { readonly type: 'pleg-health-read'; readonly problem: string | undefined }
  /** From the reflector: the server's current object; `undefined` when there is none (any more). */
  | { readonly type: 'node-object-observed'; readonly node: Node | undefined }
  | { readonly type: 'node-inspected'; readonly images: readonly ContainerImage[] | undefined }
  /** The addresses of the host, or the reason why the host has none to publish. */
  | { readonly type: 'addresses-found'; readonly found: AddressResult }
  | {
      readonly type: 'runtime-described';
      readonly description: RuntimeDescription;
      readonly images: readonly ContainerImage[] | undefined;
    }
  | { readonly type: 'call-ended'; readonly answer: Node | undefined; readonly fault: ApiFault | undefined };

/** Own timers. */
export type NodeStatusTimer =
  /** An inspection of the node, and a report of changes, are due. */
  | { readonly type: 'status-due' }
  /** The next call to the API server may be made. */
  | { readonly type: 'retry-due' };

/** The runtime's own description, beyond its health. */
export interface RuntimeDescription {
  readonly conditions: readonly RuntimeConditionFacts[];
  readonly handlers: readonly RuntimeHandlerSummary[];
  readonly supplementalGroupsPolicy: boolean | undefined;
}

export type NodeStatusQuestion = { readonly type: 'node-object' | 'known-node' } | AddressQuestion;

export type KnownNode = ObservedAddresses & { readonly node: Node | undefined };

export interface NodeStatusProtocol {
  readonly command: NodeStatusCommand | NodeStatusReport | NodeStatusTimer;
  readonly question: NodeStatusQuestion;
  readonly answers: {
    /** The last known object of this node; `undefined` until the node is registered or was read. */
    readonly 'node-object': Node | undefined;
    /** The same with the node's addresses. Answered once these are known. */
    readonly 'known-node': KnownNode;
  } & AddressAnswers;
}

export const NODE_STATUS = addressOf<NodeStatusProtocol>('node-status');

/** Notice to listeners, whenever the object changes in more than the heartbeats of its conditions. */
export interface NodeObserved {
  readonly type: 'node-observed';
  readonly node: Node;
}
