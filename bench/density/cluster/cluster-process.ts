/** The process beside the agent that has pods run on it: with an embedded API server of its own, or as a client of another. */
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../src/actor/clock.ts';
import { silentLog } from '../../../src/actor/log.ts';
import type { ApiTransport } from '../../../src/api/api-transport.ts';
import { openConnections } from '../../../src/api/transport/connections.ts';
import { runExecPlugin } from '../../../src/api/kubeconfig/exec-plugin.ts';
import { kubeconfigIdentity } from '../../../src/api/kubeconfig/kubeconfig-identity.ts';
import { networkTransport } from '../../../src/api/transport/network-transport.ts';
import { inProcessTransport } from '../../../src/embedded/apiserver/http/in-process-transport.ts';
import { kubeconfig } from '../../../src/embedded/apiserver/kubeconfig.ts';
import { serveEmbeddedApi } from '../../../src/embedded/apiserver/serve.ts';
import { Cluster } from './cluster.ts';
import type { ClusterQuestion, ClusterReady, ClusterSettings } from './cluster-protocol.ts';
import { WriteCounter } from '../count-writes.ts';

const settings = JSON.parse(process.argv[2] ?? '') as ClusterSettings;
const counter = new WriteCounter();
const { transport, nodeKubeconfig } =
  settings.kubeconfig === undefined
    ? await serve()
    : { transport: connect(settings.kubeconfig), nodeKubeconfig: settings.kubeconfig };
const cluster = new Cluster(transport, settings.nodeName);
let pods = 0;

function connect(file: string): ApiTransport {
  return networkTransport({
    source: kubeconfigIdentity(file, {
      readFile: (path) => readFile(path, 'utf8'),
      runPlugin: runExecPlugin,
      now: () => systemClock.now(),
    }),
    open: openConnections,
    clock: systemClock,
    log: silentLog,
    userAgent: 'bench',
  });
}

async function serve(): Promise<{ readonly transport: ApiTransport; readonly nodeKubeconfig: string }> {
  const { nodeName, folder } = settings;
  const server = await serveEmbeddedApi({
    faults(request) {
      counter.count(request);
      return undefined;
    },
    // A watcher that is slow for a moment while thousands of pods start must not have to list again.
    core: { historyLength: 100_000 },
  });
  const user = await server.credentials({ username: `system:node:${nodeName}`, groups: ['system:nodes'] });
  const file = join(folder, 'node.kubeconfig');
  const { address, authority } = server;
  writeFileSync(file, kubeconfig({ server: address, authority: authority.certificate, user }), { mode: 0o600 });
  // The bench's own calls leave the server time for others in between.
  return { transport: inProcessTransport(server.core, { later: setImmediate }), nodeKubeconfig: file };
}

async function answer(question: ClusterQuestion): Promise<unknown> {
  switch (question.type) {
    case 'node-ready':
      await cluster.nodeReady();
      return null;
    case 'run-pods':
      pods = question.pods;
      return cluster.runPods(pods);
    case 'delete-pods':
      return cluster.deletePods(pods);
    case 'writes':
      return settings.kubeconfig === undefined ? counter.counts : null;
    case 'unready':
      return cluster.takeUnready();
    default:
      return question satisfies never;
  }
}

process.on('message', ({ id, question }: { readonly id: number; readonly question: ClusterQuestion }) => {
  void answer(question).then((value) => process.send?.({ id, value }));
});
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
await cluster.prepare();
process.send?.({ type: 'cluster-ready', nodeKubeconfig } satisfies ClusterReady);
