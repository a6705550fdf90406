import { readFileSync } from 'node:fs';
import type { ThreadConfig } from './agent/kind.ts';
import type { AgentSettings } from './agent/agent.ts';
import { certificateStore } from './api/certificate-store.ts';
import type { ServedNames } from './api/client-certificate.ts';
import { decideGates } from './config/feature-gates.ts';
import { readServerCertificate, type ServerCertificate } from './serving/server-certificate.ts';

/** Whether the certificate that this node serves with comes from a signer of the cluster (`serverTLSBootstrap`). */
export function servesBySigner({ config, api }: AgentSettings): boolean {
  if (api === undefined || !config.serverTLSBootstrap || config.tlsCertFile !== '') return false;
  return decideGates(config.featureGates)('RotateKubeletServerCertificate');
}

/** How others call this node when they connect to it. */
export const servedNames = ({ nodeName }: AgentSettings, node: ThreadConfig['node']): ServedNames => ({
  hostnames: [nodeName],
  addresses: node.hostIPs,
});

/** Reads the certificate that this node serves with; undefined: there is none in files. Throws when it is not there, or not whole. */
export function servingCertificateReader(settings: AgentSettings): (() => ServerCertificate) | undefined {
  const { config, api } = settings;
  const { tlsCertFile, tlsPrivateKeyFile } = config;
  if (tlsCertFile !== '' && tlsPrivateKeyFile !== '')
    return () => readServerCertificate(tlsCertFile, tlsPrivateKeyFile);
  if (api === undefined || !servesBySigner(settings)) return undefined;
  const { currentFile } = certificateStore(api.certDir, 'server');
  return () => {
    const pem = readIfThere(currentFile);
    if (pem === undefined) throw new Error('no signer has given this node a certificate to serve with yet');
    return { cert: pem, key: pem };
  };
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
