import { describe, expect, it } from 'vitest';
import { readPluginResponse, type PluginOutcome } from '../../src/images/credential-plugin.ts';
import { providersIn, type CredentialProvider } from '../../src/images/credential-provider-config.ts';
import { ProviderLogins } from '../../src/images/provider-logins.ts';

const V1 = 'credentialprovider.kubelet.k8s.io/v1';
const config = (provider: object, top: object = {}): string =>
  JSON.stringify({
    kind: 'CredentialProviderConfig',
    apiVersion: 'kubelet.config.k8s.io/v1',
    providers: [{ name: 'p', apiVersion: V1, matchImages: ['*.cloud.test'], defaultCacheDuration: '10m', ...provider }],
    ...top,
  });

describe('the configuration of credential providers', () => {
  it('is read', () => {
    const env = [{ name: 'A', value: '1' }];
    expect(providersIn(config({ args: ['get'], env }), 'f')).toStrictEqual({
      ok: true,
      providers: [
        {
          name: 'p',
          places: ['*.cloud.test'],
          defaultCacheMs: 600_000,
          apiVersion: V1,
          args: ['get'],
          env: { A: '1' },
        },
      ],
    });
  });

  it.each([
    { wrong: { name: '../p' }, problem: 'f: providers[0].name: must name a program, without path and spaces' },
    { wrong: { apiVersion: 'v1' }, problem: 'f: providers[0].apiVersion: must be one of' },
    { wrong: { matchImages: [] }, problem: 'f: providers[0].matchImages: at least 1 is needed' },
    {
      wrong: { defaultCacheDuration: undefined },
      problem: 'f: providers[0].defaultCacheDuration: must be a duration, of zero at least',
    },
    {
      wrong: { defaultCacheDuration: '-1s' },
      problem: 'f: providers[0].defaultCacheDuration: must be a duration, of zero at least',
    },
    {
      wrong: { tokenAttributes: {} },
      problem: 'f: providers[0].tokenAttributes: tokens of service accounts for providers are not supported',
    },
  ])('is refused with $wrong', ({ wrong, problem }) => {
    expect(providersIn(config(wrong), 'f')).toMatchObject({ ok: false, problems: [expect.stringContaining(problem)] });
  });

  it.each([config({}, { kind: 'Other' }), config({}, { apiVersion: 'v1' }), config({}, { providers: [] }), '{', ': :'])(
    'is refused: %s',
    (text) => {
      expect(providersIn(text, 'f').ok).toBe(false);
    },
  );
});

describe('the answer of a provider', () => {
  const answer = (change: object = {}): string =>
    JSON.stringify({
      kind: 'CredentialProviderResponse',
      apiVersion: V1,
      cacheKeyType: 'Registry',
      cacheDuration: '5m',
      auth: {},
      ...change,
    });
  it('is read', () => {
    expect(readPluginResponse(V1, answer())).toStrictEqual({
      ok: true,
      answer: { cacheKeyType: 'Registry', cacheMs: 300_000, auth: {} },
    });
  });
  it('may know nothing, and leave open how long that counts', () => {
    expect(readPluginResponse(V1, answer({ auth: null, cacheDuration: undefined }))).toStrictEqual({
      ok: true,
      answer: { cacheKeyType: 'Registry', cacheMs: undefined, auth: {} },
    });
  });
  it.each([
    '',
    'x',
    'null',
    answer({ kind: 'Other' }),
    answer({ apiVersion: 'credentialprovider.kubelet.k8s.io/v1beta1' }),
    answer({ cacheKeyType: 'Pod' }),
  ])('is refused: %s', (text) => {
    expect(readPluginResponse(V1, text).ok).toBe(false);
  });
});

