import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { messageOf } from '../../../kube/text/message-of.ts';

/**
 * A socket that reads one JSON command on each line and answers each with one line: `{"ok":true}` or
 * `{"ok":false,"error":…}`.
 */
export interface ControlServer {
  close(): Promise<void>;
}

function answer(obey: (command: unknown) => void, line: string): string {
  try {
    const command: unknown = JSON.parse(line);
    obey(command);
    return JSON.stringify({ ok: true });
  } catch (error) {
    return JSON.stringify({ ok: false, error: messageOf(error) });
  }
}

/**
 * Listens on a unix socket. `obey` carries out a command, or throws its refusal. Rejects if the socket cannot be
 * made.
 */
export async function serveControl(path: string, obey: (command: unknown) => void): Promise<ControlServer> {
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // A client that disconnected needs no answer.
    socket.on('error', () => socket.destroy());
    createInterface({ input: socket }).on('line', (line) => socket.write(`${answer(obey, line)}\n`));
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    async close() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}
