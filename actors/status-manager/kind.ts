import { apiUse } from '../../src/agent/settings.ts';
import { podThreadNames } from '../../src/agent/tree.ts';
import { apiClient } from '../../src/api/api-client.ts';
import { API_CALL_MS, apiGatewayClient } from '../api-gateway/client.ts';
import { StatusManager } from './actor.ts';
import { statusMetrics } from './metrics.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { StatusManagerProtocol } from './protocol.ts';

/** The actor that keeps the status of every pod and writes it to the API. */
export const kind = agentKind<StatusManagerProtocol>({
  runsOn: 'node',
  standsOn: [],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    'all-statuses': true,
    'api-pod-changed': true,
    'api-pod-gone': true,
    'forget-others': true,
    'forget-pod': true,
    'pod-finished': true,
    'pod-status-changed': true,
    'status-of-pod': true,
    'write-due': true,
    'write-figures': true,
    written: true,
  },
  make({ settings, tree, metrics: families }) {
    const metrics = statusMetrics(families);
    const podThreads = podThreadNames(tree);
    return (context) => {
      const api = apiUse(settings) === 'api' ? apiClient(apiGatewayClient(context, API_CALL_MS)) : undefined;
      return new StatusManager(context, { podThreads, api, metrics });
    };
  },
});
