import { reflectorMetrics } from '../../src/api/reflector/reflector-metrics.ts';
import { API_GATEWAY } from '../api-gateway/protocol.ts';
import { ObjectCache } from './actor.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { ObjectCacheProtocol } from './protocol.ts';

/** Fetches and watches the objects that pods refer to. */
export const kind = agentKind<ObjectCacheProtocol>({
  runsOn: 'node',
  standsOn: [API_GATEWAY],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    'api-health-changed': true,
    'forget-pod': true,
    'config-map': true,
    'runtime-class': true,
    secret: true,
    'service-account-token': true,
    'services-of-namespace': true,
    'cleanup-due': true,
    'watch-ended': true,
    'watch-events': true,
  },
  async make({ settings, metrics }) {
    const deps = {
      strategy: settings.config.configMapAndSecretChangeDetectionStrategy,
      count: reflectorMetrics(metrics),
    };
    return (context) => new ObjectCache(context, deps);
  },
});
