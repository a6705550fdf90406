import { Command, Option } from 'commander';
import type { Clock } from '../actor/clock.ts';
import { adminClientFor, rootDirOption } from './admin-option.ts';
import { durationFrom } from './fault-rules.ts';
import type { Program } from './program.ts';
import { onStopSignal } from './stop-signals.ts';
import type { Terminal } from './terminal.ts';
import { topLines, type TopSample } from './top-table.ts';

interface TopOptions {
  readonly rootDir: string;
  readonly every: string;
  readonly once?: true;
}

/** `hivelet top`: how the agent's threads and actors fare. Drawn over itself on a terminal, printed once elsewhere. */
export function topCommand({ terminal, clock, leave }: Program): Command {
  return new Command('top')
    .summary('show the threads and actors of the agent on this machine')
    .description(
      'Shows what each thread of the agent uses and how each kind of actor fares, again and again until Ctrl-C; once when ' +
        'it is piped. `hivelet trace pod NAMESPACE/NAME` goes on to the timeline of one pod.',
    )
    .addOption(new Option('--every <duration>', 'how often it is drawn').default('2s'))
    .option('--once', 'print it once, also on a terminal')
    .addOption(rootDirOption())
    .action(async ({ rootDir, every, once }: TopOptions) => {
      const client = adminClientFor(rootDir);
      const sample = async (): Promise<TopSample> => ({ threads: await client.threads(), at: clock.monotonic() });
      if (terminal.isLive && once !== true) {
        const stopped = Promise.withResolvers<void>();
        onStopSignal(['SIGINT', 'SIGTERM'], () => stopped.resolve());
        await drawTop(sample, {
          terminal,
          clock,
          everyMs: Math.max(100, durationFrom(every)),
          stopped: stopped.promise,
        });
      } else {
        terminal.write(asText(topLines(await sample())));
      }
      leave(0);
    });
}

export interface DrawTop {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly stopped: Promise<void>;
}

/** Draws the tables over themselves until `stopped` resolves. Rejects when the agent does not answer any more. */
export async function drawTop(
  sample: () => Promise<TopSample>,
  { terminal, clock, everyMs, stopped }: DrawTop,
): Promise<void> {
  const over = stopped.then((): 'over' => 'over');
  let before: TopSample | undefined;
  let drawn = 0;
  for (;;) {
    const now = await sample();
    const lines = fitting(topLines(now, before), terminal);
    const erase = drawn === 0 ? '' : `\u001b[${drawn}A\u001b[0J`;
    terminal.write(erase + asText(lines));
    [before, drawn] = [now, lines.length];
    const pause = Promise.withResolvers<void>();
    const disarm = clock.after(everyMs, pause.resolve);
    const end = await Promise.race([over, pause.promise]);
    disarm();
    if (end === 'over') return;
  }
}

/** A line that wraps, or has left the screen, cannot be drawn over. */
function fitting(lines: readonly string[], terminal: Terminal): readonly string[] {
  const room = Math.max(2, terminal.rows() - 1);
  return lines.slice(0, room).map((line) => line.slice(0, terminal.columns() - 1));
}

const asText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
