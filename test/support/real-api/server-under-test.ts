import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiUser } from '../../../src/embedded-apiserver/api-kind.ts';
import { kubeconfig } from '../../../src/embedded-apiserver/kubeconfig.ts';
import {
  administrator,
  type EmbeddedApiServerOptions,
  serveEmbeddedApi,
} from '../../../src/embedded-apiserver/serve.ts';
import { ControlPlane } from './control-plane.ts';
import { realControlPlane } from './real-control-plane.ts';

/** An API server without a node. */
export interface ServerUnderTest {
  /** An administrator's. */
  readonly kubeconfig: string;
  readonly isReal: boolean;
  /** A kubeconfig with a certificate for somebody else. */
  kubeconfigFor(user: ApiUser): Promise<string>;
  close(): Promise<void>;
}

/** A real one where this machine has its programs, which is said aloud otherwise; else the embedded one. */
export async function startApiServer(suite: string, options: EmbeddedApiServerOptions = {}): Promise<ServerUnderTest> {
  const programs = realControlPlane(suite);
  if (programs !== undefined) {
    const plane = await ControlPlane.start(programs);
    return {
      kubeconfig: await plane.kubeconfigFor(administrator),
      isReal: true,
      kubeconfigFor: (user) => plane.kubeconfigFor(user),
      close: () => plane[Symbol.asyncDispose](),
    };
  }
  const folder = mkdtempSync(join(tmpdir(), 'hivelet-kubeconfig-'));
  const server = await serveEmbeddedApi(options);
  const kubeconfigFor = async (who: ApiUser): Promise<string> => {
    const user = await server.credentials(who);
    const file = join(folder, `${who.username.replaceAll(/[^a-z0-9]/g, '-')}.kubeconfig`);
    writeFileSync(file, kubeconfig({ server: server.address, authority: server.authority.certificate, user }));
    return file;
  };
  return {
    kubeconfig: await kubeconfigFor(administrator),
    isReal: false,
    kubeconfigFor,
    async close() {
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
