import { Command, Option } from 'commander';
import type { Clock } from '../../actor/clock.ts';
import type { Pod } from '../../kube/pod.ts';
import type { LiveScreen } from '../terminal/live-screen.ts';
import { adminClientFor, rootDirOption } from '../admin-option.ts';
import { durationFrom } from '../fault/fault-rules.ts';
import type { Program } from '../program-context.ts';
import { onStopSignal } from '../../agent/stop-signals.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { topLines, type TopSample } from './top-table.ts';
import { afterKey, firstView, keysLine, topSorts, topTables, type TopView } from './top-view.ts';

interface TopOptions {
  readonly rootDir: string;
  readonly every: string;
  readonly once?: true;
  readonly show: TopView['show'];
  readonly sort: TopView['sort'];
}

/** `hivelet top`: the load of the agent's threads and actors. Redrawn on a terminal, printed once elsewhere. */
export function topCommand({ terminal, clock, leave }: Program): Command {
  return new Command('top')
    .summary('show the threads and actors of the agent on this machine')
    .description(
      'Shows what each thread of the agent uses and how each kind of actor fares. Refreshes until q or Ctrl-C; prints once ' +
        'when its output is piped. Keys choose the table and its order. `hivelet trace pod NAMESPACE/NAME` shows the timeline of one pod.',
    )
    .addOption(new Option('--every <duration>', 'how often to refresh').default('2s'))
    .option('--once', 'print once, also on a terminal')
    .addOption(new Option('--show <table>', 'the table to show').choices(topTables).default(firstView.show))
    .addOption(new Option('--sort <by>', 'what comes first').choices(topSorts).default(firstView.sort))
    .addOption(rootDirOption())
    .action(async ({ rootDir, every, once, show, sort }: TopOptions) => {
      const client = adminClientFor(rootDir);
      const sample = async (view: TopView): Promise<TopSample> => {
        const podNames = view.show === 'pods' ? podNamesOf(await client.pods()) : new Map<string, string>();
        return { threads: await client.threads(), podNames, at: clock.monotonic() };
      };
      const view: TopView = { show, sort };
      if (terminal.isLive && once !== true) {
        const stopped = Promise.withResolvers<void>();
        onStopSignal(['SIGINT', 'SIGTERM'], () => stopped.resolve());
        // The library is loaded only for a terminal.
        const { liveScreen } = await import('../terminal/live-screen.ts');
        await drawTop(sample, {
          terminal,
          screen: liveScreen(terminal),
          clock,
          everyMs: Math.max(100, durationFrom(every)),
          stopped: stopped.promise,
          view,
        });
      } else {
        terminal.write(asText(topLines(await sample(view), undefined, view)));
      }
      leave(0);
    });
}

export interface DrawTop {
  readonly terminal: Pick<Terminal, 'columns' | 'rows' | 'onKey'>;
  readonly screen: LiveScreen;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly stopped: Promise<void>;
  readonly view?: TopView;
}

/** Redraws the tables until `stopped` resolves, or a key ends it. Rejects when the agent no longer answers. */
export async function drawTop(
  sample: (view: TopView) => Promise<TopSample>,
  { terminal, screen, clock, everyMs, stopped, view: first = firstView }: DrawTop,
): Promise<void> {
  const shows: { over: boolean; view: TopView } = { over: false, view: first };
  let goOn = (): void => {};
  const stop = (): void => {
    shows.over = true;
    goOn();
  };
  void stopped.then(stop);
  const offKey = terminal.onKey((key) => {
    const next = afterKey(shows.view, key);
    if (next === 'quit') return stop();
    shows.view = next;
    goOn();
  });
  let before: TopSample | undefined;
  try {
    while (!shows.over) {
      const shown = shows.view;
      const now = await sample(shown);
      const lines = fitting([...topLines(now, before, shown), '', keysLine], terminal);
      screen.draw(lines);
      before = now;
      // A key pressed during the request takes effect at once.
      if (shows.over || shows.view !== shown) continue;
      const pause = Promise.withResolvers<void>();
      goOn = pause.resolve;
      const disarm = clock.after(everyMs, pause.resolve);
      await pause.promise;
      disarm();
    }
  } finally {
    offKey();
    screen.done();
  }
}

const podNamesOf = (pods: readonly Pod[]): ReadonlyMap<string, string> =>
  new Map(pods.map(({ metadata }) => [metadata.uid, `${metadata.namespace}/${metadata.name}`]));

/** A line that wraps, or has left the screen, cannot be redrawn. */
function fitting(lines: readonly string[], terminal: Pick<Terminal, 'columns' | 'rows'>): readonly string[] {
  const room = Math.max(2, terminal.rows() - 1);
  const kept = lines.length <= room ? lines : [...lines.slice(0, room - 1), lines.at(-1) ?? ''];
  return kept.map((line) => line.slice(0, terminal.columns() - 1));
}

const asText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
