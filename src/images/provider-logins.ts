import { fits, loginsAmong, type RegistryLogin } from '../pod/image-credentials.ts';
import type { PluginAnswer, RunPlugin } from './credential-plugin.ts';
import type { CredentialProvider } from './credential-provider-config.ts';

export interface ProviderDeps {
  readonly providers: readonly CredentialProvider[];
  readonly run: RunPlugin;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly warn: (text: string) => void;
  /** Told of each run of a program. */
  readonly ran?: (provider: string, run: { readonly seconds: number; readonly failed: boolean }) => void;
}

interface Cached {
  readonly auth: PluginAnswer['auth'];
  readonly until: number;
}

/**
 * What credential providers know of an image, each answer kept for as long as it counts: for that image, for its registry,
 * or for all. Of several who ask for one image at once the program is run for one. A provider that fails knows nothing.
 */
export class ProviderLogins {
  readonly #deps: ProviderDeps;
  /** By provider and what the answer counts for. */
  readonly #cache = new Map<string, Cached>();
  readonly #underWay = new Map<string, Promise<PluginAnswer['auth']>>();

  constructor(deps: ProviderDeps) {
    this.#deps = deps;
  }

  /** `repository`: the image without tag and digest, its registry written out. Never rejects. */
  async loginsFor(repository: string): Promise<readonly RegistryLogin[]> {
    const asked = this.#deps.providers.filter(({ places }) => places.some((place) => fits(place, repository)));
    const answers = await Promise.all(asked.map((provider) => this.#answerOf(provider, repository)));
    return answers.flatMap((auth) => loginsAmong(repository, auth));
  }

  /** Forgets answers that do not count any more. */
  tidy(): void {
    const now = this.#deps.now();
    for (const [key, { until }] of this.#cache) if (until <= now) this.#cache.delete(key);
  }

  #answerOf(provider: CredentialProvider, repository: string): Promise<PluginAnswer['auth']> {
    for (const kind of ['Image', 'Registry', 'Global'] as const) {
      const known = this.#cache.get(cacheKey(provider, kind, repository));
      if (known !== undefined && known.until > this.#deps.now()) return Promise.resolve(known.auth);
    }
    const key = cacheKey(provider, 'Image', repository);
    const running =
      this.#underWay.get(key) ?? this.#ask(provider, repository).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, running);
    return running;
  }

  async #ask(provider: CredentialProvider, repository: string): Promise<PluginAnswer['auth']> {
    const began = this.#deps.now();
    const outcome = await this.#deps.run(provider, repository);
    this.#deps.ran?.(provider.name, { seconds: (this.#deps.now() - began) / 1000, failed: !outcome.ok });
    if (!outcome.ok) {
      this.#deps.warn(`credential provider ${provider.name} gave no login for ${repository}: it ${outcome.problem}`);
      return {};
    }
    const { auth, cacheKeyType, cacheMs = provider.defaultCacheMs } = outcome.answer;
    if (cacheMs > 0)
      this.#cache.set(cacheKey(provider, cacheKeyType, repository), { auth, until: this.#deps.now() + cacheMs });
    return auth;
  }
}

function cacheKey({ name }: CredentialProvider, kind: PluginAnswer['cacheKeyType'], repository: string): string {
  if (kind === 'Global') return `${name} Global`;
  return `${name} ${kind} ${kind === 'Image' ? repository : (repository.split('/', 1)[0] ?? repository)}`;
}
