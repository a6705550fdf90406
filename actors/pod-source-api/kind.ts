import { reflectorMetrics } from '../../src/api/reflector/reflector-metrics.ts';
import { API_GATEWAY } from '../api-gateway/protocol.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import { eventRecorderClient } from '../event-recorder/client.ts';
import { PodSourceApi } from './actor.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { PodSourceApiProtocol } from './protocol.ts';

/** The actor that follows the pods bound to this node. */
export const kind = agentKind<PodSourceApiProtocol>({
  runsOn: 'node',
  standsOn: [API_GATEWAY, POD_MANAGER],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    'api-health-changed': true,
    'send-all': true,
    'heartbeat-due': true,
    'watch-ended': true,
    'watch-events': true,
  },
  async make({ settings, metrics }) {
    const deps = { nodeName: settings.nodeName, count: reflectorMetrics(metrics)('pods') };
    return (context) => new PodSourceApi(context, { ...deps, recordEvent: eventRecorderClient(context) });
  },
});
