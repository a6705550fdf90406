import type { IncomingMessage } from 'node:http';
import { findEndpoint, isStreamEndpoint, type ServerSwitches } from '../endpoints.ts';
import { readTarget } from '../request-target.ts';

/** The protocols of the runtime's streaming server. */
const protocols: ReadonlySet<string> = new Set(['spdy/3.1', 'websocket']);

/**
 * `true` if a request becomes a stream: it asks a stream endpoint for a known protocol. Any other request is
 * answered as if it had no `Upgrade` header. Rights are checked elsewhere.
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
