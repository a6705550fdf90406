import { later, elapsedMs, type MonotonicMs } from '../actor/clock.ts';
import { fits, loginsAmong, type ImageLogin } from '../pod/image/image-credentials.ts';
import type { PluginAnswer, RunPlugin } from './credential-plugin.ts';
import type { CredentialProvider } from './credential-provider-config.ts';
import { askedAs, type Accounts, type AsAccount, type PullingPod } from './provider-account.ts';

export interface ProviderDeps {
  readonly providers: readonly CredentialProvider[];
  readonly run: RunPlugin;
  /** Absent when this node has no access to service accounts. */
  readonly accounts?: Accounts;
  /** Monotonic milliseconds. */
  readonly now: () => MonotonicMs;
  readonly warn: (text: string) => void;
  /** Called after each run of a program. */
  readonly ran?: (provider: string, run: { readonly seconds: number; readonly failed: boolean }) => void;
}

interface Cached {
  readonly auth: PluginAnswer['auth'];
  readonly until: MonotonicMs;
}

/**
 * The logins that credential providers return for images. Each answer is cached in its scope: the image, its registry,
 * or all images. Concurrent requests for one image share one run. A provider that fails contributes no login.
 */
export class ProviderLogins {
  readonly #deps: ProviderDeps;
  /** By provider and scope of the answer. */
  readonly #cache = new Map<string, Cached>();
  readonly #underWay = new Map<string, Promise<PluginAnswer['auth']>>();

  constructor(deps: ProviderDeps) {
    this.#deps = deps;
  }

  /** `repository`: the image without tag and digest, with its registry. Never rejects. */
  async loginsFor(repository: string, pod?: PullingPod): Promise<readonly ImageLogin[]> {
    const asked = this.#deps.providers.filter(({ places }) => places.some((place) => fits(place, repository)));
    const answers = await Promise.all(asked.map((provider) => this.#loginsOf(provider, repository, pod)));
    return answers.flat();
  }

  /** Drops expired answers. */
  tidy(): void {
    const now = this.#deps.now();
    for (const [key, { until }] of this.#cache) if (until <= now) this.#cache.delete(key);
  }

  async #loginsOf(
    provider: CredentialProvider,
    repository: string,
    pod: PullingPod | undefined,
  ): Promise<readonly ImageLogin[]> {
    const { token } = provider;
    if (token === undefined) return loginsAmong(repository, await this.#answerOf(provider, repository));
    const asked = await askedAs(token, pod, this.#deps.accounts);
    if (asked.type === 'unavailable') {
      this.#deps.warn(
        `credential provider ${provider.name} is skipped for ${repository}: ${asked.why}; pulling without its login`,
      );
      return [];
    }
    const as = asked.type === 'account' ? asked.as : undefined;
    const logins = loginsAmong(repository, await this.#answerOf(provider, repository, as));
    return as === undefined ? logins : logins.map((login) => ({ ...login, account: as.account }));
  }

  #answerOf(provider: CredentialProvider, repository: string, as?: AsAccount): Promise<PluginAnswer['auth']> {
    for (const kind of ['Image', 'Registry', 'Global'] as const) {
      const known = this.#cache.get(cacheKey(ownerOf(provider, as), kind, repository));
      if (known !== undefined && known.until > this.#deps.now()) return Promise.resolve(known.auth);
    }
    const key = cacheKey(ownerOf(provider, as), 'Image', repository);
    const running =
      this.#underWay.get(key) ?? this.#ask(provider, repository, as).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, running);
    return running;
  }

  async #ask(provider: CredentialProvider, repository: string, as?: AsAccount): Promise<PluginAnswer['auth']> {
    const began = this.#deps.now();
    const outcome = await this.#deps.run(provider, repository, as);
    const problem = outcome.ok ? mistakeIn(outcome.answer, provider, as) : outcome.problem;
    const seconds = elapsedMs(began, this.#deps.now()) / 1000;
    this.#deps.ran?.(provider.name, { seconds, failed: !outcome.ok });
    if (!outcome.ok || problem !== undefined) {
      this.#deps.warn(
        `credential provider ${provider.name} gave no login for ${repository}: the program ${problem}; pulling without it`,
      );
      return {};
    }
    const { auth, cacheKeyType, cacheMs = provider.defaultCacheMs } = outcome.answer;
    if (cacheMs > 0)
      this.#cache.set(cacheKey(ownerOf(provider, as), cacheKeyType, repository), {
        auth,
        until: later(this.#deps.now(), cacheMs),
      });
    return auth;
  }
}

/** A token returned as a password is valid only as long as the token, not for the account. */
function mistakeIn({ auth }: PluginAnswer, { token }: CredentialProvider, as?: AsAccount): string | undefined {
  if (as === undefined || token?.cacheType !== 'ServiceAccount') return undefined;
  const isReturned = Object.values(auth).some(
    // A program answers with any value; the member is compared only.
    (login) => (login as { password?: unknown } | null)?.password === as.token,
  );
  return isReturned ? 'answered with the token itself, which needs cacheType Token' : undefined;
}

/** The owner of cached answers: a program, or a program and one account. */
const ownerOf = ({ name }: CredentialProvider, as?: AsAccount): string =>
  as === undefined ? name : `${name} ${as.key}`;

function cacheKey(name: string, kind: PluginAnswer['cacheKeyType'], repository: string): string {
  if (kind === 'Global') return `${name} Global`;
  return `${name} ${kind} ${kind === 'Image' ? repository : (repository.split('/', 1)[0] ?? repository)}`;
}
