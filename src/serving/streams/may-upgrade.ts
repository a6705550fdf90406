import type { IncomingMessage } from 'node:http';
import { findEndpoint, isStreamEndpoint, type ServerSwitches } from '../endpoints.ts';
import { readTarget } from '../request-target.ts';

/** What the runtime's streaming server speaks. */
const protocols: ReadonlySet<string> = new Set(['spdy/3.1', 'websocket']);

/**
 * `true` if a request is to become a stream: it asks an endpoint that is one for a protocol that is known. Any other request
 * is answered as if it had no `Upgrade` header. Rights are no matter here.
 */
export function mayUpgrade(
  { method = 'GET', url = '/', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  switches: ServerSwitches,
): boolean {
  const asked = (headers.upgrade ?? '').split(',').map((protocol) => protocol.trim().toLowerCase());
  if (!asked.some((protocol) => protocols.has(protocol))) return false;
  const target = readTarget(url);
  if (!target.ok) return false;
  const found = findEndpoint(method, target.path, switches);
  return found.type === 'endpoint' && isStreamEndpoint(found.name);
}
