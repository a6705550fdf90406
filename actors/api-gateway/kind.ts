import { CLIENT_CERTIFICATE, SERVER_CERTIFICATE } from '../certificate-manager/protocol.ts';
import { OBJECT_CACHE } from '../object-cache/protocol.ts';
import { POD_SOURCE_API } from '../pod-source-api/protocol.ts';
import { NODE_LEASE } from '../node-lease/protocol.ts';
import { NODE_STATUS } from '../node-status/protocol.ts';
import type { AddressOf, Listener } from '../../src/actor/messages/message.ts';
import { systemClock } from '../../src/actor/clock.ts';
import { presentIn } from '../../src/agent/tree.ts';
import { transportTo } from '../../src/api/transport/transport-to.ts';
import { answerMetrics, requestMetrics } from '../../src/api/transport/request-metrics.ts';
import { ApiGateway } from './actor.ts';
import { defaultUnderWay, MOST_WAITING, rateOf, REVIEW_RATE } from './call-queue.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { ApiGatewayProtocol, ApiHealthChanged } from './protocol.ts';

/** The actors that receive changes of the API server's health. */
const healthListeners: readonly AddressOf<Listener<ApiHealthChanged>>[] = [
  NODE_STATUS,
  NODE_LEASE,
  POD_SOURCE_API,
  OBJECT_CACHE,
  CLIENT_CERTIFICATE,
  SERVER_CERTIFICATE,
];

/** The only client of the API server. */
export const kind = agentKind<ApiGatewayProtocol>({
  runsOn: 'node',
  standsOn: [],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    'api-health': true,
    call: true,
    'close-watch': true,
    'open-watch': true,
  },
  about: (message) => (message.type === 'call' ? `${message.request.verb} ${message.request.path}` : undefined),
  async make({ settings, tree, log, faults, metrics }) {
    const { config, api } = settings;
    if (api === undefined) throw new Error('the api-gateway actor needs an API server');
    const { transport, server } = await transportTo(api.kubeconfig, {
      log,
      clock: systemClock,
      contentType: config.contentType,
      answered: answerMetrics(metrics),
    });
    // These outlive an incarnation: connections stay open, and the next incarnation finds the open watches.
    const deps = {
      transport: faults?.apiTransport(transport) ?? transport,
      server,
      watches: new Map(),
      limits: {
        calls: rateOf(config.kubeAPIQPS ?? 50, config.kubeAPIBurst),
        events: rateOf(config.eventRecordQPS ?? 50, config.eventBurst),
        reviews: REVIEW_RATE,
        underWay: defaultUnderWay,
        waiting: MOST_WAITING,
      },
      metrics: requestMetrics(metrics, new URL(server).host),
      listeners: presentIn(tree, healthListeners),
    };
    return (context) => new ApiGateway(context, deps);
  },
});
