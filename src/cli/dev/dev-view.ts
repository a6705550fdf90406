import type { WallMs } from '../../actor/clock.ts';
import { liveScreen, type LiveScreen } from '../terminal/live-screen.ts';
import type { Pod } from '../../kube/pod.ts';
import { formatTable } from '../terminal/format-table.ts';
import { changedSince } from '../get/get-pods.ts';
import { inOrder, podHeader, podRow } from '../get/pod-table.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The view of the pods in `hivelet dev`. */
export interface DevView {
  show(pods: readonly Pod[], now: WallMs): void;
  /** Shows lines that stay. */
  say(lines: readonly string[]): void;
}

const columns = { wide: false, namespaces: true };

/** Returns a table that is redrawn on a terminal; elsewhere, a line for each change. */
export const devView = (terminal: Terminal, screen: (terminal: Terminal) => LiveScreen = liveScreen): DevView =>
  terminal.isLive ? new LiveView(terminal, screen(terminal)) : new PlainView(terminal);

class PlainView implements DevView {
  readonly #terminal: Terminal;
  #shown: ReadonlyMap<string, string> = new Map();

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  show(pods: readonly Pod[], now: WallMs): void {
    const { changed, now: rows } = changedSince(this.#shown, inOrder(pods), (pod) => plainLine(pod, now));
    for (const key of this.#shown.keys()) if (!rows.has(key)) this.say([`${key} was removed`]);
    this.#shown = rows;
    this.say(changed.map((pod) => plainLine(pod, now)));
  }

  say(lines: readonly string[]): void {
    for (const line of lines) this.#terminal.write(`${line}\n`);
  }
}

/** Returns one line for a pod: `default/web-node 1/1 Running`, with its restarts if it had any. */
export function plainLine(pod: Pod, now: WallMs): string {
  const [namespace, name, ready, status, restarts] = podRow(pod, columns, now);
  return `${namespace}/${name} ${ready} ${status}${restarts === '0' ? '' : `, restarts: ${restarts}`}`;
}

class LiveView implements DevView {
  readonly #terminal: Terminal;
  readonly #screen: LiveScreen;
  #drawn = '';

  constructor(terminal: Terminal, screen: LiveScreen) {
    this.#terminal = terminal;
    this.#screen = screen;
  }

  show(pods: readonly Pod[], now: WallMs): void {
    const lines = tableLines(pods, { now, columns: this.#terminal.columns(), rows: this.#terminal.rows() });
    const drawn = lines.join('\n');
    if (drawn === this.#drawn) return;
    this.#screen.draw(lines);
    this.#drawn = drawn;
  }

  say(lines: readonly string[]): void {
    if (lines.length > 0) this.#screen.say(lines);
  }
}

/** Returns the table, cut to the terminal: a line that wraps, or has left the screen, cannot be redrawn. */
export function tableLines(
  pods: readonly Pod[],
  screen: { readonly now: WallMs; readonly columns: number; readonly rows: number },
): readonly string[] {
  const rows = inOrder(pods).map((pod) => podRow(pod, columns, screen.now));
  const lines = formatTable([podHeader(columns), ...rows]).map((line) => line.slice(0, screen.columns - 1));
  const room = Math.max(2, screen.rows - 2);
  return lines.length <= room ? lines : [...lines.slice(0, room - 1), `… and ${lines.length - room + 1} more`];
}
