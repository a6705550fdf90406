import { Writable } from 'node:stream';
import { createLogUpdate } from 'log-update';
import type { Terminal } from './terminal.ts';

/** Lines at the end of a terminal's output, which are redrawn in place. */
export interface LiveScreen {
  draw(lines: readonly string[]): void;
  /** Writes lines that stay, above the drawn ones. */
  say(lines: readonly string[]): void;
  /** Ends drawing; the last drawn lines stay. */
  done(): void;
}

/** Returns a screen on a terminal that allows redrawing. */
export function liveScreen(terminal: Terminal): LiveScreen {
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      terminal.write(text);
      done();
    },
  });
  const size = { columns: { get: () => terminal.columns() }, rows: { get: () => terminal.rows() } };
  const log = createLogUpdate(Object.defineProperties(stream, size), { showCursor: true });
  return {
    draw: (lines) => log(lines.join('\n')),
    say: (lines) => log.persist(lines.join('\n')),
    done: () => log.done(),
  };
}
