import { apiClient } from '../../src/api/api-client.ts';
import { heartbeatTimeoutMs } from '../../src/node/object/heartbeat-timeout.ts';
import { apiGatewayClient } from '../api-gateway/client.ts';
import { API_GATEWAY } from '../api-gateway/protocol.ts';
import { NodeLease } from './actor.ts';
import { leaseCallTimeoutMs } from './state.ts';
import { agentKind, SMALL_MAILBOX } from '../../src/agent/kind.ts';
import type { NodeLeaseProtocol } from './protocol.ts';

/** Renews the node's lease. */
export const kind = agentKind<NodeLeaseProtocol>({
  runsOn: 'node',
  standsOn: [API_GATEWAY],
  mailbox: SMALL_MAILBOX,
  messageTypes: {
    'api-health-changed': true,
    'call-ended': true,
    'lease-age': true,
    'node-found': true,
    'renew-due': true,
  },
  make({ settings: { nodeName, config } }) {
    const timeoutMs = Math.min(heartbeatTimeoutMs(config), leaseCallTimeoutMs(config.nodeLeaseDurationSeconds));
    return (context) =>
      new NodeLease(context, {
        api: apiClient(apiGatewayClient(context, timeoutMs)),
        settings: { nodeName, durationSeconds: config.nodeLeaseDurationSeconds },
      });
  },
});
