import { fileURLToPath } from 'node:url';
import { systemClock } from './actor/clock.ts';
import { systemRandom } from './actor/random.ts';
import { exitCodes } from './cli/process-exit.ts';
import { runProgram } from './cli/program.ts';
import { processTerminal } from './cli/terminal.ts';

/** Whatever is still open then, this process ends with that code once its output is out. */
function leave(code: number): void {
  process.exitCode = code;
  process.stdout.write('', () => process.exit());
}

// `hivelet get pods | head`: the reader has seen enough.
process.stdout.on('error', () => process.exit());
// Nobody may be left thinking that this process still works; whoever started it knows this code from a wrong command line.
process.on('uncaughtException', (error) => {
  process.stderr.write(`hivelet has a bug, please report it:\n${error.stack}\n`);
  process.exit(exitCodes.agentFailed);
});

await runProgram({
  terminal: processTerminal,
  clock: systemClock,
  random: systemRandom,
  // Loaded when it is needed: most commands only ask an agent that runs already.
  startAgent: async (settings, log) => (await import('./agent.ts')).startAgent(settings, log),
  mainScript: fileURLToPath(import.meta.url),
  args: process.argv.slice(2),
  leave,
});
