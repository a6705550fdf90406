import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from './child.ts';
import type { FloorResult } from './floor-client.ts';
import type { AgentRun } from './agent-child.ts';
import { runPlace } from './node-setup.ts';
import { startRuntime } from './start-runtime.ts';
import { TemporaryFolder } from './temporary-folder.ts';

export type FloorRun = Pick<AgentRun, 'script' | 'pods' | 'interrupted'>;

/** CPU of a bare client, in a process of its own, that makes the same six CRI calls for each pod, on a fresh runtime. */
export async function measureFloor({ script, pods, interrupted }: FloorRun): Promise<FloorResult> {
  using folder = new TemporaryFolder();
  const place = runPlace(folder.path);
  await using runtime = await startRuntime(script, place);
  await using client = startChild({
    name: 'the bare client',
    args: [fileURLToPath(new URL('./floor-client.ts', import.meta.url)), place.folder, String(pods)],
    logFile: join(place.folder, 'floor.log'),
  });
  // Sent by floor-client.ts, and nothing else.
  return (await Promise.race([client.message, runtime.alive, interrupted])) as FloorResult;
}