describe('the logins that providers know', () => {
  const provider: CredentialProvider = {
    name: 'p',
    places: ['*.cloud.test'],
    defaultCacheMs: 1_000,
    apiVersion: V1,
    args: [],
    env: {},
  };
  const login = (username: string) => ({ username, password: 'x' });
  function asking(outcome: PluginOutcome | ((image: string) => PluginOutcome), providers = [provider]) {
    const asked: string[] = [];
    const warnings: string[] = [];
    const clock = { now: 0 };
    const logins = new ProviderLogins({
      providers,
      now: () => clock.now,
      warn: (text) => warnings.push(text),
      run: async ({ name }, image) => {
        asked.push(`${name} ${image}`);
        await Promise.resolve();
        return typeof outcome === 'function' ? outcome(image) : outcome;
      },
    });
    return {
      asked,
      warnings,
      clock,
      logins,
      of: async (image: string) => (await logins.loginsFor(image)).map(({ username }) => username),
    };
  }
  const known = (cacheKeyType: 'Image' | 'Registry' | 'Global', cacheMs?: number): PluginOutcome => ({
    ok: true,
    answer: { cacheKeyType, cacheMs, auth: { '*.cloud.test': login('all'), 'eu.cloud.test/team': login('team') } },
  });

  it('are those for the image, the longest path first', async () => {
    expect(await asking(known('Image')).of('eu.cloud.test/team/app')).toStrictEqual(['team', 'all']);
    expect(await asking(known('Image')).of('us.cloud.test/team/app')).toStrictEqual(['all']);
  });

  it('are asked of those providers alone that the image is for', async () => {
    const { asked, of } = asking(known('Image'));
    expect(await of('registry.test/app')).toStrictEqual([]);
    expect(asked).toStrictEqual([]);
  });

  it.each([
    { kind: 'Image', asks: ['eu.cloud.test/a', 'eu.cloud.test/b', 'us.cloud.test/c'] },
    { kind: 'Registry', asks: ['eu.cloud.test/a', 'us.cloud.test/c'] },
    { kind: 'Global', asks: ['eu.cloud.test/a'] },
  ] as const)('count for what the answer says: $kind', async ({ kind, asks }) => {
    const { asked, of } = asking(known(kind));
    for (const image of ['eu.cloud.test/a', 'eu.cloud.test/a', 'eu.cloud.test/b', 'us.cloud.test/c']) await of(image);
    expect(asked).toStrictEqual(asks.map((image) => `p ${image}`));
  });

  it.each([
    { cacheMs: undefined, forMs: 1_000 },
    { cacheMs: 50, forMs: 50 },
    { cacheMs: 0, forMs: 0 },
  ])('count for $cacheMs ms, or for what the configuration says', async ({ cacheMs, forMs }) => {
    const { asked, clock, of, logins } = asking(known('Image', cacheMs));
    await of('eu.cloud.test/a');
    clock.now = forMs - 1;
    if (forMs > 0) await of('eu.cloud.test/a');
    expect(asked).toHaveLength(1);
    clock.now = forMs;
    logins.tidy();
    await of('eu.cloud.test/a');
    expect(asked).toHaveLength(2);
  });

  it('are asked for once by all who ask at once', async () => {
    const { asked, of } = asking(known('Image', 0));
    await Promise.all([of('eu.cloud.test/a'), of('eu.cloud.test/a'), of('eu.cloud.test/b')]);
    expect(asked).toStrictEqual(['p eu.cloud.test/a', 'p eu.cloud.test/b']);
  });

  it('are none where a provider fails, which is said and not kept', async () => {
    const { asked, warnings, of } = asking({ ok: false, problem: 'ended with 1: no network' });
    expect(await of('eu.cloud.test/a')).toStrictEqual([]);
    await of('eu.cloud.test/a');
    expect(asked).toHaveLength(2);
    expect(warnings[0]).toBe('credential provider p gave no login for eu.cloud.test/a: it ended with 1: no network');
  });

  it('are those of all providers, in the order of the configuration', async () => {
    const { of } = asking(known('Image'), [provider, { ...provider, name: 'q' }]);
    expect(await of('us.cloud.test/a')).toStrictEqual(['all', 'all']);
  });
});
