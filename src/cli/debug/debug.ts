import { Argument, Command } from 'commander';
import { provocations, type Provocation } from '../../actor/threads/thread-control.ts';

import { adminClientFor, rootDirOption } from '../admin-option.ts';
import type { Program } from '../program-context.ts';
import { UserError } from '../user-error.ts';

interface DebugOptions {
  readonly rootDir: string;
}

/** `hivelet debug`: makes parts of an agent fail. The agent must run with --enable-fault-injection. */
export function debugCommand({ terminal, leave }: Program): Command {
  const debug = new Command('debug').description(
    'Makes parts of an agent fail. The agent must run with --enable-fault-injection.',
  );
  debug
    .command('crash')
    .description('Makes one actor throw.')
    .argument('<actor>', 'its address, such as pleg or pod-worker/UID')
    .addOption(rootDirOption())
    .action(async (address: string, { rootDir }: DebugOptions) => {
      const found = await adminClientFor(rootDir).crashActor(address);
      if (!found) throw new UserError(`there is no actor ${address}`);
      terminal.write(`made actor ${address} throw\n`);
      leave(0);
    });
  debug
    .command('thread')
    .description('Makes one thread fail.')
    .argument('<name>', 'its name, as hivelet top shows it')
    .addArgument(new Argument('<how>').choices(provocations))
    .addOption(rootDirOption())
    .action(async (name: string, how: Provocation, { rootDir }: DebugOptions) => {
      const found = await adminClientFor(rootDir).provokeThread(name, how);
      if (!found) throw new UserError(`there is no thread ${name}; hivelet top lists the threads`);
      terminal.write(`made thread ${name} ${how}\n`);
      leave(0);
    });
  return debug;
}
