import { fileURLToPath } from 'node:url';
import { systemClock } from './actor/clock.ts';
import { systemRandom } from './actor/random.ts';
import { makeLog } from './agent/logger.ts';
import { useCompileCache } from './agent/compile-cache.ts';
import { exitCodes } from './agent/process-exit.ts';
import type { StartAgent } from './cli/run/run-agent.ts';
import { asksForLauncher, launch } from './agent/launcher.ts';
import { excerpt } from './kube/text/excerpt.ts';

/** Ends this process with that code once its output is written, whatever is still open. */
function leave(code: number): void {
  process.exitCode = code;
  process.stdout.write('', () => process.exit());
}

// `hivelet get pods | head`: the reader has closed the pipe.
process.stdout.on('error', () => process.exit());
// A broken process is worse than none: its launcher or service manager restarts it.
process.on('uncaughtException', (error) => {
  process.stderr.write(`hivelet has a bug, please report it:\n${excerpt(error.stack ?? error.message, 16 * 1024)}\n`);
  process.exit(exitCodes.agentFailed);
});

const mainScript = fileURLToPath(import.meta.url);
const args = process.argv.slice(2);
const clock = systemClock;
const random = systemRandom;

if (asksForLauncher(args)) {
  const format = process.stderr.isTTY ? 'text' : 'json';
  const log = makeLog({ verbosity: 0, format, destination: 'stderr', bindings: { process: 'launcher' } });
  leave(await launch({ agent: [mainScript, ...args, '--no-launcher'], clock, random, log }));
} else {
  if (args[0] === 'run') useCompileCache(args);
  const { runProgram } = await import('./cli/program.ts');
  const { processTerminal: terminal } = await import('./cli/terminal/terminal.ts');
  // Loaded on demand: most commands only ask a running agent.
  const startAgent: StartAgent = async (...how) => (await import('./cli/run/start-agent.ts')).startAgent(...how);
  const machine = (await import('./cli/run/agent-machine.ts')).thisMachine(clock);
  await runProgram({ terminal, clock, random, startAgent, machine, mainScript, args, leave });
}
