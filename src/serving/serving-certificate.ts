import { readTextSync } from '../host/read-regular-file.ts';
import { certificateStore } from '../api/certificates/certificate-store.ts';
import { decideGates } from '../config/feature-gates.ts';
import type { KubeletConfiguration } from '../config/fields/kubelet-configuration.ts';
import { readServerCertificate, type ServerCertificate } from './server-certificate.ts';

/** What decides on the certificate that this node serves with. */
export interface ServingSettings {
  readonly config: KubeletConfiguration;
  readonly api?: { readonly certDir: string };
}

/** Whether the certificate that this node serves with comes from a signer of the cluster (`serverTLSBootstrap`). */
export function servesBySigner({ config, api }: ServingSettings): boolean {
  if (api === undefined || !config.serverTLSBootstrap || config.tlsCertFile !== '') return false;
  return decideGates(config.featureGates)('RotateKubeletServerCertificate');
}

/** Reads the certificate that this node serves with; undefined: there is none in files. Throws when it is not there, or not whole. */
export function servingCertificateReader(settings: ServingSettings): (() => ServerCertificate) | undefined {
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
    return readTextSync(path);
  } catch {
    return undefined;
  }
}
