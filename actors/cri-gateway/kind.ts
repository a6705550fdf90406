import { POD_MANAGER } from '../pod-manager/protocol.ts';
import { PLEG } from '../pleg/protocol.ts';
import { NODE_STATUS } from '../node-status/protocol.ts';
import type { AddressOf, Listener } from '../../src/actor/messages/message.ts';
import type { AgentSettings } from '../../src/agent/settings.ts';
import { podThreadNames, presentIn } from '../../src/agent/tree.ts';
import { criEndpoints } from '../../src/cri/cri-endpoints.ts';
import { operationMetrics } from '../../src/cri/operation-metrics.ts';
import { CriGateway } from './actor.ts';
import { LatestCreations } from './latest-creations.ts';
import { defaultLaneLimits } from './call-schedule.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { CriGatewayProtocol, RuntimeHealthChanged } from './protocol.ts';

/** The actors that receive changes of the runtime's health. */
const healthListeners: readonly AddressOf<Listener<RuntimeHealthChanged>>[] = [PLEG, POD_MANAGER, NODE_STATUS];

/** The only CRI client of the agent. */
export const kind = agentKind<CriGatewayProtocol>({
  runsOn: 'cri',
  standsOn: [],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    call: true,
    'check-runtime': true,
    'event-stream-ended': true,
    'open-event-stream': true,
    'runtime-checked': true,
    'runtime-health': true,
  },
  about: (message) => (message.type === 'call' ? message.method : undefined),
  async make({ settings, tree, faults, metrics }) {
    const transport = criEndpoints({ runtime: settings.runtimeEndpoint, image: settings.imageEndpoint });
    // These outlive an incarnation: the next gateway uses the same client, and knows which calls are under way.
    const deps = {
      transport: faults?.transport(transport) ?? transport,
      underWay: new Map(),
      creations: new LatestCreations(),
      limits: { ...defaultLaneLimits, pull: pullsAtOnce(settings, defaultLaneLimits.pull) },
      metrics: operationMetrics(metrics),
      listeners: presentIn(tree, healthListeners),
      podThreads: podThreadNames(tree),
    };
    return (context) => new CriGateway(context, deps);
  },
});

/** How many images may be pulled at a time. */
function pullsAtOnce({ config }: AgentSettings, unlimited: number): number {
  if (config.maxParallelImagePulls !== null) return config.maxParallelImagePulls;
  return config.serializeImagePulls ? 1 : unlimited;
}
