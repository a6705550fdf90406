import { describe, expect, it } from 'vitest';
import { loginsFor, type PullSecret } from '../../src/pod/image-credentials.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const login = (name: string) => ({ auth: base64(`${name}:pass:word`) });
const secret = (auths: object): PullSecret => ({
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': base64(JSON.stringify({ auths })) },
});
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
      rule: 'come with the longest path first',
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
    { rule: 'have * for one part of it only', auths: { '*.test': login('a') }, image: 'eu.registry.test/app', are: [] },
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

  it('are each there once', () => {
    expect(names('a.test/x', secret({ 'a.test': login('n') }), secret({ 'a.test': login('n') }))).toEqual(['n']);
  });

  it.each([
    { type: 'kubernetes.io/dockerconfigjson', data: {} },
    { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': base64('{') } },
    { type: 'Opaque', data: { x: 'y' } },
  ])('are none in a secret that cannot be read: %j', (unreadable) => {
    expect(loginsFor('a.test/x', [unreadable])).toEqual([]);
  });
});
