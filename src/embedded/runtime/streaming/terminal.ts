import { PassThrough, Transform, type Readable, type Writable } from 'node:stream';

/** The terminal between a command and a typing user. */
export interface Terminal {
  readonly stdin: Readable | undefined;
  readonly stdout: Writable;
}

const CONTROL = { interrupt: 0x03, end: 0x04, backspace: 0x08, newline: 0x0a, enter: 0x0d, delete: 0x7f } as const;

/**
 * A minimal line discipline of a terminal, enough to type at a simulated shell. It echoes the input, passes it on
 * line by line, ends it at Ctrl-D, and calls `interrupt` at Ctrl-C.
 */
export function terminalOver(stdin: Readable | undefined, stdout: Writable, interrupt: () => void): Terminal {
  const shown = new Transform({
    transform: (piece: Buffer, _encoding, done) => done(null, piece.toString('latin1').replaceAll('\n', '\r\n')),
    defaultEncoding: 'latin1',
    encoding: 'latin1',
  });
  shown.on('data', (text: string) => void stdout.write(Buffer.from(text, 'latin1')));
  if (stdin === undefined) return { stdin: undefined, stdout: shown };
  const typed = new PassThrough();
  typed.on('error', () => {});
  let line: number[] = [];
  const flush = (): void => {
    if (!typed.writableEnded) typed.write(Buffer.from(line));
    line = [];
  };
  stdin.on('data', (piece: Buffer) => {
    for (const byte of piece) {
      if (byte === CONTROL.enter || byte === CONTROL.newline) {
        line.push(CONTROL.newline);
        shown.write('\n');
        flush();
      } else if (byte === CONTROL.interrupt) {
        shown.write('^C\n');
        interrupt();
      } else if (byte === CONTROL.end) {
        if (line.length > 0) flush();
        else typed.end();
      } else if (byte === CONTROL.backspace || byte === CONTROL.delete) {
        if (line.pop() !== undefined) shown.write('\b \b');
      } else {
        line.push(byte);
        shown.write(Buffer.of(byte));
      }
    }
  });
  stdin.once('end', () => typed.end());
  stdin.once('error', () => typed.end());
  return { stdin: typed, stdout: shown };
}
