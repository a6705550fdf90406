import { agentKind, SMALL_MAILBOX } from '../../src/agent/kind.ts';
import { addressHost } from '../../src/host/host-addresses.ts';
import { NodeAddresses } from './actor.ts';
import type { NodeAddressesProtocol } from './protocol.ts';

/** Finds the addresses of a node without an API server. In a cluster, node-status knows them. */
export const kind = agentKind<NodeAddressesProtocol>({
  runsOn: 'node',
  standsOn: [],
  mailbox: SMALL_MAILBOX,
  messageTypes: { 'addresses-found': true, 'inspection-due': true, 'node-addresses': true },
  make({ settings: { nodeName, nodeOptions } }) {
    const deps = { host: addressHost, nodeName, nodeIps: nodeOptions?.ips ?? [] };
    return (context) => new NodeAddresses(context, deps);
  },
});
