import { readTextSync } from '../host/read-regular-file.ts';
import { certificateStore } from '../api/certificates/certificate-store.ts';
import { decideGates } from '../config/feature-gates.ts';
import type { KubeletConfiguration } from '../config/fields/kubelet-configuration.ts';
import { readServerCertificate, type ServerCertificate } from './server-certificate.ts';

/** The settings that choose the serving certificate. */
export interface ServingSettings {
  readonly config: KubeletConfiguration;
  readonly api?: { readonly certDir: string };
}

/** `true` if the serving certificate comes from a signer of the cluster (`serverTLSBootstrap`). */
export function servesBySigner({ config, api }: ServingSettings): boolean {
  if (api === undefined || !config.serverTLSBootstrap || config.tlsCertFile !== '') return false;
  return decideGates(config.featureGates)('RotateKubeletServerCertificate');
}

/**
 * Returns a reader of the serving certificate. `undefined` when the certificate is not in files. The reader throws
 * when a file is missing or incomplete.
 */
export function servingCertificateReader(settings: ServingSettings): (() => ServerCertificate) | undefined {
  const { config, api } = settings;
  const { tlsCertFile, tlsPrivateKeyFile } = config;
  if (tlsCertFile !== '' && tlsPrivateKeyFile !== '')
    return () => readServerCertificate(tlsCertFile, tlsPrivateKeyFile);
  if (api === undefined || !servesBySigner(settings)) return undefined;
  const { currentFile } = certificateStore(api.certDir, 'server');
  return () => {
    const pem = readIfThere(currentFile);
    if (pem === undefined) throw new Error('the cluster has not issued a serving certificate for this node yet');
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
