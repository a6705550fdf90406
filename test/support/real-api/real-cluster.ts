import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiTransport } from '../../../src/api/api-transport.ts';
import { portOrFree } from '../../../src/cli/dev/port-or-free.ts';
import { administrator } from '../../../src/embedded/apiserver/serve.ts';
import type { ClusterUnderTest } from '../agent-process/cluster-under-test.ts';
import { podManifest } from '../agent-process/test-pods.ts';
import { waitUntil } from '../containerd/wait-until.ts';
import { bindPods } from './bind-pods.ts';
import { ControlPlane } from './control-plane.ts';
import type { ControlPlanePrograms } from './find-control-plane.ts';
import { transportOf } from './transport-of.ts';

const MAIN_SCRIPT = join(import.meta.dirname, '../../../src/main.ts');
const CALL_MS = 10_000;

interface Parts {
  readonly dir: string;
  readonly plane: ControlPlane;
  readonly kubeconfig: string;
  readonly admin: ApiTransport;
  readonly stopBinding: () => Promise<void>;
  readonly agent: ChildProcess;
}

/** Like `hivelet dev`, with a real control plane: an agent with one static pod, and a client that binds pods. */
export class RealCluster implements ClusterUnderTest {
  readonly hasMetrics = false;
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  static async start(programs: ControlPlanePrograms, runtimeEndpoint: string): Promise<RealCluster> {
    const dir = await mkdtemp(join(tmpdir(), 'hvr-'));
    const plane = await ControlPlane.start(programs);
    const nodeName = hostname().toLowerCase();
    const user = { username: `system:node:${nodeName}`, groups: ['system:nodes'] };
    const config = join(dir, 'config.json');
    await mkdir(join(dir, 'pods'));
    await writeFile(join(dir, 'pods', 'static.json'), JSON.stringify(podManifest('static')));
    await writeFile(config, JSON.stringify(await configuration(dir, plane, runtimeEndpoint)));
    const flags = [
      '--no-launcher',
      '--config',
      config,
      '--root-dir',
      join(dir, 'root'),
      '--cert-dir',
      join(dir, 'pki'),
    ];
    flags.push('--kubeconfig', await plane.kubeconfigFor(user), '--hostname-override', nodeName);
    const log = openSync(join(dir, 'agent.log'), 'a');
    // The channel closes when this process ends, and the agent with it.
    const agent = spawn(process.execPath, [MAIN_SCRIPT, 'run', ...flags], { stdio: ['ignore', log, log, 'ipc'] });
    closeSync(log);
    const kubeconfig = await plane.kubeconfigFor(administrator);
    const admin = transportOf(kubeconfig);
    return new RealCluster({ dir, plane, kubeconfig, admin, stopBinding: bindPods(admin), agent });
  }

  get kubeconfig(): string {
    return this.#parts.kubeconfig;
  }

  get rootDir(): string {
    return join(this.#parts.dir, 'root');
  }

  log(): Promise<string> {
    return readFile(join(this.#parts.dir, 'agent.log'), 'utf8');
  }

  /** Ends every pod, and then the agent, which would let them run on. */
  async stop(): Promise<number | null> {
    const { agent, dir, admin } = this.#parts;
    if (agent.exitCode !== null) return agent.exitCode;
    await rm(join(dir, 'pods', 'static.json'), { force: true });
    const path = '/api/v1/namespaces/default/pods';
    await waitUntil(
      async () => {
        const pods = await admin.call({ verb: 'list', path, priority: 'object' }, CALL_MS);
        const names = pods.ok ? (pods.value as { items: { metadata: { name: string } }[] }).items : [];
        for (const { metadata } of names) {
          await admin.call({ verb: 'delete', path: `${path}/${metadata.name}`, priority: 'object' }, CALL_MS);
        }
        return pods.ok && names.length === 0;
      },
      { what: 'all pods are gone', withinMs: 60_000 },
    );
    // A static pod runs on for as long as it takes the agent to see that its manifest has gone: its mirror is no
    // measure of that.
    const left = (): Promise<readonly string[]> => readdir(join(this.rootDir, 'pods'));
    await waitUntil(async () => (await left()).length === 0, { what: 'the node is empty', withinMs: 60_000 });
    const ended = new Promise<number | null>((resolve) => void agent.once('exit', resolve));
    agent.kill('SIGTERM');
    return ended;
  }

  async discard(): Promise<void> {
    const { stopBinding, admin, plane, dir } = this.#parts;
    await stopBinding();
    admin.close();
    await plane[Symbol.asyncDispose]();
    await rm(dir, { recursive: true, force: true });
  }
}

const configuration = async (dir: string, plane: ControlPlane, runtimeEndpoint: string): Promise<object> => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  authentication: {
    anonymous: { enabled: false },
    webhook: { enabled: true },
    x509: { clientCAFile: plane.authorityFile },
  },
  authorization: { mode: 'Webhook' },
  port: await portOrFree(10_250),
  healthzPort: 0,
  contentType: 'application/vnd.kubernetes.protobuf',
  failSwapOn: false,
  failCgroupV1: false,
  makeIPTablesUtilChains: false,
  staticPodPath: join(dir, 'pods'),
  podLogsDir: join(dir, 'root', 'pod-logs'),
  containerRuntimeEndpoint: runtimeEndpoint,
});
