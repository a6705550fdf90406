import { Command, CommanderError } from 'commander';
import { AdminError } from './admin/admin-client.ts';
import { packageVersion } from '../package-root.ts';
import { apiServerCommand } from './apiserver/apiserver.ts';
import { debugCommand } from './debug/debug.ts';
import { devCommand } from './dev/dev.ts';
import { faultCommand } from './fault/fault.ts';
import { getCommand } from './get/get.ts';
import type { Program } from './program-context.ts';
import { inOurSpelling } from './run/kubelet-flags.ts';
import { runCommand } from './run/run.ts';
import { runtimeCommand } from './runtime/runtime.ts';
import { topCommand } from './top/top.ts';
import { traceCommand } from './trace/trace.ts';
import { UserError } from './user-error.ts';

/** The whole command line. */
export function buildCommand(program: Program): Command {
  const { terminal } = program;
  const root = new Command('hivelet')
    .description('A Kubernetes node agent in which every duty is a supervised actor on a worker thread.')
    .version(`hivelet ${packageVersion()}`, '--version', 'print the version')
    .helpCommand(false)
    .addCommand(devCommand(program))
    .addCommand(runCommand(program))
    .addCommand(getCommand(program))
    .addCommand(topCommand(program))
    .addCommand(traceCommand(program))
    .addCommand(faultCommand(program))
    .addCommand(runtimeCommand(program))
    .addCommand(apiServerCommand(program))
    .addCommand(debugCommand(program), { hidden: true });
  root.addHelpText('after', '\nRun hivelet COMMAND --help for more about a command.\n');
  return forEachCommand(root, (command) => {
    command
      .exitOverride()
      .showSuggestionAfterError()
      .configureHelp({ helpWidth: Math.min(terminal.columns(), 110) })
      .configureOutput({ writeOut: (text) => terminal.write(text), writeErr: (text) => terminal.complain(text) });
  });
}

function forEachCommand(command: Command, change: (each: Command) => void): Command {
  change(command);
  for (const child of command.commands) forEachCommand(child, change);
  return command;
}

/**
 * Runs the command of the arguments. Returns once it has finished. Problems that the user can mend end in a message and
 * code 1.
 */
export async function runProgram(program: Program): Promise<void> {
  try {
    await buildCommand(program).parseAsync(inOurSpelling(program.args), { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return program.leave(error.exitCode);
    if (!(error instanceof UserError || error instanceof AdminError)) throw error;
    program.terminal.complain(`${error.message}\n`);
    program.leave(1);
  }
}
