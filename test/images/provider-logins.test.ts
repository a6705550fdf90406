import { describe, expect, it } from 'vitest';
import { pluginRequest, readPluginResponse, type PluginOutcome } from '../../src/images/credential-plugin.ts';
import { providersIn, type CredentialProvider } from '../../src/images/credential-provider-config.ts';
import type { Accounts, PullingPod, TokenAttributes } from '../../src/images/provider-account.ts';
import { ProviderLogins } from '../../src/images/provider-logins.ts';

const V1 = 'credentialprovider.kubelet.k8s.io/v1';
const TOKEN = {
  serviceAccountTokenAudience: 'registry',
  cacheType: 'ServiceAccount',
  requireServiceAccount: true,
  requiredServiceAccountAnnotationKeys: ['a/id'],
};
const config = (provider: object, top: object = {}): string =>
  JSON.stringify({
    kind: 'CredentialProviderConfig',
    apiVersion: 'kubelet.config.k8s.io/v1',
    providers: [{ name: 'p', apiVersion: V1, matchImages: ['*.cloud.test'], defaultCacheDuration: '10m', ...provider }],
    ...top,
  });

const provider: CredentialProvider = {
  name: 'p',
  places: ['*.cloud.test'],
  defaultCacheMs: 1_000,
  apiVersion: V1,
  args: [],
  env: {},
};

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
      problem: 'f: providers[0].defaultCacheDuration: must be a duration of zero or more',
    },
    {
      wrong: { defaultCacheDuration: '-1s' },
      problem: 'f: providers[0].defaultCacheDuration: must be a duration of zero or more',
    },
    {
      wrong: { tokenAttributes: { ...TOKEN, serviceAccountTokenAudience: '' } },
      problem: 'f: providers[0].tokenAttributes.serviceAccountTokenAudience: is needed',
    },
    {
      wrong: { tokenAttributes: { ...TOKEN, cacheType: 'Pod' } },
      problem: 'f: providers[0].tokenAttributes.cacheType: must be ServiceAccount or Token',
    },
    {
      wrong: { tokenAttributes: { ...TOKEN, requireServiceAccount: undefined } },
      problem: 'f: providers[0].tokenAttributes.requireServiceAccount: must be true or false',
    },
    {
      wrong: { tokenAttributes: { ...TOKEN, requireServiceAccount: false } },
      problem: 'requiredServiceAccountAnnotationKeys: must be empty unless requireServiceAccount is true',
    },
    {
      wrong: { tokenAttributes: { ...TOKEN, optionalServiceAccountAnnotationKeys: ['a/id'] } },
      problem: 'optionalServiceAccountAnnotationKeys: "a/id" appears twice',
    },
    {
      wrong: { apiVersion: 'credentialprovider.kubelet.k8s.io/v1beta1', tokenAttributes: TOKEN },
      problem: 'f: providers[0].tokenAttributes: requires apiVersion credentialprovider.kubelet.k8s.io/v1',
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
  it('may have no logins, and no cache duration', () => {
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

describe('the logins of credential providers', () => {
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

  it('are the matching ones for the image, the longest path first', async () => {
    expect(await asking(known('Image')).of('eu.cloud.test/team/app')).toStrictEqual(['team', 'all']);
    expect(await asking(known('Image')).of('us.cloud.test/team/app')).toStrictEqual(['all']);
  });

  it('are requested only from providers that match the image', async () => {
    const { asked, of } = asking(known('Image'));
    expect(await of('registry.test/app')).toStrictEqual([]);
    expect(asked).toStrictEqual([]);
  });

  it.each([
    { kind: 'Image', asks: ['eu.cloud.test/a', 'eu.cloud.test/b', 'us.cloud.test/c'] },
    { kind: 'Registry', asks: ['eu.cloud.test/a', 'us.cloud.test/c'] },
    { kind: 'Global', asks: ['eu.cloud.test/a'] },
  ] as const)('are cached for the answer’s cache key: $kind', async ({ kind, asks }) => {
    const { asked, of } = asking(known(kind));
    for (const image of ['eu.cloud.test/a', 'eu.cloud.test/a', 'eu.cloud.test/b', 'us.cloud.test/c']) await of(image);
    expect(asked).toStrictEqual(asks.map((image) => `p ${image}`));
  });

  it.each([
    { cacheMs: undefined, forMs: 1_000 },
    { cacheMs: 50, forMs: 50 },
    { cacheMs: 0, forMs: 0 },
  ])('are cached for $cacheMs ms, or for the configured time', async ({ cacheMs, forMs }) => {
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

  it('are requested once for concurrent questions', async () => {
    const { asked, of } = asking(known('Image', 0));
    await Promise.all([of('eu.cloud.test/a'), of('eu.cloud.test/a'), of('eu.cloud.test/b')]);
    expect(asked).toStrictEqual(['p eu.cloud.test/a', 'p eu.cloud.test/b']);
  });

  it('are empty when a provider fails, which is logged and not cached', async () => {
    const { asked, warnings, of } = asking({ ok: false, problem: 'ended with 1: no network' });
    expect(await of('eu.cloud.test/a')).toStrictEqual([]);
    await of('eu.cloud.test/a');
    expect(asked).toHaveLength(2);
    expect(warnings[0]).toBe(
      'credential provider p gave no login for eu.cloud.test/a: the program ended with 1: no network; pulling without it',
    );
  });

  it('come from all providers, in the order of the configuration', async () => {
    const { of } = asking(known('Image'), [provider, { ...provider, name: 'q' }]);
    expect(await of('us.cloud.test/a')).toStrictEqual(['all', 'all']);
  });
});

describe('a provider with service account tokens', () => {
  const attributes: TokenAttributes = {
    audience: 'registry',
    cacheType: 'ServiceAccount',
    isRequired: true,
    requiredAnnotations: ['a/id'],
    optionalAnnotations: ['a/role', 'a/none'],
  };
  const podOf = (serviceAccount: string, uid = 'pod-1'): PullingPod => ({
    namespace: 'ns',
    name: uid,
    uid,
    serviceAccount,
  });

  function asking(change: Partial<TokenAttributes> = {}, given: { password?: string } = {}) {
    const asked: string[] = [];
    const warnings: string[] = [];
    const known: Record<string, Record<string, string>> = {
      builder: { 'a/id': '7', 'a/role': 'r', other: 'x' },
      bare: {},
    };
    const accounts: Accounts = {
      facts: async ({ serviceAccount }) => {
        const annotations = known[serviceAccount];
        return annotations === undefined
          ? { ok: false, problem: `service account ns/${serviceAccount}: not found` }
          : { ok: true, value: { uid: `uid-of-${serviceAccount}`, annotations } };
      },
      token: async ({ uid, serviceAccount }, audience) => ({ ok: true, value: `${serviceAccount} ${uid} ${audience}` }),
    };
    const logins = new ProviderLogins({
      providers: [{ ...provider, token: { ...attributes, ...change } }],
      accounts,
      now: () => 0,
      warn: (text) => warnings.push(text),
      run: async (_, image, as) => {
        asked.push(`${image} ${as?.token ?? 'nobody'} ${JSON.stringify(as?.annotations ?? {})}`);
        const login = { username: 'u', password: given.password ?? 'secret' };
        return { ok: true, answer: { cacheKeyType: 'Registry', cacheMs: undefined, auth: { '*.cloud.test': login } } };
      },
    });
    return { asked, warnings, of: (pod?: PullingPod) => logins.loginsFor('eu.cloud.test/app', pod) };
  }

  it('gets a token bound to the pod and its annotations, and returns a login for that account', async () => {
    const { asked, of } = asking();
    expect(await of(podOf('builder'))).toStrictEqual([
      { username: 'u', password: 'secret', account: { uid: 'uid-of-builder', namespace: 'ns', name: 'builder' } },
    ]);
    expect(asked).toStrictEqual(['eu.cloud.test/app builder pod-1 registry {"a/id":"7","a/role":"r"}']);
  });

  it.each([
    { cacheType: 'ServiceAccount', times: 1 },
    { cacheType: 'Token', times: 2 },
  ] as const)('counts for other pods of the account by $cacheType', async ({ cacheType, times }) => {
    const { asked, of } = asking({ cacheType });
    await of(podOf('builder'));
    await of(podOf('builder', 'pod-2'));
    await of(podOf('builder'));
    expect(asked).toHaveLength(times);
  });

  it('is never used for another account', async () => {
    const { asked, of } = asking({ requiredAnnotations: [] });
    await of(podOf('builder'));
    await of(podOf('bare'));
    expect(asked).toHaveLength(2);
  });

  it.each([
    { pod: undefined, why: 'the pod has no service account' },
    { pod: podOf(''), why: 'the pod has no service account' },
    { pod: podOf('bare'), why: 'service account bare has no annotation a/id' },
    { pod: podOf('ghost'), why: 'service account ns/ghost: not found' },
  ])('is not asked where $why', async ({ pod, why }) => {
    const { asked, warnings, of } = asking();
    expect(await of(pod)).toStrictEqual([]);
    expect(asked).toStrictEqual([]);
    expect(warnings).toStrictEqual([
      `credential provider p is skipped for eu.cloud.test/app: ${why}; pulling without its login`,
    ]);
  });

  it('is called without an account when none is required and the pod has none', async () => {
    const { asked, of } = asking({ isRequired: false, requiredAnnotations: [] });
    expect(await of(podOf(''))).toStrictEqual([{ username: 'u', password: 'secret' }]);
    expect(asked).toStrictEqual(['eu.cloud.test/app nobody {}']);
  });

  it.each([
    { cacheType: 'ServiceAccount', count: 0 },
    { cacheType: 'Token', count: 1 },
  ] as const)('may give the token back as a password by $cacheType: $count', async ({ cacheType, count }) => {
    const { of } = asking({ cacheType }, { password: 'builder pod-1 registry' });
    expect(await of(podOf('builder'))).toHaveLength(count);
  });

  it('gets its request on its input', () => {
    const account = { uid: 'u', namespace: 'n', name: 's' };
    expect(
      JSON.parse(pluginRequest(V1, 'i', { account, token: 't', annotations: { a: 'b' }, key: 'k' })),
    ).toStrictEqual({
      kind: 'CredentialProviderRequest',
      apiVersion: V1,
      image: 'i',
      serviceAccountToken: 't',
      serviceAccountAnnotations: { a: 'b' },
    });
  });
});
