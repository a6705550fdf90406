import { describe, expect, it } from 'vitest';
import {
  afterPull,
  emptyRecord,
  loginHash,
  mayUseImage,
  readIntent,
  readRecord,
  recordFileName,
  type SecretAccess,
  type Verification,
} from '../../src/images/pull-records.ts';

const IMAGE = 'registry.test/team/app:1';
const secret = (name: string, hash = `hash of ${name}`): SecretAccess => ({
  uid: `uid of ${name}`,
  namespace: 'shop',
  name,
  credentialHash: hash,
});
const byDefault: Verification = { policy: 'NeverVerifyPreloadedImages', allowlist: [] };
const withSecret = afterPull(undefined, { image: IMAGE, imageRef: 'sha256:1', access: secret('a') });
const byNode = afterPull(undefined, { image: IMAGE, imageRef: 'sha256:1', access: 'node' });
const UNKNOWN = { record: undefined, isBegun: false };

describe('permission to use a present image', () => {
  it.each([
    { rule: 'an image preloaded on the node: yes', known: UNKNOWN, secrets: [], mayUse: true },
    {
      rule: 'an image whose pull has no recorded end: no',
      known: { ...UNKNOWN, isBegun: true },
      secrets: [secret('a')],
      mayUse: false,
    },
    {
      rule: 'an image with unknown credentials: no',
      known: { ...UNKNOWN, record: emptyRecord('sha256:1') },
      secrets: [secret('a')],
      mayUse: false,
    },
    {
      rule: 'an image pulled without credentials: yes',
      known: { ...UNKNOWN, record: byNode },
      secrets: [],
      mayUse: true,
    },
    { rule: 'without the secret: no', known: { ...UNKNOWN, record: withSecret }, secrets: [], mayUse: false },
    {
      rule: 'with another secret: no',
      known: { ...UNKNOWN, record: withSecret },
      secrets: [secret('b')],
      mayUse: false,
    },
    {
      rule: 'with the secret among others: yes',
      known: { ...UNKNOWN, record: withSecret },
      secrets: [secret('b'), secret('a')],
      mayUse: true,
    },
    {
      rule: 'with the same secret, changed since: yes',
      known: { ...UNKNOWN, record: withSecret },
      secrets: [secret('a', 'new')],
      mayUse: true,
    },
    {
      rule: 'with another secret of the same login: yes',
      known: { ...UNKNOWN, record: withSecret },
      secrets: [secret('c', 'hash of a')],
      mayUse: true,
    },
    {
      rule: 'with a recreated secret of that name: no',
      known: { ...UNKNOWN, record: withSecret },
      secrets: [{ ...secret('a', 'x'), uid: 'other' }],
      mayUse: false,
    },
  ])('$rule', ({ known, secrets, mayUse }) => {
    expect(mayUseImage({ image: IMAGE, secrets }, known, byDefault).mayUse).toBe(mayUse);
  });

  it.each([
    { image: 'registry.test/team/app:2', mayUse: true },
    { image: 'registry.test/team/app@sha256:' + 'a'.repeat(64), mayUse: true },
    { image: 'mirror.test/team/app:1', mayUse: false },
  ])('is decided for each repository: $image $mayUse', ({ image, mayUse }) => {
    expect(
      mayUseImage({ image, secrets: [secret('a')] }, { record: withSecret, isBegun: false }, byDefault).mayUse,
    ).toBe(mayUse);
  });

  it('adds a secret with the same login, which is sufficient from then on', () => {
    const verdict = mayUseImage(
      { image: IMAGE, secrets: [secret('c', 'hash of a')] },
      { record: withSecret, isBegun: false },
      byDefault,
    );
    expect(verdict).toMatchObject({
      learnt: {
        credentialMapping: { 'registry.test/team/app': { kubernetesSecrets: [secret('a'), secret('c', 'hash of a')] } },
      },
    });
  });

  it.each([
    { policy: 'NeverVerify', allowlist: [], known: { ...UNKNOWN, isBegun: true }, mayUse: true },
    { policy: 'AlwaysVerify', allowlist: [], known: UNKNOWN, mayUse: false },
    { policy: 'AlwaysVerify', allowlist: [], known: { ...UNKNOWN, record: byNode }, mayUse: true },
    { policy: 'NeverVerifyAllowlistedImages', allowlist: ['registry.test/team/*'], known: UNKNOWN, mayUse: true },
    { policy: 'NeverVerifyAllowlistedImages', allowlist: ['registry.test/team/app'], known: UNKNOWN, mayUse: true },
    { policy: 'NeverVerifyAllowlistedImages', allowlist: ['registry.test/team'], known: UNKNOWN, mayUse: false },
    { policy: 'NeverVerifyAllowlistedImages', allowlist: ['registry.test/te/*'], known: UNKNOWN, mayUse: false },
  ] as const)('with $policy $allowlist: $mayUse', ({ policy, allowlist, known, mayUse }) => {
    expect(mayUseImage({ image: IMAGE, secrets: [] }, known, { policy, allowlist }).mayUse).toBe(mayUse);
  });
});

