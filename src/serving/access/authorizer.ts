import { later, elapsedMs, type Clock } from '../../actor/clock.ts';
import type { ApiClient } from '../../api/api-client.ts';
import type { AccessAttributes } from './authorization-attributes.ts';
import type { Identity } from './request-identity.ts';
import type { ServerMetrics } from '../server-metrics.ts';
import { FairTurns, type TurnLimits } from './fair-turns.ts';
import { TimedCache } from './timed-cache.ts';

export type Authorization =
  | { readonly type: 'allowed' }
  | { readonly type: 'denied' }
  /** Too many questions about this user wait for the API server. */
  | { readonly type: 'overloaded' }
  /** The API server cannot be asked: the request is refused. */
  | { readonly type: 'failed'; readonly problem: string };

/** Decides whether a user may do one of several things, asked in order. */
export interface Authorizer {
  decide(identity: Identity, attributes: readonly AccessAttributes[]): Promise<Authorization>;
}

/** For a node without an API server: identified users may do everything if so configured, and otherwise nothing. */
export const allowedByItself = (mode: string): Authorizer => ({
  decide: () =>
    Promise.resolve(
      mode === 'AlwaysAllow' ? { type: 'allowed' } : { type: 'failed', problem: 'no API server is configured' },
    ),
});

export interface WebhookAuthorizerOptions {
  readonly api: ApiClient;
  readonly clock: Clock;
  /** `undefined` when nothing is counted. */
  readonly metrics?: Pick<ServerMetrics, 'access'>;
  readonly allowedForMs: number;
  readonly deniedForMs: number;
  /** Absent: the defaults for a node. */
  readonly limits?: TurnLimits;
}

interface SubjectAccessReview {
  readonly status?: { readonly allowed?: boolean };
}

/** The spec of an access review. */
type AccessSpec = Omit<Identity, 'username'> & {
  readonly user: string;
  readonly resourceAttributes: AccessAttributes & { readonly version: 'v1' };
};

const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const CACHED_AT_MOST = 8_192;
/** Turns by user, who is known here: one user does not delay the others. */
const LIMITS: TurnLimits = { underWay: 32, underWayOfOne: 8, waiting: 2_048, waitingOfOne: 256 };
/** A user cannot fill the memory with cached answers about itself. */
const LONGEST_KEY = 10_000;

/** Asks the API server (SubjectAccessReview), and caches the answers for a while. */
export class WebhookAuthorizer implements Authorizer {
  readonly #options: WebhookAuthorizerOptions;
  readonly #cache = new TimedCache<boolean>(CACHED_AT_MOST);
  readonly #asked = new Map<string, Promise<Authorization>>();
  readonly #turns: FairTurns;

  constructor(options: WebhookAuthorizerOptions) {
    this.#options = options;
    this.#turns = new FairTurns(options.limits ?? LIMITS);
  }

  async decide(identity: Identity, attributes: readonly AccessAttributes[]): Promise<Authorization> {
    for (const each of attributes) {
      const answer = await this.#ask(identity, each);
      if (answer.type !== 'denied') return answer;
    }
    return { type: 'denied' };
  }

  #ask(identity: Identity, { verb, resource, name, subresource }: AccessAttributes): Promise<Authorization> {
    const spec: AccessSpec = {
      user: identity.username,
      groups: identity.groups,
      ...(identity.uid !== undefined && { uid: identity.uid }),
      ...(identity.extra !== undefined && { extra: identity.extra }),
      resourceAttributes: { verb, version: 'v1', resource, name, subresource },
    };
    const key = JSON.stringify(spec);
    const known = this.#cache.get(key, this.#options.clock.monotonic());
    if (known !== undefined) return Promise.resolve({ type: known ? 'allowed' : 'denied' });
    const asked = this.#asked.get(key) ?? this.#askInTurn(key, spec);
    this.#asked.set(key, asked);
    return asked;
  }

  #askInTurn(key: string, spec: AccessSpec): Promise<Authorization> {
    return this.#turns
      .take(spec.user, () => this.#review(key, spec))
      .then((answer): Authorization => answer ?? { type: 'overloaded' })
      .finally(() => this.#asked.delete(key));
  }

  async #review(key: string, spec: AccessSpec): Promise<Authorization> {
    const { api, clock, metrics, allowedForMs, deniedForMs } = this.#options;
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
    const began = clock.monotonic();
    const outcome = await api.create<SubjectAccessReview>(REVIEWS, review, 'review');
    metrics?.access(outcome.ok ? 'success' : 'error', elapsedMs(began, clock.monotonic()) / 1000);
    if (!outcome.ok) return { type: 'failed', problem: outcome.fault.message };
    const allowed = outcome.value.status?.allowed === true;
    const until = later(clock.monotonic(), allowed ? allowedForMs : deniedForMs);
    if (key.length <= LONGEST_KEY) this.#cache.set(key, allowed, until);
    return { type: allowed ? 'allowed' : 'denied' };
  }
}
