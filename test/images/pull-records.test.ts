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

describe('whether a pod may use an image that is there', () => {
  it.each([
    { rule: 'one that was there before the node pulled anything: yes', known: UNKNOWN, secrets: [], mayUse: true },
    {
      rule: 'one whose pull nobody has seen end: no',
      known: { ...UNKNOWN, isBegun: true },
      secrets: [secret('a')],
      mayUse: false,
    },
    {
      rule: 'one of which nobody knows whose it is: no',
      known: { ...UNKNOWN, record: emptyRecord('sha256:1') },
      secrets: [secret('a')],
      mayUse: false,
    },
    { rule: 'one that anybody could pull: yes', known: { ...UNKNOWN, record: byNode }, secrets: [], mayUse: true },
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
      rule: 'with a secret of that name made anew: no',
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
  ])('is said for each repository: $image $mayUse', ({ image, mayUse }) => {
    expect(
      mayUseImage({ image, secrets: [secret('a')] }, { record: withSecret, isBegun: false }, byDefault).mayUse,
    ).toBe(mayUse);
  });

  it('learns of a secret that holds the same login, so that this one alone is enough from now on', () => {
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
  it('keeps earlier secrets, each once, and other repositories', () => {
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

  it('is everybody’s once it could be pulled without a secret, and stays so', () => {
    const open = afterPull(withSecret, { image: IMAGE, imageRef: 'sha256:1', access: 'node' });
    const later = afterPull(open, { image: IMAGE, imageRef: 'sha256:1', access: secret('b') });
    expect(later.credentialMapping).toStrictEqual({ 'registry.test/team/app': { nodePodsAccessible: true } });
  });

  it('is read as the kubelet writes it', () => {
    const text = `{"kind":"ImagePulledRecord","apiVersion":"kubelet.config.k8s.io/v1beta1","lastUpdatedTime":"2030-01-02T03:04:05Z",
      "imageRef":"sha256:1","credentialMapping":{"docker.io/library/app":{"nodePodsAccessible":true}}}`;
    expect(
      mayUseImage({ image: 'app', secrets: [] }, { record: readRecord(text), isBegun: false }, byDefault),
    ).toStrictEqual({ mayUse: true });
  });

  it.each(['', '{', '[]', 'null', '{"kind":"Other","imageRef":"x"}'])('that is broken is none: %j', (text) => {
    expect(readRecord(text)).toBeUndefined();
    expect(readIntent(text)).toBeUndefined();
  });

  it('lies in a file that is named after the image', () => {
    expect(recordFileName('app:1')).toMatch(/^sha256-[0-9a-f]{64}$/);
  });

  it('knows a login by a hash that tells nothing of it', () => {
    const hash = loginHash({ username: 'u', password: 'secret' });
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hash).not.toBe(loginHash({ username: 'u', password: 'other' }));
  });
});
