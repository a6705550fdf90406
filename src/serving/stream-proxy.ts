import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ProxyOptions {
  /** Where the runtime's streaming server waits for this one stream. */
  readonly url: string;
  /** Both ends are closed after so long without a byte in either direction. 0: never. */
  readonly idleMs: number;
}

/** Headers that say who asked the node, which is no matter of the runtime. */
const kept = (name: string): boolean => !['authorization', 'host', 'cookie'].includes(name.toLowerCase());

/**
 * Hands an upgraded connection through to the runtime, byte by byte, whatever protocol is spoken on it. The runtime's own
 * answer to the upgrade is the client's. Resolves when both directions have ended; a side that ends its direction leaves the
 * other one open, and one that breaks takes both down.
 */
export function proxyStream(
  request: IncomingMessage,
  client: Duplex,
  { url, idleMs, head }: ProxyOptions & { readonly head: Buffer },
): Promise<{ readonly failed: string | undefined }> {
  const target = new URL(url);
  return new Promise((resolve) => {
    let over = false;
    let connected = false;
    const runtime: Socket = connect({
      host: target.hostname.replace(/^\[|\]$/g, ''),
      port: Number(target.port || 80),
      allowHalfOpen: true,
    });
    const end = (failed: string | undefined): void => {
      if (over) return;
      over = true;
      runtime.destroy();
      if (connected || failed === undefined) client.destroy();
      resolve({ failed: connected ? undefined : failed });
    };
    runtime.once('connect', () => {
      connected = true;
      runtime.setNoDelay(true);
      runtime.write(requestHead(request, target));
      if (head.length > 0) runtime.write(head);
      // Both hold back a side that writes faster than the other reads.
      client.pipe(runtime);
      runtime.pipe(client);
    });
    if (idleMs > 0) runtime.setTimeout(idleMs, () => end(undefined));
    const ended = { client: false, runtime: false };
    const halfEnded = (side: 'client' | 'runtime'): void => {
      ended[side] = true;
      if (ended.client && ended.runtime) end(undefined);
    };
    runtime.once('error', (error) => end(error.message));
    runtime.once('end', () => halfEnded('runtime'));
    runtime.once('close', () => end(undefined));
    client.once('error', () => end(undefined));
    client.once('end', () => halfEnded('client'));
    client.once('close', () => end(undefined));
  });
}

function requestHead({ method = 'GET', rawHeaders }: IncomingMessage, target: URL): string {
  const lines = [`${method} ${target.pathname}${target.search} HTTP/1.1`, `Host: ${target.host}`];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (kept(name)) lines.push(`${name}: ${rawHeaders[index + 1] ?? ''}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
