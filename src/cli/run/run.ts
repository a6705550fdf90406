import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { profileFor } from '../../agent/tree.ts';
import type { RunFlags } from './agent-settings.ts';
import { type MemoryLimitAsked, readMemoryLimit } from '../../agent/memory-limit.ts';
import { addKubeletFlags, kubeletFlags, unlistedFlagNames } from './kubelet-flags.ts';
import type { Program } from '../program-context.ts';

/** `hivelet run`: the agent, in place of a kubelet. The decision on a launcher is made before any command is read. */
export function runCommand(program: Program): Command {
  const command = new Command('run')
    .summary('run the node agent, in place of a kubelet')
    .description(
      'Runs the node agent until SIGTERM or SIGINT, with the flags and the configuration file of a kubelet. Containers ' +
        'outlive it: the next agent with the same --root-dir takes them over.',
    )
    .option('--no-launcher', 'run in this process, without a launcher process that restarts the agent after a crash')
    .addOption(
      new Option('--profile <name>', 'how many threads the actors run on')
        .choices(['auto', 'standard', 'compact'])
        .default('auto', 'compact on a machine with one or two cores, else standard'),
    )
    .addOption(
      new Option(
        '--memory-limit <amount>',
        'memory limit of the agent itself; above it the agent ends and is restarted; or none',
      )
        .argParser(memoryLimit)
        .default(
          { type: 'auto' },
          "from the machine's memory, its reserved memory and maxPods; at least 1 GiB, at most half the machine",
        ),
    )
    .option('--objects-dir <folder>', 'folder of ConfigMaps and Secrets for static pods, when there is no API server')
    .option('--enable-fault-injection', 'allow `hivelet fault` to make parts of the agent fail');
  addKubeletFlags(command);
  command.addHelpText(
    'after',
    () => `\nEvery other kubelet flag is accepted too; each sets a field of the configuration file:\n${unlisted()}\n`,
  );
  return command.action(async (options: RunOptions) => {
    const run: RunFlags = {
      profile: options.profile === 'auto' ? profileFor(availableParallelism()) : options.profile,
      faultInjection: options.enableFaultInjection === true,
      memoryLimit: options.memoryLimit,
      ...(options.objectsDir === undefined ? {} : { objectsDir: resolve(options.objectsDir) }),
    };
    program.leave(await runHere(program, { command, run }));
  });
}

function memoryLimit(text: string): MemoryLimitAsked {
  const asked = readMemoryLimit(text);
  if (asked !== undefined) return asked;
  throw new InvalidArgumentError(`${text} must be auto, none, or an amount of at least 256Mi.`);
}

interface RunOptions {
  readonly memoryLimit: MemoryLimitAsked;
  readonly profile: RunFlags['profile'] | 'auto';
  readonly objectsDir?: string;
  readonly enableFaultInjection?: true;
}

async function runHere(
  { clock, startAgent, machine }: Program,
  { command, run }: { readonly command: Command; readonly run: RunFlags },
): Promise<number> {
  const { runAgent } = await import('./run-agent.ts');
  return runAgent(kubeletFlags(command), run, { clock, startAgent, machine });
}

/** Returns the names in lines of a terminal's width. */
function unlisted(): string {
  const lines = [''];
  for (const name of unlistedFlagNames) {
    const line = lines.at(-1) ?? '';
    if (line.length + name.length > 96) lines.push(name);
    else lines[lines.length - 1] = line === '' ? name : `${line} ${name}`;
  }
  return lines.map((line) => `  ${line}`).join('\n');
}
