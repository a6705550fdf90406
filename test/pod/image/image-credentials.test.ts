import { describe, expect, it } from 'vitest';
import {
  loginsFor as secretLogins,
  PULL_SECRET_LIMITS,
  type PullSecret,
} from '../../../src/pod/image/image-credentials.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const login = (name: string) => ({ auth: base64(`${name}:pass:word`) });
const secret = (auths: object): PullSecret => ({
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': base64(JSON.stringify({ auths })) },
});
const loginsFor = (image: string, secrets: readonly PullSecret[]) => secretLogins(image, secrets).logins;
const names = (image: string, ...secrets: readonly PullSecret[]): readonly string[] =>
  loginsFor(image, secrets).map(({ username }) => username);

describe('the logins for an image', () => {
  it.each([
    { rule: 'fit the host', auths: { 'registry.test': login('a') }, image: 'registry.test/app:1', are: ['a'] },
    { rule: 'do not fit another host', auths: { 'other.test': login('a') }, image: 'registry.test/app:1', are: [] },
    { rule: 'need the same port', auths: { 'registry.test': login('a') }, image: 'registry.test:5000/app', are: [] },
    {
      rule: 'may be written as the URL of the registry',
      auths: { 'https://registry.test:5000/v2/': login('a') },
      image: 'registry.test:5000/app',
      are: ['a'],
    },
    {
      rule: 'are sorted by the longest path first',
      auths: { 'registry.test': login('all'), 'registry.test/team': login('team') },
      image: 'registry.test/team/app',
      are: ['team', 'all'],
    },
    { rule: 'need the path', auths: { 'registry.test/team': login('a') }, image: 'registry.test/other/app', are: [] },
    {
      rule: 'may have * in the host',
      auths: { '*.registry.test': login('a') },
      image: 'eu.registry.test/app',
      are: ['a'],
    },
    {
      rule: 'match * within one part of the host only',
      auths: { '*.test': login('a') },
      image: 'eu.registry.test/app',
      are: [],
    },
    {
      rule: 'for a name without a registry are those of Docker Hub',
      auths: { 'https://index.docker.io/v1/': login('hub') },
      image: 'team/app:1',
      are: ['hub'],
    },
  ])('$rule', ({ auths, image, are }) => {
    expect(names(image, secret(auths))).toEqual(are);
  });

  it('may have a colon in the password, and may be written in two fields', () => {
    expect(loginsFor('a.test/x', [secret({ 'a.test': login('n') })])).toEqual([
      { username: 'n', password: 'pass:word' },
    ]);
    const old: PullSecret = {
      type: 'kubernetes.io/dockercfg',
      data: { '.dockercfg': base64(JSON.stringify({ 'a.test': { username: 'u', password: 'p' } })) },
    };
    expect(loginsFor('a.test/x', [old])).toEqual([{ username: 'u', password: 'p' }]);
  });

  it('are each listed once', () => {
    expect(names('a.test/x', secret({ 'a.test': login('n') }), secret({ 'a.test': login('n') }))).toEqual(['n']);
  });

  it.each([
    { type: 'kubernetes.io/dockerconfigjson', data: {} },
    { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': base64('{') } },
    { type: 'Opaque', data: { x: 'y' } },
  ])('are empty for an invalid secret: %j', (unreadable) => {
    expect(loginsFor('a.test/x', [unreadable])).toEqual([]);
  });

  it('for one registry are in the order of the secrets', () => {
    expect(names('a.test/x', secret({ 'a.test': login('first') }), secret({ 'a.test': login('second') }))).toEqual([
      'first',
      'second',
    ]);
  });

  it('drop NULs at the end of a password', () => {
    const auths = { 'a.test': { auth: base64('u:pass\0word\0\0') } };
    expect(loginsFor('a.test/x', [secret(auths)])).toEqual([{ username: 'u', password: 'pass\0word' }]);
  });

  it.each([
    { address: 'http://a.test/v2/team//', image: 'a.test/team/x', is: ['a'] },
    { address: 'a.test//team', image: 'a.test/team/x', is: [] },
    { address: 'https://', image: 'a.test/x', is: [] },
    { address: '/a.test', image: 'a.test/x', is: [] },
    { address: 'a.test/v3/', image: 'a.test/x', is: [] },
    { address: 'r*g.*.test', image: 'reg.eu.test/x', is: ['a'] },
    { address: 'r*g*.test', image: 'reg.eu.test/x', is: [] },
  ])('written for $address are $is for $image', ({ address, image, is }) => {
    expect(names(image, secret({ [address]: login('a') }))).toEqual(is);
  });
});

/** Each took minutes where an expression was tried from every place in the text. */
describe('a pull secret crafted to cost time', () => {
  const many = 500_000;
  const host = `${'a'.repeat(60)}.test`;
  it.each([
    { what: 'NULs before the end of a password', auths: { 'a.test': { auth: base64(`u:${'\0'.repeat(many)}x`) } } },
    { what: 'slashes inside a registry', auths: { [`a.test${'/'.repeat(many)}b`]: login('u') } },
    { what: 'stars in a host', auths: { [`${'*'.repeat(many)}b`]: login('u') } },
    {
      what: 'stars between letters, for a long host',
      auths: { [`${'*a'.repeat(250)}b.test`]: login('u') },
      image: host,
    },
    {
      what: 'many entries with stars',
      auths: Object.fromEntries(
        Array.from({ length: PULL_SECRET_LIMITS.entries }, (_, at) => [`*${'a'.repeat(30)}b*${at}.test`, login('u')]),
      ),
      image: host,
    },
    { what: 'stars, for a host longer than any name', auths: { '*a*a*a*a*b': login('u') }, image: 'a'.repeat(many) },
  ])('is read at once: $what', ({ auths, image = 'a.test' }) => {
    const one = secret(auths);
    expect(cpuMsOf(() => secretLogins(`${image}/x`, [one]))).toBeLessThan(1_000);
    expect(secretLogins(`${image}/x`, [one]).leftOut).toEqual([]);
  });

  it("is left out when the pod's secrets have too many entries or bytes, and the others are read", () => {
    const small: PullSecret = { ...secret({ 'a.test': login('small') }), name: 'small' };
    const entries = Array.from({ length: PULL_SECRET_LIMITS.entries }, (_, at) => [`${at}.test`, login('u')]);
    const crowded = { ...secret(Object.fromEntries(entries)), name: 'crowded' };
    const large = { ...secret({ 'a.test': login('u'.repeat(PULL_SECRET_LIMITS.bytes)) }), name: 'large' };
    const { logins, leftOut } = secretLogins('a.test/x', [small, crowded, large]);
    expect(logins.map(({ username }) => username)).toEqual(['small']);
    expect(leftOut).toEqual(['crowded', 'large']);
  });
});
