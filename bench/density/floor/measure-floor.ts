import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentRun } from '../agent-child.ts';
import { startChild } from '../child.ts';
import type { FloorResult } from './floor-client.ts';
import { NODE_NAME, runPlace, type RunPlace } from '../node-setup.ts';
import { startCluster } from '../cluster/start-cluster.ts';
import { startRuntime } from '../start-runtime.ts';
import { TemporaryFolder } from '../temporary-folder.ts';

export interface FloorRun extends Pick<AgentRun, 'script' | 'pods' | 'interrupted'> {
  readonly via: 'folder' | 'api';
}

/**
 * CPU of a bare client, in a process of its own, on a fresh runtime: the same six CRI calls for each pod, and, where the pods
 * come from an API server, the same watch and writes.
 */
export async function measureFloor(run: FloorRun): Promise<FloorResult> {
  using folder = new TemporaryFolder();
  const place = runPlace(folder.path);
  await using runtime = await startRuntime(run.script, place);
  const ends = [runtime.alive, run.interrupted];
  if (run.via === 'folder') {
    await using client = startClient(place, [String(run.pods)]);
    return await Promise.race([resultOf(client), client.alive, ...ends]);
  }
  await using cluster = await startCluster({ nodeName: NODE_NAME, folder: place.folder, kubeconfig: undefined });
  await using client = startClient(place, [String(run.pods), cluster.nodeKubeconfig]);
  const result = resultOf(client);
  await client.message;
  const [measured] = await Promise.race([
    Promise.all([result, cluster.question({ type: 'run-pods', pods: run.pods })]),
    client.alive,
    cluster.alive,
    ...ends,
  ]);
  return measured;
}

const startClient = (place: RunPlace, args: readonly string[]) =>
  startChild({
    name: 'the bare client',
    args: [fileURLToPath(new URL('./floor-client.ts', import.meta.url)), place.folder, ...args],
    logFile: join(place.folder, 'floor.log'),
  });

async function resultOf(client: ReturnType<typeof startClient>): Promise<FloorResult> {
  await client.message;
  // Sent by floor-client.ts, and nothing else.
  return (await client.ask('run')) as FloorResult;
}
