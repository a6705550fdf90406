import { createHash } from 'node:crypto';
import { later, elapsedMs, type Clock } from '../../actor/clock.ts';
import type { ApiClient } from '../../api/api-client.ts';
import type { ApiOutcome } from '../../api/api-request.ts';
import { anonymous, certificateIdentity, type Credentials, type Identity } from './request-identity.ts';
import type { ServerMetrics } from '../server-metrics.ts';
import { FairTurns, type TurnLimits } from './fair-turns.ts';
import { TimedCache } from './timed-cache.ts';

interface TokenReviews {
  readonly api: ApiClient;
  readonly cacheMs: number;
}

export interface AuthenticatorOptions {
  readonly anonymousEnabled: boolean;
  /** Asks the API server who owns a token. Absent: a token counts as not sent. */
  readonly tokenReviews: TokenReviews | undefined;
  readonly clock: Clock;
  /** `undefined` when nothing is counted. */
  readonly metrics?: Pick<ServerMetrics, 'token' | 'review'>;
  /** Absent: the defaults for a node. */
  readonly limits?: TurnLimits;
}

export type Authentication =
  | { readonly type: 'identified'; readonly identity: Identity }
  | { readonly type: 'unauthenticated' }
  /** Too many tokens of this client wait for the API server. */
  | { readonly type: 'overloaded' }
  /** The API server cannot be asked. The client is not at fault, and is rejected. */
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
const CACHED_AT_MOST = { good: 4_096, bad: 4_096 } as const;
/**
 * Turns for unknown tokens, by client: a client that sends many bad tokens keeps neither other clients nor the API
 * server busy.
 */
const LIMITS: TurnLimits = { underWay: 16, underWayOfOne: 4, waiting: 1_024, waitingOfOne: 64 };

/**
 * Identifies the client (kubelet authentication). Wrong credentials are refused even where anonymous requests are
 * allowed: a client with wrong credentials must not count as anonymous.
 */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  /** A separate cache, so made-up tokens do not evict good ones. */
  readonly #good = new TimedCache<Authentication>(CACHED_AT_MOST.good);
  readonly #bad = new TimedCache<Authentication>(CACHED_AT_MOST.bad);
  /** Keyed by client too: a request never waits behind another client's tokens. */
  readonly #asked = new Map<string, Promise<Authentication>>();
  readonly #turns: FairTurns;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#turns = new FairTurns(options.limits ?? LIMITS);
  }

  async identify({ certificate, bearerToken, client }: Credentials): Promise<Authentication> {
    if (certificate === 'refused') return { type: 'unauthenticated' };
    if (certificate !== 'none') return { type: 'identified', identity: certificateIdentity(certificate) };
    const { tokenReviews } = this.#options;
    // A token that no authenticator reads counts as not sent (apiserver: authentication/request/union).
    if (bearerToken !== 'none' && tokenReviews !== undefined) {
      return bearerToken === 'malformed'
        ? { type: 'unauthenticated' }
        : this.#ofToken(bearerToken.token, { client, tokenReviews });
    }
    return this.#options.anonymousEnabled ? { type: 'identified', identity: anonymous } : { type: 'unauthenticated' };
  }

  async #ofToken(
    token: string,
    { client, tokenReviews }: { readonly client: string; readonly tokenReviews: TokenReviews },
  ): Promise<Authentication> {
    const { clock, metrics } = this.#options;
    // Tokens must not stay in memory longer than their requests.
    const key = createHash('sha256').update(token).digest('base64');
    const known = this.#known(key);
    const began = clock.monotonic();
    if (known !== undefined) {
      metrics?.token('hit', 0);
      return known;
    }
    const flight = `${client} ${key}`;
    const asked =
      this.#asked.get(flight) ?? this.#askInTurn(flight, client, () => this.#review(key, token, tokenReviews));
    const answer = await asked;
    metrics?.token('miss', elapsedMs(began, clock.monotonic()) / 1000);
    return answer;
  }

  #known(key: string): Authentication | undefined {
    const now = this.#options.clock.monotonic();
    return this.#good.get(key, now) ?? this.#bad.get(key, now);
  }

  #askInTurn(flight: string, client: string, review: () => Promise<Authentication>): Promise<Authentication> {
    const asked = this.#turns
      .take(client, review)
      .then((answer): Authentication => answer ?? { type: 'overloaded' })
      .finally(() => this.#asked.delete(flight));
    this.#asked.set(flight, asked);
    return asked;
  }

  async #review(
    key: string,
    token: string,
    { api, cacheMs }: { api: ApiClient; cacheMs: number },
  ): Promise<Authentication> {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
    const { clock, metrics } = this.#options;
    // Another client may have sent the same token while this one waited.
    const known = this.#known(key);
    if (known !== undefined) return known;
    const began = clock.monotonic();
    const outcome = await api.create<TokenReview>(REVIEWS, review, 'review');
    metrics?.review(codeOf(outcome), elapsedMs(began, clock.monotonic()) / 1000);
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
    const cache = answer.type === 'identified' ? this.#good : this.#bad;
    cache.set(key, answer, later(clock.monotonic(), cacheMs));
    return answer;
  }
}
