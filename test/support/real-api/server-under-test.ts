import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubeconfig } from '../../../src/embedded/apiserver/kubeconfig.ts';
import {
  administrator,
  type EmbeddedApiServerOptions,
  serveEmbeddedApi,
} from '../../../src/embedded/apiserver/serve.ts';
import { ControlPlane } from './control-plane.ts';
import { grantCertificates } from './grant-certificates.ts';
import { realControlPlane } from './real-control-plane.ts';
import { transportOf } from './transport-of.ts';

/** An API server without a node. */
export interface ServerUnderTest {
  /** An administrator's. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/**
 * A real API server that grants nodes' certificates, if this machine has its programs. Otherwise prints that, and uses
 * the embedded one.
 */
export async function startApiServer(suite: string, options: EmbeddedApiServerOptions = {}): Promise<ServerUnderTest> {
  const programs = realControlPlane(suite);
  if (programs !== undefined) {
    const plane = await ControlPlane.start(programs);
    const kubeconfigOfAdmin = await plane.kubeconfigFor(administrator);
    const api = transportOf(kubeconfigOfAdmin);
    const stopGranting = grantCertificates(api, plane.authority);
    return {
      kubeconfig: kubeconfigOfAdmin,
      async close() {
        await stopGranting();
        api.close();
        await plane[Symbol.asyncDispose]();
      },
    };
  }
  const folder = mkdtempSync(join(tmpdir(), 'hivelet-kubeconfig-'));
  const server = await serveEmbeddedApi(options);
  const user = await server.credentials(administrator);
  const file = join(folder, 'kubeconfig');
  writeFileSync(file, kubeconfig({ server: server.address, authority: server.authority.certificate, user }));
  return {
    kubeconfig: file,
    async close() {
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
