import type { Duplex } from 'node:stream';
import { SpdySession } from './spdy-session.ts';

export const portForwardProtocol = 'portforward.k8s.io';
/** The same protocol within WebSocket messages. */
export const tunnelledProtocol = `SPDY/3.1+${portForwardProtocol}`;

/** Connects to a pod's port, or returns why it cannot. */
export type ConnectPort = (port: number, connection: Duplex) => string | undefined;

/** Serves one client's forwarded ports. Each connection is a pair of streams, for data and for errors. */
export async function forwardPorts(connection: Duplex, connect: ConnectPort): Promise<void> {
  const waiting = new Map<string, { data?: Duplex; error?: Duplex }>();
  const session = new SpdySession(connection, ({ headers, bytes }) => {
    const type = headers.get('streamtype');
    if (type !== 'data' && type !== 'error') {
      bytes.destroy();
      return;
    }
    const port = headers.get('port') ?? '';
    const request = `${port}/${headers.get('requestid') ?? ''}`;
    const before = waiting.get(request);
    const data = type === 'data' ? bytes : before?.data;
    const error = type === 'error' ? bytes : before?.error;
    if (data === undefined || error === undefined) {
      waiting.set(request, { [type]: bytes });
      return;
    }
    waiting.delete(request);
    error.resume();
    const problem = /^\d+$/.test(port) ? connect(Number(port), data) : `${JSON.stringify(port)} is not a port`;
    error.end(problem === undefined ? undefined : `error forwarding port ${port}: ${problem}`);
    if (problem === undefined) return;
    data.resume();
    data.end();
  });
  await session.closed;
}

/** The service behind a port that a pod declares: it answers HTTP with the pod's name, and echoes anything else. */
export function simulatedService(connection: Duplex, who: string): void {
  connection.on('error', () => {});
  connection.once('data', (first: Buffer) => {
    if (/^[A-Z]+ \S+ HTTP\/1\.\d\r\n/.test(first.toString('latin1'))) {
      const body = `${who}\n`;
      const head = [
        'HTTP/1.1 200 OK',
        'Content-Type: text/plain',
        `Content-Length: ${body.length}`,
        'Connection: close',
      ];
      connection.resume();
      connection.end(`${head.join('\r\n')}\r\n\r\n${body}`);
    } else {
      connection.write(first);
      connection.pipe(connection);
    }
  });
  connection.once('end', () => connection.end());
}
