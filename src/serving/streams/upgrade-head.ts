import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Headers for this server only (credentials and host): they are not forwarded. */
const own: ReadonlySet<string> = new Set(['authorization', 'cookie', 'host']);

/** Returns the head of an upgrade request for another server: unchanged but for host and credentials. */
export function upgradeHead(
  { method = 'GET', rawHeaders }: Pick<IncomingMessage, 'method' | 'rawHeaders'>,
  target: { readonly host: string; readonly path: string },
): string {
  const lines = [`${method} ${target.path} HTTP/1.1`, `Host: ${target.host}`];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!own.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[index + 1] ?? ''}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Refuses an upgrade request, and closes its connection. */
export function refuseUpgradeWith(
  socket: Duplex,
  answer: {
    readonly status: number;
    readonly reason: string;
    readonly contentType: string;
    readonly text: string;
    readonly headers?: readonly string[];
  },
): void {
  if (socket.destroyed) return;
  const lines = [
    `HTTP/1.1 ${answer.status} ${answer.reason}`,
    `Content-Type: ${answer.contentType}`,
    `Content-Length: ${Buffer.byteLength(answer.text)}`,
    ...(answer.headers ?? []),
    'Connection: close',
  ];
  // A client that does not read the answer is not waited for.
  socket.end(`${lines.join('\r\n')}\r\n\r\n${answer.text}`, () => socket.destroy());
}
