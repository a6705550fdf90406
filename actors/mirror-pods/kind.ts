import { apiClient } from '../../src/api/api-client.ts';
import { API_CALL_MS, apiGatewayClient } from '../api-gateway/client.ts';
import { API_GATEWAY } from '../api-gateway/protocol.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import { MirrorPods } from './actor.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { MirrorPodsProtocol } from './protocol.ts';

/** Shows the static pods of this node in the API. */
export const kind = agentKind<MirrorPodsProtocol>({
  runsOn: 'node',
  standsOn: [API_GATEWAY, POD_MANAGER],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    'snapshot-complete': true,
    'mirror-pod-gone': true,
    'mirror-pod-present': true,
    'static-pod-gone': true,
    'static-pod-present': true,
    'step-ended': true,
    'retry-due': true,
  },
  make:
    ({ settings: { nodeName } }) =>
    (context) =>
      new MirrorPods(context, { api: apiClient(apiGatewayClient(context, API_CALL_MS)), nodeName }),
});
