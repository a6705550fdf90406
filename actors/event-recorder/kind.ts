import { apiClient } from '../../src/api/api-client.ts';
import { API_CALL_MS, apiGatewayClient } from '../api-gateway/client.ts';
import { API_GATEWAY } from '../api-gateway/protocol.ts';
import { EventRecorder } from './actor.ts';
import { defaultEventLimits } from './event-writes.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { EventRecorderProtocol } from './protocol.ts';

/** Writes events to the API. */
export const kind = agentKind<EventRecorderProtocol>({
  runsOn: 'node',
  standsOn: [API_GATEWAY],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    'event-figures': true,
    'event-written': true,
    'record-event': true,
    'write-due': true,
  },
  make:
    ({ settings: { nodeName } }) =>
    (context) => {
      const api = apiClient(apiGatewayClient(context, API_CALL_MS));
      return new EventRecorder(context, { api, nodeName, limits: defaultEventLimits });
    },
});
