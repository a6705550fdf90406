import { Command } from 'commander';
import type { ThreadFigures } from '../actor/thread-control.ts';
import { adminClientFor, rootDirOption } from './admin-option.ts';
import { formatTable } from './format-table.ts';
import type { Program } from './program.ts';

const MIB = 1024 * 1024;

/** `hivelet top`: what the agent's threads use. */
export function topCommand({ terminal, leave }: Program): Command {
  return new Command('top')
    .summary('show the threads of the agent on this machine')
    .description('Shows what each thread of the agent uses, and how its actors fare.')
    .addOption(rootDirOption())
    .action(async ({ rootDir }: { readonly rootDir: string }) => {
      const threads = await adminClientFor(rootDir).threads();
      terminal.write(
        formatTable(threadRows(threads))
          .map((line) => `${line}\n`)
          .join(''),
      );
      leave(0);
    });
}

/** The table of threads, with its head. CPU is since the thread's start. */
export function threadRows(threads: readonly ThreadFigures[]): readonly (readonly string[])[] {
  return [
    ['THREAD', 'CPU', 'HEAP', 'EXTERNAL', 'ACTORS', 'WAITING', 'HANDLED', 'RESTARTS', 'LAST FAULT'],
    ...threads.map((thread) => {
      const actors = Object.entries(thread.actors);
      const sum = (figure: 'depth' | 'handled' | 'restarts'): string =>
        String(actors.reduce((total, [, cell]) => total + cell[figure], 0));
      const fault = actors.find(([, cell]) => cell.lastFault !== undefined);
      return [
        thread.thread,
        `${(thread.cpuMs / 1000).toFixed(1)}s`,
        `${(thread.heapUsedBytes / MIB).toFixed(1)}MiB`,
        `${(thread.externalBytes / MIB).toFixed(1)}MiB`,
        String(actors.length),
        sum('depth'),
        sum('handled'),
        sum('restarts'),
        fault === undefined ? '' : `${fault[0]}: ${fault[1].lastFault?.split('\n')[0] ?? ''}`,
      ];
    }),
  ];
}
