import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/actor/clock.ts';
import { portOrFree } from '../../../src/cli/dev/port-or-free.ts';
import { kubeconfig } from '../../../src/embedded/apiserver/kubeconfig.ts';
import { administrator, type EmbeddedApiServer, serveEmbeddedApi } from '../../../src/embedded/apiserver/serve.ts';
import type { ApiUser } from '../../../src/embedded/apiserver/store/api-kind.ts';
import {
  certificateAuthority,
  type CertificateAuthority,
} from '../../../src/embedded/apiserver/subresources/certificate-authority.ts';
import { writeAuthority } from '../../../src/embedded/apiserver/store/snapshot.ts';
import type { FaultSource } from '../../../src/embedded/apiserver/http/fault-injection.ts';
import { ControlPlane } from './control-plane.ts';
import { realControlPlane } from './real-control-plane.ts';

/** `older`: a server that neither streams lists nor knows what came after it. */
export type ServerVersion = 'present' | 'older';

/** An API server that ends and comes back at one address, with the same objects and authority. */
export interface LastingServer {
  /** Of an administrator, and of a node; usable before the server has ever run. */
  readonly kubeconfigs: { readonly admin: string; readonly node: string };
  start(version?: ServerVersion): Promise<void>;
  stop(): Promise<void>;
  /** Removes everything. */
  discard(): Promise<void>;
}

/** Real, if this machine has the programs. Otherwise prints that, and is the embedded one. Nothing runs yet. */
export async function lastingServer(suite: string, nodeName: string): Promise<LastingServer> {
  const programs = realControlPlane(suite);
  const node = { username: `system:node:${nodeName}`, groups: ['system:nodes'] };
  return programs === undefined ? embedded(node) : real(await ControlPlane.prepare(programs), node);
}

async function real(plane: ControlPlane, node: ApiUser): Promise<LastingServer> {
  return {
    kubeconfigs: { admin: await plane.kubeconfigFor(administrator), node: await plane.kubeconfigFor(node) },
    start: (version = 'present') =>
      plane.startApiServer(
        ...(version === 'older' ? ['--emulated-version=kube=1.34', '--feature-gates=WatchList=false'] : []),
      ),
    stop: () => plane.stopApiServer(),
    discard: () => plane[Symbol.asyncDispose](),
  };
}

/** Refuses as a server does that has no streamed lists. */
const olderServer: FaultSource = ({ path }) =>
  path.includes('sendInitialEvents') ? { type: 'answer', code: 422 } : undefined;

async function embedded(node: ApiUser): Promise<LastingServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hivelet-lasting-'));
  const port = await portOrFree(0);
  const authority = await certificateAuthority(systemClock);
  writeAuthority(dataDir, authority);
  const place = { dataDir, server: `https://127.0.0.1:${port}`, authority };
  let server: EmbeddedApiServer | undefined;
  return {
    kubeconfigs: { admin: await kubeconfigOf(administrator, place), node: await kubeconfigOf(node, place) },
    async start(version = 'present') {
      server = await serveEmbeddedApi({
        port,
        dataDir,
        core: { bindPods: false },
        ...(version === 'older' && { faults: olderServer }),
      });
    },
    async stop() {
      await server?.close();
      server = undefined;
    },
    async discard() {
      await server?.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function kubeconfigOf(
  { username, groups }: ApiUser,
  {
    dataDir,
    server,
    authority,
  }: { readonly dataDir: string; readonly server: string; readonly authority: CertificateAuthority },
): Promise<string> {
  const user = await authority.issue({ commonName: username, organizations: groups, usage: 'client' });
  const file = join(dataDir, `${username.replaceAll(/[^a-z0-9]/g, '-')}.kubeconfig`);
  writeFileSync(file, kubeconfig({ server, authority: authority.certificate, user }), { mode: 0o600 });
  return file;
}
