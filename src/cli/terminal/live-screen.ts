import { Writable } from 'node:stream';
import { createLogUpdate } from 'log-update';
import type { Terminal } from './terminal.ts';

/** Lines at the end of what is on a terminal, drawn over themselves. */
export interface LiveScreen {
  draw(lines: readonly string[]): void;
  /** Lines that stay, above what is drawn. */
  say(lines: readonly string[]): void;
  /** What is drawn stays, too. */
  done(): void;
}

/** On a terminal that can be drawn over. */
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
