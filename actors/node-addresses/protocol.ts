import { addressOf } from '../../src/actor/messages/message.ts';
import type { ObservedAddresses } from '../../src/node/object/known-addresses.ts';
import type { AddressResult } from '../../src/node/object/node-addresses.ts';

/** Notice to listeners: on a change, and again at intervals, since a notice may be lost. */
export type NodeAddressesObserved = { readonly type: 'node-addresses-observed' } & ObservedAddresses;

/** Asked of node-status in a cluster, and else of node-addresses. */
export interface AddressQuestion {
  readonly type: 'node-addresses';
}

export interface AddressAnswers {
  /** Answered once the host was inspected, or the Node object was read. */
  readonly 'node-addresses': ObservedAddresses;
}

/** Own reports and timers. */
export type NodeAddressesCommand =
  | { readonly type: 'addresses-found'; readonly found: AddressResult }
  /** The next inspection of the host is due. */
  | { readonly type: 'inspection-due' };

export interface NodeAddressesProtocol {
  readonly command: NodeAddressesCommand;
  readonly question: AddressQuestion;
  readonly answers: AddressAnswers;
}

export const NODE_ADDRESSES = addressOf<NodeAddressesProtocol>('node-addresses');
