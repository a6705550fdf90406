import { PassThrough, Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import {
  type CommandChannels,
  parseSize,
  statusText,
  type TerminalSize,
  type WantedStreams,
} from './command-channels.ts';

/** The first byte of each message names its stream. */
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** With v5 a client can end the input without closing the connection. */
export const commandProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;

/** The streams of a command over a WebSocket (`v4.channel.k8s.io`, `v5.channel.k8s.io`). */
export function webSocketChannels(socket: WebSocket, wanted: WantedStreams): CommandChannels {
  const stdin = wanted.stdin ? new PassThrough() : undefined;
  stdin?.on('error', () => {});
  const listeners: ((size: TerminalSize) => void)[] = [];
  let size: TerminalSize | undefined;
  const gone = new AbortController();
  socket.on('message', (message: Buffer) => {
    const data = message.subarray(1);
    switch (message[0]) {
      case channels.stdin:
        if (stdin === undefined || stdin.writableEnded || stdin.write(data)) return;
        socket.pause();
        stdin.once('drain', () => socket.resume());
        return;
      case channels.resize:
        size = parseSize(data.toString()) ?? size;
        for (const listener of listeners) if (size !== undefined) listener(size);
        return;
      case channels.close:
        if (data[0] === channels.stdin && socket.protocol === commandProtocols[0]) stdin?.end();
        return;
      default:
        return;
    }
  });
  socket.on('error', () => {});
  socket.once('close', () => {
    gone.abort();
    stdin?.end();
  });
  const output = (channel: number, isWanted: boolean): Writable =>
    new Writable({
      write(piece: Buffer, _encoding, done) {
        if (!isWanted || socket.readyState !== socket.OPEN) return done();
        socket.send(Buffer.concat([Buffer.of(channel), piece]), () => done());
      },
    });
  const stdout = output(channels.stdout, wanted.stdout);
  return {
    stdin,
    stdout,
    stderr: wanted.tty ? stdout : output(channels.stderr, wanted.stderr),
    gone: gone.signal,
    onResize(listener) {
      listeners.push(listener);
      if (size !== undefined) listener(size);
    },
    finish(status) {
      // Messages keep their order. The library limits how long a close may take: a slow client gets all output first.
      const last = Buffer.concat([Buffer.of(channels.error), Buffer.from(statusText(status))]);
      socket.send(last, () => socket.close(1000));
    },
  };
}
