import { describe, expect, it } from 'vitest';
import type { ApiClient } from '../../../src/api/api-client.ts';
import { Authenticator } from '../../../src/serving/access/authenticator.ts';
import type { Credentials } from '../../../src/serving/access/request-identity.ts';
import { manualClock } from '../../support/manual-clock.ts';

const none: Credentials = { certificate: 'none', bearerToken: 'none', client: '10.0.0.9' };
const credentials = {
  nothing: none,
  'a good token': { ...none, bearerToken: { token: 'good' } },
  'an unknown token': { ...none, bearerToken: { token: 'unknown' } },
  'text that is no token': { ...none, bearerToken: 'malformed' },
  'a certificate': { ...none, certificate: { commonName: 'admin', organizations: [] } },
  'a refused certificate': { ...none, certificate: 'refused' },
  'a refused certificate and a good token': { ...none, certificate: 'refused', bearerToken: { token: 'good' } },
} as const satisfies Record<string, Credentials>;
type Sent = keyof typeof credentials;

/** An API server that knows one token. */
const api = {
  create: (_: string, { spec }: { readonly spec: { readonly token: string } }) =>
    Promise.resolve({
      ok: true,
      value: { status: { authenticated: spec.token === 'good', user: { username: 'prometheus' } } },
    }),
} as unknown as ApiClient;

/** The user, or the status that the client gets. */
async function userOf(sent: Sent, webhook: 'on' | 'off', anonymousEnabled: boolean): Promise<string | number> {
  const tokenReviews = webhook === 'on' ? { api, cacheMs: 120_000 } : undefined;
  const authenticator = new Authenticator({ anonymousEnabled, tokenReviews, clock: manualClock() });
  const answer = await authenticator.identify(credentials[sent]);
  return answer.type === 'identified' ? answer.identity.username : 401;
}

describe('a client of the node', () => {
  it.each<{ sent: Sent; webhook: 'on' | 'off'; closed: string | number; open: string | number }>([
    { sent: 'nothing', webhook: 'on', closed: 401, open: 'system:anonymous' },
    { sent: 'nothing', webhook: 'off', closed: 401, open: 'system:anonymous' },
    { sent: 'a good token', webhook: 'on', closed: 'prometheus', open: 'prometheus' },
    { sent: 'a good token', webhook: 'off', closed: 401, open: 'system:anonymous' },
    { sent: 'an unknown token', webhook: 'on', closed: 401, open: 401 },
    { sent: 'an unknown token', webhook: 'off', closed: 401, open: 'system:anonymous' },
    { sent: 'text that is no token', webhook: 'on', closed: 401, open: 401 },
    { sent: 'text that is no token', webhook: 'off', closed: 401, open: 'system:anonymous' },
    { sent: 'a certificate', webhook: 'off', closed: 'admin', open: 'admin' },
    { sent: 'a refused certificate', webhook: 'on', closed: 401, open: 401 },
    { sent: 'a refused certificate', webhook: 'off', closed: 401, open: 401 },
    { sent: 'a refused certificate and a good token', webhook: 'on', closed: 401, open: 401 },
  ])('that sends $sent, webhook $webhook, is $closed, and $open where anonymous requests are allowed', async (rule) => {
    expect(await userOf(rule.sent, rule.webhook, false)).toBe(rule.closed);
    expect(await userOf(rule.sent, rule.webhook, true)).toBe(rule.open);
  });
});
