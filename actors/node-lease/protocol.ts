import { addressOf } from '../../src/actor/messages/message.ts';
import type { ApiFault } from '../../src/api/api-request.ts';
import type { Lease } from '../../src/kube/lease.ts';
import type { ApiHealthChanged } from '../api-gateway/protocol.ts';

/** Messages that other actors send to the node lease. */
export type NodeLeaseCommand = ApiHealthChanged;

/** Own reports. */
export type NodeLeaseReport =
  /** `uid` is `undefined` while this node has no object. */
  | { readonly type: 'node-found'; readonly uid: string | undefined }
  | { readonly type: 'call-ended'; readonly answer: Lease | undefined; readonly fault: ApiFault | undefined };

/** Own timers. */
export type NodeLeaseTimer = { readonly type: 'renew-due' };

export type NodeLeaseQuestion = { readonly type: 'lease-age' };

export interface NodeLeaseProtocol {
  readonly command: NodeLeaseCommand | NodeLeaseReport | NodeLeaseTimer;
  readonly question: NodeLeaseQuestion;
  readonly answers: {
    /** Milliseconds since the last renewal; `undefined` before the first renewal. */
    readonly 'lease-age': number | undefined;
  };
}

export const NODE_LEASE = addressOf<NodeLeaseProtocol>('node-lease');
