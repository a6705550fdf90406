import { join } from 'node:path';
import { startChild, type Child } from './child.ts';
import type { RunPlace } from './node-setup.ts';

/** The embedded runtime as a process of its own, which answers by the time this resolves. */
export async function startRuntime(script: string, { folder, runtimeSocket }: RunPlace): Promise<Child> {
  const runtime = startChild({
    name: 'the embedded runtime',
    args: [script, 'runtime', '--socket', runtimeSocket],
    logFile: join(folder, 'runtime.log'),
  });
  await runtime.message;
  return runtime;
}
