import { Writable, type Duplex } from 'node:stream';
import type { Clock } from '../../../actor/clock.ts';
import {
  type CommandChannels,
  parseSize,
  statusText,
  type TerminalSize,
  type WantedStreams,
} from './command-channels.ts';
import { SpdySession } from './spdy-session.ts';

/** How long a client may take to open the announced streams. */
const OPENED_WITHIN_MS = 30_000;

const nowhere = (): Writable => new Writable({ write: (_piece, _encoding, done) => done() });

/**
 * The streams of a command over SPDY/3.1, each named by a header. `undefined` when the client never opened them.
 */
export async function spdyChannels(
  connection: Duplex,
  wanted: WantedStreams,
  clock: Clock,
): Promise<CommandChannels | undefined> {
  const { stdin, stdout, stderr, tty } = wanted;
  const names = ['error', ...(stdin ? ['stdin'] : []), ...(stdout ? ['stdout'] : [])];
  if (stderr && !tty) names.push('stderr');
  if (tty) names.push('resize');
  const opened = new Map<string, Duplex>();
  const all = Promise.withResolvers<boolean>();
  const session = new SpdySession(connection, ({ headers, bytes }) => {
    const name = headers.get('streamtype') ?? '';
    if (!names.includes(name) || opened.has(name)) bytes.destroy();
    else opened.set(name, bytes);
    if (opened.size === names.length) all.resolve(true);
  });
  const stopTimer = clock.after(OPENED_WITHIN_MS, () => all.resolve(false));
  const gone = new AbortController();
  const left = (): void => {
    all.resolve(false);
    gone.abort();
  };
  void session.closed.then(left);
  const isWhole = await all.promise;
  stopTimer();
  if (!isWhole) {
    session.end();
    return undefined;
  }
  const out = opened.get('stdout') ?? nowhere();
  const errors = opened.get('stderr') ?? (tty ? out : nowhere());
  // The client sends nothing on these.
  for (const name of ['stdout', 'stderr', 'error']) opened.get(name)?.resume();
  return {
    stdin: opened.get('stdin'),
    stdout: out,
    stderr: errors,
    gone: gone.signal,
    onResize: (listener) => readSizes(opened.get('resize'), listener),
    finish(status) {
      // A reader of the exit status has read all output before it.
      const written = [...new Set([out, errors])].map((each) => new Promise<void>((done) => each.end(() => done())));
      void Promise.all(written).then(() => opened.get('error')?.end(statusText(status), () => session.end()));
    },
  };
}

/** Sizes arrive as JSON, one after the other. */
function readSizes(stream: Duplex | undefined, listener: (size: TerminalSize) => void): void {
  let text = '';
  stream?.on('data', (piece: Buffer) => {
    text += piece.toString();
    for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}')) {
      const size = parseSize(text.slice(0, end + 1));
      text = text.slice(end + 1);
      if (size !== undefined) listener(size);
    }
  });
}
