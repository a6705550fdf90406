import { certificateStore } from '../../src/api/certificates/certificate-store.ts';
import { gatesOf } from '../../src/config/feature-gates.ts';
import { servesBySigner } from '../../src/serving/serving-certificate.ts';
import { API_GATEWAY } from '../api-gateway/protocol.ts';
import { ClientCertificate } from './actor.ts';
import { certificateMetrics } from './metrics.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { ClientCertificateProtocol } from './protocol.ts';

/** Renews the serving certificate of this node, where a signer of the cluster issues it. */
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
  make({ settings, metrics: families }) {
    const { nodeName, config, api } = settings;
    if (api === undefined) throw new Error('the server-certificate actor needs an API server');
    const deps = {
      nodeName,
      store: certificateStore(api.certDir, 'server'),
      rotate: servesBySigner(settings),
      purpose: gatesOf(config)('AllowDNSOnlyNodeCSR') ? ('serving-by-name' as const) : ('serving' as const),
      metrics: certificateMetrics(families, 'server'),
    };
    return (context) => new ClientCertificate(context, deps);
  },
});
