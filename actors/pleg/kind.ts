import { criClient } from '../../src/cri/client.ts';
import { criGatewayClient } from '../cri-gateway/client.ts';
import { CRI_GATEWAY } from '../cri-gateway/protocol.ts';
import { Pleg } from './actor.ts';
import { plegMetrics } from './metrics.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { PlegProtocol } from './protocol.ts';

/** The actor that observes pod changes in the runtime. */
export const kind = agentKind<PlegProtocol>({
  runsOn: 'pleg',
  standsOn: [CRI_GATEWAY],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    'container-event': true,
    'event-stream-changed': true,
    inspected: true,
    listed: true,
    'pleg-health': true,
    'pod-status': true,
    relist: true,
    'running-logs': true,
    'runtime-health-changed': true,
    'runtime-pods': true,
  },
  async make({ settings, metrics }) {
    const counted = plegMetrics(metrics);
    return (context) => {
      const criBytes = criGatewayClient(context, settings.config.runtimeRequestTimeout);
      return new Pleg(context, { cri: criClient(criBytes), criBytes, metrics: counted });
    };
  },
});