describe('the record of a pull', () => {
  it('keeps earlier secrets once each, and other repositories', () => {
    const twice = afterPull(withSecret, { image: IMAGE, imageRef: 'sha256:1', access: secret('a', 'new') });
    const both = afterPull(twice, { image: 'other.test/app', imageRef: 'sha256:1', access: secret('b') });
    expect(both.credentialMapping).toStrictEqual({
      'registry.test/team/app': { kubernetesSecrets: [secret('a', 'new')] },
      'other.test/app': { kubernetesSecrets: [secret('b')] },
    });
  });

  it('lists a secret that has no UID once as well', () => {
    const nameless = { ...secret('a'), uid: '' };
    const once = afterPull(undefined, { image: IMAGE, imageRef: 'sha256:1', access: nameless });
    const twice = afterPull(once, { image: IMAGE, imageRef: 'sha256:1', access: nameless });
    expect(twice).toStrictEqual(once);
    expect(
      mayUseImage({ image: IMAGE, secrets: [nameless] }, { record: once, isBegun: false }, byDefault),
    ).toStrictEqual({
      mayUse: true,
    });
  });

  it('permits every pod once the image was pulled without a secret', () => {
    const open = afterPull(withSecret, { image: IMAGE, imageRef: 'sha256:1', access: 'node' });
    const later = afterPull(open, { image: IMAGE, imageRef: 'sha256:1', access: secret('b') });
    expect(later.credentialMapping).toStrictEqual({ 'registry.test/team/app': { nodePodsAccessible: true } });
  });

  it('is read in the format of the kubelet', () => {
    const text = `{"kind":"ImagePulledRecord","apiVersion":"kubelet.config.k8s.io/v1beta1","lastUpdatedTime":"2030-01-02T03:04:05Z",
      "imageRef":"sha256:1","credentialMapping":{"docker.io/library/app":{"nodePodsAccessible":true}}}`;
    expect(
      mayUseImage({ image: 'app', secrets: [] }, { record: readRecord(text), isBegun: false }, byDefault),
    ).toStrictEqual({ mayUse: true });
  });

  it.each(['', '{', '[]', 'null', '{"kind":"Other","imageRef":"x"}'])('that is damaged is ignored: %j', (text) => {
    expect(readRecord(text)).toBeUndefined();
    expect(readIntent(text)).toBeUndefined();
  });

  it('is in a file named after the image', () => {
    expect(recordFileName('app:1')).toMatch(/^sha256-[0-9a-f]{64}$/);
  });

  it('identifies a login by a hash that does not reveal it', () => {
    const hash = loginHash({ username: 'u', password: 'secret' });
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hash).not.toBe(loginHash({ username: 'u', password: 'other' }));
  });
});
