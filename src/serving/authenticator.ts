import { createHash } from 'node:crypto';
import type { Clock } from '../actor/clock.ts';
import type { ApiClient } from '../api/api-client.ts';
import type { ApiOutcome } from '../api/api-request.ts';
import { anonymous, certificateIdentity, type Credentials, type Identity } from './identity.ts';
import type { ServerMetrics } from './server-metrics.ts';
import { TimedCache } from './timed-cache.ts';

export interface AuthenticatorOptions {
  readonly anonymousEnabled: boolean;
  /** Asks the API server who a token belongs to; absent: tokens are not taken. */
  readonly tokenReviews: { readonly api: ApiClient; readonly cacheMs: number } | undefined;
  readonly clock: Clock;
  /** Undefined: nobody counts. */
  readonly metrics?: Pick<ServerMetrics, 'token' | 'review'>;
}

export type Authentication =
  | { readonly type: 'identified'; readonly identity: Identity }
  | { readonly type: 'unauthenticated' }
  /** Nobody can be asked who it is: not the client's fault, and no reason to let anybody in. */
  | { readonly type: 'failed'; readonly problem: string };

interface TokenReview {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly user?: {
      readonly username?: string;
      readonly uid?: string;
      readonly groups?: readonly string[];
      readonly extra?: Readonly<Record<string, readonly string[]>>;
    };
  };
}

const codeOf = (outcome: ApiOutcome<unknown>): string => {
  if (outcome.ok) return '200';
  return outcome.fault.kind === 'refused' ? String(outcome.fault.code) : '<error>';
};

const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
const CACHED_AT_MOST = 4_096;

/**
 * Finds out who asks (kubelet authentication). Credentials that are wrong are refused, also where anybody may ask without
 * any: who has shown the wrong ones must not be taken for nobody.
 */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #cache = new TimedCache<Authentication>(CACHED_AT_MOST);
  readonly #asked = new Map<string, Promise<Authentication>>();

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  async identify({ certificate, bearerToken }: Credentials): Promise<Authentication> {
    if (certificate === 'refused') return { type: 'unauthenticated' };
    if (certificate !== 'none') return { type: 'identified', identity: certificateIdentity(certificate) };
    if (bearerToken !== undefined) return this.#ofToken(bearerToken);
    return this.#options.anonymousEnabled ? { type: 'identified', identity: anonymous } : { type: 'unauthenticated' };
  }

  async #ofToken(token: string): Promise<Authentication> {
    const { tokenReviews, clock, metrics } = this.#options;
    if (tokenReviews === undefined) return { type: 'unauthenticated' };
    // Memory must not hold tokens longer than the requests that bring them.
    const key = createHash('sha256').update(token).digest('base64');
    const known = this.#cache.get(key, clock.monotonic());
    const began = clock.monotonic();
    if (known !== undefined) {
      metrics?.token('hit', 0);
      return known;
    }
    const asked = this.#asked.get(key) ?? this.#review(key, token, tokenReviews);
    this.#asked.set(key, asked);
    const answer = await asked;
    metrics?.token('miss', (clock.monotonic() - began) / 1000);
    return answer;
  }

  async #review(
    key: string,
    token: string,
    { api, cacheMs }: { api: ApiClient; cacheMs: number },
  ): Promise<Authentication> {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
    const { clock, metrics } = this.#options;
    const began = clock.monotonic();
    const outcome = await api.create<TokenReview>(REVIEWS, review);
    this.#asked.delete(key);
    metrics?.review(codeOf(outcome), (clock.monotonic() - began) / 1000);
    if (!outcome.ok) return { type: 'failed', problem: outcome.fault.message };
    const { authenticated, user } = outcome.value.status ?? {};
    const answer: Authentication =
      authenticated === true && user?.username !== undefined
        ? {
            type: 'identified',
            identity: {
              username: user.username,
              groups: user.groups ?? [],
              ...(user.uid !== undefined && { uid: user.uid }),
              ...(user.extra !== undefined && { extra: user.extra }),
            },
          }
        : { type: 'unauthenticated' };
    this.#cache.set(key, answer, this.#options.clock.monotonic() + cacheMs);
    return answer;
  }
}
