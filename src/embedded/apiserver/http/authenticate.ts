import { timingSafeEqual, createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { ApiCore } from '../store/api-core.ts';
import type { ApiUser } from '../store/api-kind.ts';
import { authenticateToken } from '../subresources/reviews.ts';

/** Tokens that are valid as long as the server runs, and their users. */
export type StaticTokens = ReadonlyMap<string, ApiUser>;

/** The credentials of a connection and its headers. */
export interface Credentials {
  /** Set only if the server's own authority signed it. */
  readonly certificate: PeerCertificate | undefined;
  readonly authorization: string | undefined;
}

export const anonymous: ApiUser = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Returns the user. `undefined` for wrong credentials. Without credentials the user is `anonymous`. */
export function authenticate(
  core: ApiCore,
  tokens: StaticTokens,
  { certificate, authorization }: Credentials,
): ApiUser | undefined {
  if (certificate) {
    const { CN, O = [] } = certificate.subject;
    const groups = [O].flat();
    return { username: [CN ?? ''].flat()[0] ?? '', groups: [...groups, 'system:authenticated'] };
  }
  if (authorization === undefined) return anonymous;
  const [, token] = /^Bearer\s+(\S+)$/i.exec(authorization) ?? [];
  if (token === undefined) return undefined;
  for (const [known, user] of tokens) if (isSame(known, token)) return user;
  return authenticateToken(core, token);
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

/** Returns the user of a connection's certificate, or of the request's headers. */
export function userOfRequest(core: ApiCore, tokens: StaticTokens, request: IncomingMessage): ApiUser | undefined {
  // The server speaks TLS only.
  const socket = request.socket as TLSSocket;
  const certificate = socket.authorized ? socket.getPeerCertificate() : undefined;
  return authenticate(core, tokens, {
    certificate: certificate?.subject ? certificate : undefined,
    authorization: request.headers.authorization,
  });
}
