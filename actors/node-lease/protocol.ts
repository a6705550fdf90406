import { addressOf } from '../../src/actor/messages/message.ts';
import type { ApiFault } from '../../src/api/api-request.ts';
import type { Lease } from '../../src/kube/lease.ts';
import type { ApiHealthChanged } from '../api-gateway/protocol.ts';

/** What the node lease can be told. All but the API's health comes from itself. */
export type NodeLeaseCommand =
  | ApiHealthChanged
  | { readonly type: 'renew-due' }
  /** Undefined: there is no object of this node, so far. */
  | { readonly type: 'node-found'; readonly uid: string | undefined }
  | { readonly type: 'call-ended'; readonly answer: Lease | undefined; readonly fault: ApiFault | undefined };

export type NodeLeaseQuestion = { readonly type: 'lease-age' };

export interface NodeLeaseProtocol {
  readonly command: NodeLeaseCommand;
  readonly question: NodeLeaseQuestion;
  readonly answers: {
    /** Milliseconds since the lease was last renewed; undefined when it never was. */
    readonly 'lease-age': number | undefined;
  };
}

export const NODE_LEASE = addressOf<NodeLeaseProtocol>('node-lease');
