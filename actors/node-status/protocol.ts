import { addressOf } from '../../src/actor/messages/message.ts';
import type { ApiFault } from '../../src/api/api-request.ts';
import type { ContainerImage, Node, NodeAddress } from '../../src/kube/node.ts';
import type { Pressures } from '../../src/node/object/node-conditions.ts';
import type { RuntimeConditionFacts, RuntimeHandlerSummary } from '../../src/node/object/runtime-state.ts';
import type { ApiHealthChanged, WatchNotice } from '../api-gateway/protocol.ts';
import type { RuntimeHealthChanged } from '../cri-gateway/protocol.ts';

/** What the node status can be told. */
export type NodeStatusCommand =
  | RuntimeHealthChanged
  | ApiHealthChanged
  /** Of the eviction manager: what the node is short of. Until it is told, the conditions stay as they are. */
  | { readonly type: 'pressures-observed'; readonly pressures: Pressures }
  /** Of the volume manager, once it knows: attachable volumes that are in use here, as `kubernetes.io/csi/driver^handle`. */
  | { readonly type: 'volumes-in-use-changed'; readonly volumes: readonly string[] }
  /**
   * Of anybody: something keeps the node from running pods (`problem`), or is only worth a word in the Ready condition
   * (`warning`). Replaces what the same source said before; undefined takes it back.
   */
  | {
      readonly type: 'node-problem';
      readonly source: string;
      readonly severity: 'problem' | 'warning';
      readonly text: string | undefined;
    }
  /** Its own: it is time to look, and to report what has changed. */
  | { readonly type: 'status-due' }
  | { readonly type: 'pleg-looked'; readonly problem: string | undefined }
  | WatchNotice
  /** Of its reflector: the object as the API server has it now; undefined: there is none (any more). */
  | { readonly type: 'node-seen'; readonly node: Node | undefined }
  | { readonly type: 'looked'; readonly look: NodeLook }
  | {
      readonly type: 'runtime-described';
      readonly description: RuntimeDescription;
      readonly images: readonly ContainerImage[] | undefined;
    }
  | { readonly type: 'call-ended'; readonly answer: Node | undefined; readonly fault: ApiFault | undefined }
  | { readonly type: 'try-again' };

/** What was found by looking at the node. Undefined: not looked at this time, or not found out. */
export interface NodeLook {
  readonly images: readonly ContainerImage[] | undefined;
  readonly addresses: readonly NodeAddress[] | undefined;
  /** Why there are no addresses. */
  readonly addressProblem: string | undefined;
}

/** What the runtime says of itself beyond its health. */
export interface RuntimeDescription {
  readonly conditions: readonly RuntimeConditionFacts[];
  readonly handlers: readonly RuntimeHandlerSummary[];
  readonly supplementalGroupsPolicy: boolean | undefined;
}

export type NodeStatusQuestion = { readonly type: 'node-object' };

export interface NodeStatusProtocol {
  readonly command: NodeStatusCommand;
  readonly question: NodeStatusQuestion;
  readonly answers: {
    /** This node's object as the API server had it last; undefined until it is registered or was read. */
    readonly 'node-object': Node | undefined;
  };
}

export const NODE_STATUS = addressOf<NodeStatusProtocol>('node-status');

/** What the node status tells those who have to know, whenever something in the object is other than its conditions' heartbeats. */
export interface NodeObserved {
  readonly type: 'node-observed';
  readonly node: Node;
}
