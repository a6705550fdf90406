import { systemClock } from '../../src/actor/clock.ts';
import type { Log } from '../../src/actor/log.ts';
import type { ApiCall } from '../../src/api/api-client.ts';
import { certificateStore } from '../../src/api/certificates/certificate-store.ts';
import { transportTo } from '../../src/api/transport/transport-to.ts';
import { API_GATEWAY } from '../api-gateway/protocol.ts';
import { ClientCertificate } from './actor.ts';
import { certificateMetrics } from './metrics.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { ClientCertificateProtocol } from './protocol.ts';

const BOOTSTRAP_CALL_MS = 30_000;

/** Renews the client certificate of this node. */
export const kind = agentKind<ClientCertificateProtocol>({
  runsOn: 'node',
  standsOn: [API_GATEWAY],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    'api-health-changed': true,
    'check-due': true,
    'certificate-read': true,
    'node-addresses-observed': true,
    renewed: true,
  },
  make({ settings, log, metrics: families }) {
    const { nodeName, config, api } = settings;
    if (api === undefined) throw new Error('the client-certificate actor needs an API server');
    const deps = {
      nodeName,
      store: certificateStore(api.certDir),
      purpose: 'client' as const,
      rotate: config.rotateCertificates,
      metrics: certificateMetrics(families, 'client'),
      ...(api.bootstrapKubeconfig !== undefined && {
        asBootstrap: callsOnce(api.bootstrapKubeconfig, { log, contentType: config.contentType }),
      }),
    };
    return (context) => new ClientCertificate(context, deps);
  },
});

/** Calls with bootstrap credentials are rare: each call opens a connection of its own. */
const callsOnce =
  (kubeconfig: string, options: { readonly log: Log; readonly contentType: string }): ApiCall =>
  async (request) => {
    const { transport } = await transportTo(kubeconfig, { ...options, clock: systemClock });
    return transport.call(request, BOOTSTRAP_CALL_MS).finally(() => transport.close());
  };
