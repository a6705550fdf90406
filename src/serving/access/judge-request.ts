import type { WallMs } from '../../actor/clock.ts';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { AllowedRequest } from '../allowed-request.ts';
import { accessAttributes, forbiddenText } from './authorization-attributes.ts';
import { clientOf } from './client-of.ts';
import { findEndpoint } from '../endpoints.ts';
import { anonymous, bearerTokenOf, type Credentials } from './request-identity.ts';
import type { NodeServerSettings, NodeServerTools } from '../node-server-settings.ts';
import { errorReply, tooManyReply, type Reply } from '../reply.ts';
import { readTarget } from '../request-target.ts';
import type { UnidentifiedConnections } from './unidentified-connections.ts';

export type Verdict =
  { readonly type: 'allowed'; readonly request: AllowedRequest } | { readonly type: 'refused'; readonly reply: Reply };

export interface ServerContext {
  readonly settings: NodeServerSettings;
  readonly tools: NodeServerTools;
  readonly unidentified: UnidentifiedConnections;
}

/**
 * Identifies the client, then the requested access, then authorizes it. The order keeps unauthorized clients from
 * learning which objects exist.
 */
export async function judge(
  raw: IncomingMessage,
  signal: AbortSignal,
  { settings, tools, unidentified }: ServerContext,
): Promise<Verdict> {
  const { method = 'GET', url = '/' } = raw;
  const target = readTarget(url);
  if (!target.ok) return { type: 'refused', reply: errorReply(target.status, target.problem) };
  const { path, query } = target;
  const refuse = (reply: Reply): Verdict => ({ type: 'refused', reply });
  const { authenticator, authorizer } = tools;
  if (authenticator !== undefined && authorizer !== undefined) {
    const credentials = credentialsOf(raw, tools.clock.now());
    if (typeof credentials.certificate !== 'string' && raw.socket instanceof TLSSocket) {
      const ends = Date.parse(raw.socket.getPeerCertificate().valid_to);
      tools.metrics?.clientCertificate((ends - tools.clock.now()) / 1000);
    }
    const who = await authenticator.identify(credentials);
    if (who.type === 'failed') {
      tools.warn({ problem: who.problem }, 'cannot authenticate a request: the token review failed; answering 401');
      return refuse(errorReply(401, 'Unauthorized'));
    }
    if (who.type === 'overloaded') return refuse(tooManyReply('too many tokens wait to be reviewed'));
    if (who.type === 'unauthenticated') return refuse(errorReply(401, 'Unauthorized'));
    if (who.identity !== anonymous) unidentified.identified(raw.socket);
    const node = { name: tools.node.nodeName, fineGrained: settings.switches.fineGrainedAuthorization };
    const attributes = accessAttributes({ method, path: plainPath(path) }, node);
    const verdict = await authorizer.decide(who.identity, attributes);
    if (verdict.type === 'failed') {
      tools.warn({ problem: verdict.problem }, 'cannot authorize a request: the access review failed; answering 500');
      return refuse(errorReply(500, 'Authorization error'));
    }
    if (verdict.type === 'overloaded') return refuse(tooManyReply('too many requests wait to be authorized'));
    if (verdict.type === 'denied') {
      return refuse({
        type: 'text',
        status: 403,
        contentType: 'text/plain; charset=utf-8',
        text: forbiddenText(who.identity.username, attributes),
      });
    }
  }
  const found = findEndpoint(method, path, settings.switches);
  if (tools.only !== undefined && found.type === 'endpoint' && !tools.only.has(found.name)) {
    return refuse(errorReply(404, '404 page not found'));
  }
  if (found.type === 'refused') return refuse(errorReply(found.status, found.text));
  return {
    type: 'allowed',
    request: {
      endpoint: found.name,
      method,
      path,
      headers: raw.headers,
      body: () => readBody(raw),
      parameters: found.parameters,
      query: new URLSearchParams(query),
      signal,
    },
  };
}

/** Longest request body, in characters. */
export const LONGEST_BODY = 64 * 1024;

/** Rejects when the body is longer than any request here needs. */
async function readBody(raw: IncomingMessage): Promise<string> {
  let text = '';
  raw.setEncoding('utf8');
  for await (const piece of raw) {
    text += String(piece);
    if (text.length > LONGEST_BODY) throw new Error(`a request body is longer than ${LONGEST_BODY} characters`);
  }
  return text;
}

/** Returns the path as the endpoints see it: the same path is authorized and then served. */
function plainPath(path: string): string {
  try {
    return `/${path
      .split('/')
      .filter((part) => part !== '')
      .map((part) => decodeURIComponent(part))
      .join('/')}`;
  } catch {
    return path;
  }
}

function credentialsOf({ socket, headers }: IncomingMessage, now: WallMs): Credentials {
  const bearerToken = bearerTokenOf(headers.authorization);
  const client = clientOf(socket.remoteAddress);
  if (!(socket instanceof TLSSocket)) return { certificate: 'none', bearerToken, client };
  const certificate = socket.getPeerCertificate();
  // A connection without a client certificate has no subject, though Node's type does not say so.
  const subject = certificate.subject as typeof certificate.subject | undefined;
  if (subject === undefined) return { certificate: 'none', bearerToken, client };
  // A connection may outlive its client certificate.
  const isOver = Date.parse(certificate.valid_to) < now;
  if (!socket.authorized || isOver) return { certificate: 'refused', bearerToken, client };
  // Node gives a list where the name has the attribute more than once.
  const organizations = subject.O as string | readonly string[] | undefined;
  const all = typeof organizations === 'string' ? [organizations] : (organizations ?? []);
  const commonName = [subject.CN].flat()[0] ?? '';
  return { certificate: { commonName, organizations: all }, bearerToken, client };
}
