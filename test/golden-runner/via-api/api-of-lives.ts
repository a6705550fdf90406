import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertNever } from '../../../src/kube/text/assert-never.ts';
import type { ApiTransport } from '../../../src/api/api-transport.ts';
import { kubeconfig } from '../../../src/embedded/apiserver/kubeconfig.ts';
import { administrator, serveEmbeddedApi } from '../../../src/embedded/apiserver/serve.ts';
import { NODE } from '../../lifecycle/live/live-node.ts';
import { ControlPlane } from '../../support/real-api/control-plane.ts';
import { type ControlPlaneFound, findControlPlane } from '../../support/real-api/find-control-plane.ts';
import { isExecutable } from '../../support/real-api/real-control-plane.ts';
import { transportOf } from '../../support/real-api/transport-of.ts';

const CALL_MS = 10_000;
const NODE_USER = { username: `system:node:${NODE}`, groups: ['system:nodes'] };

/** The API server through which lives are played. */
export interface ApiOfLives extends AsyncDisposable {
  readonly name: string;
  /** The way of the user who plays. */
  readonly api: ApiTransport;
  /** The kubeconfig file of the agent. */
  readonly agentKubeconfig: string;
}

/** Which API server is used, or why none can be. */
export type ApiChoice =
  | { readonly kind: 'given'; readonly kubeconfig: string }
  | { readonly kind: 'real'; readonly programs: Extract<ControlPlaneFound, { found: true }>['programs'] }
  | { readonly kind: 'embedded' }
  | { readonly kind: 'none'; readonly missing: readonly string[] };

/**
 * A given kubeconfig comes first, then the programs of a real control plane, then the embedded API server. Programs that were
 * asked for are never replaced silently.
 */
export function chooseApi(
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  isThere: (path: string) => boolean = isExecutable,
): ApiChoice {
  if (given !== undefined) return { kind: 'given', kubeconfig: given };
  const found = findControlPlane(env, isThere);
  if (found.found) return { kind: 'real', programs: found.programs };
  const isAskedFor = ['KUBEBUILDER_ASSETS', 'TEST_ASSET_KUBE_APISERVER', 'TEST_ASSET_ETCD'].some((name) => env[name]);
  return isAskedFor ? { kind: 'none', missing: found.missing } : { kind: 'embedded' };
}

/** Rejects when the server cannot be used. */
export async function openApi(choice: Exclude<ApiChoice, { kind: 'none' }>): Promise<ApiOfLives> {
  switch (choice.kind) {
    case 'given':
      return givenApi(choice.kubeconfig);
    case 'real':
      return realApi(choice.programs);
    case 'embedded':
      return embeddedApi();
    default:
      return assertNever(choice, 'choice of an API server');
  }
}

/** An API server of somebody else. The agent is its user as well, and nothing of the node is left there. */
async function givenApi(file: string): Promise<ApiOfLives> {
  const api = transportOf(file);
  const path = `/api/v1/nodes/${NODE}`;
  const outcome = await api.call({ verb: 'get', path, priority: 'object' }, CALL_MS);
  const isFree = !outcome.ok && outcome.fault.kind === 'refused' && outcome.fault.code === 404;
  if (!isFree) {
    api.close();
    throw new Error(
      outcome.ok ? `the cluster already has a node ${NODE}` : `get ${path}: ${JSON.stringify(outcome.fault)}`,
    );
  }
  return {
    name: `the API server of ${file}`,
    api,
    agentKubeconfig: file,
    async [Symbol.asyncDispose]() {
      for (const made of [path, `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${NODE}`])
        await api.call({ verb: 'delete', path: made, priority: 'object' }, CALL_MS);
      api.close();
    },
  };
}

async function realApi(programs: Parameters<typeof ControlPlane.start>[0]): Promise<ApiOfLives> {
  const plane = await ControlPlane.start(programs);
  const api = transportOf(await plane.kubeconfigFor(administrator));
  return {
    name: programs.apiServer,
    api,
    agentKubeconfig: await plane.kubeconfigFor(NODE_USER),
    async [Symbol.asyncDispose]() {
      api.close();
      await plane[Symbol.asyncDispose]();
    },
  };
}

async function embeddedApi(): Promise<ApiOfLives> {
  const dir = mkdtempSync(join(tmpdir(), 'hv-golden-api-'));
  const server = await serveEmbeddedApi({ core: { historyLength: 100_000 } });
  const fileFor = async (name: string, who: typeof NODE_USER): Promise<string> => {
    const file = join(dir, name);
    const user = await server.credentials(who);
    const { address, authority } = server;
    writeFileSync(file, kubeconfig({ server: address, authority: authority.certificate, user }), { mode: 0o600 });
    return file;
  };
  const api = transportOf(await fileFor('admin', { ...administrator, groups: [...administrator.groups] }));
  return {
    name: 'the embedded API server',
    api,
    agentKubeconfig: await fileFor('node', NODE_USER),
    async [Symbol.asyncDispose]() {
      api.close();
      await server.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
