import { KubeConfig } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { kubeconfigProblemText } from '../../../src/api/kubeconfig/kubeconfig-fields.ts';
import { readKubeconfig, type ApiAccess } from '../../../src/api/kubeconfig/kubeconfig.ts';

const FILE = '/etc/kubernetes/kubelet.conf';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const written = ({ cluster = {}, user = {} }: { cluster?: object; user?: object }): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'other', cluster: { server: 'https://other:1' } },
      { name: 'here', cluster: { server: 'https://api.example:6443', ...cluster } },
    ],
    users: [{ name: 'node', user }],
    contexts: [{ name: 'main', context: { cluster: 'here', user: 'node' } }],
    'current-context': 'main',
  });

function access(parts: { cluster?: object; user?: object }): ApiAccess {
  const read = readKubeconfig(written(parts), FILE);
  if (!read.ok) throw new Error(read.problems.map((each) => kubeconfigProblemText(FILE, each)).join('\n'));
  return read.access;
}

const problems = (text: string): readonly string[] => {
  const read = readKubeconfig(text, FILE);
  return read.ok ? [] : read.problems.map((each) => kubeconfigProblemText(FILE, each));
};

const plugin = { apiVersion: 'client.authentication.k8s.io/v1', command: 'login' };

describe('a kubeconfig', () => {
  it('uses the cluster and the user of the current context', () => {
    expect(access({ user: { token: 'abc' } })).toMatchObject({
      server: 'https://api.example:6443',
      login: { kind: 'token', token: 'abc' },
      insecureSkipTlsVerify: false,
    });
  });

  it.each([
    { rule: 'a token', user: { token: 'abc' }, login: { kind: 'token', token: 'abc' } },
    {
      rule: 'a token file, which wins over a token',
      user: { token: 'abc', tokenFile: 'token' },
      login: { kind: 'token-file', file: '/etc/kubernetes/token' },
    },
    {
      rule: 'a name and a password',
      user: { username: 'n', password: 'p' },
      login: { kind: 'basic', username: 'n', password: 'p' },
    },
    { rule: 'nothing', user: {}, login: { kind: 'none' } },
  ])('may log in with $rule', ({ user, login }) => {
    expect(access({ user }).login).toEqual(login);
  });

  it('may use an exec plugin, whose program is relative to the file when it has a slash', () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './bin/login',
      args: ['--now'],
      env: [{ name: 'A', value: 'b' }],
      interactiveMode: 'Never',
    };
    expect(access({ user: { exec } }).login).toEqual({
      kind: 'exec',
      plugin: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: '/etc/kubernetes/bin/login',
        args: ['--now'],
        env: { A: 'b' },
        provideClusterInfo: false,
        installHint: undefined,
      },
    });
  });

  it('reads certificates from files relative to its folder, and prefers data to files', () => {
    const found = access({
      cluster: { 'certificate-authority': 'pki/ca.crt' },
      user: { 'client-certificate': 'ignored', 'client-certificate-data': base64('cert'), 'client-key': '/keys/k' },
    });
    expect(found.ca).toEqual({ file: '/etc/kubernetes/pki/ca.crt' });
    expect(found.clientCertificate).toEqual({ certificate: { pem: 'cert' }, key: { file: '/keys/k' } });
  });

  it('names the user to impersonate', () => {
    const user = { token: 't', as: 'someone', 'as-groups': ['a', 'b'], 'as-user-extra': { 'x/y': ['1'] } };
    expect(access({ user }).impersonation).toEqual({
      'Impersonate-User': 'someone',
      'Impersonate-Group': ['a', 'b'],
      'Impersonate-Extra-x%2Fy': ['1'],
    });
  });

  it.each([
    { rule: 'no YAML', text: '{', says: `${FILE}: expected YAML or JSON` },
    {
      rule: 'no mapping',
      text: '[]',
      says: `${FILE}: expected a kubeconfig: a mapping with clusters, users and contexts`,
    },
    { rule: 'no current context', text: '{}', says: `${FILE}: current-context: expected the name of a context` },
    {
      rule: 'an unknown context',
      text: 'current-context: x\ncontexts: [{name: y}]',
      says: `${FILE}: current-context: "x" is not a name in contexts, and contexts names "y"`,
    },
    {
      rule: 'an invalid server URL',
      text: written({ cluster: { server: 'ftp://x' } }),
      says: `${FILE}: clusters[1].cluster.server: "ftp://x" is not a URL that begins with https:// or http://`,
    },
    {
      rule: 'an argument that is not text',
      text: written({ user: { exec: { ...plugin, args: ['a', { b: 1 }] } } }),
      says: `${FILE}: users[0].user.exec.args[1]: {"b":1} is not text`,
    },
    {
      rule: 'arguments that are no list',
      text: written({ user: { exec: { ...plugin, args: 'a' } } }),
      says: `${FILE}: users[0].user.exec.args: "a" is not a list of texts`,
    },
    {
      rule: 'an impersonated group that is not text',
      text: written({ user: { 'as-groups': [{ a: 1 }] } }),
      says: `${FILE}: users[0].user.as-groups[0]: {"a":1} is not text`,
    },
    {
      rule: 'an impersonated extra value that is not text',
      text: written({ user: { 'as-user-extra': { reason: [1] } } }),
      says: `${FILE}: users[0].user.as-user-extra["reason"][0]: 1 is not text`,
    },
    {
      rule: 'an impersonated extra name with half a character',
      text: String.raw`{"current-context":"a","contexts":[{"name":"a","context":{"cluster":"c","user":"u"}}],"clusters":[{"name":"c","cluster":{"server":"https://a"}}],"users":[{"name":"u","user":{"as-user-extra":{"\ud800":[]}}}]}`,
      says: String.raw`${FILE}: users[0].user.as-user-extra["\ud800"]: expected a name of whole characters`,
    },
    {
      rule: 'a certificate without its key',
      text: written({ user: { 'client-certificate': 'c' } }),
      says: `${FILE}: users[0].user.client-key: expected the other half of client-certificate`,
    },
    {
      rule: 'two kinds of credentials',
      text: written({ user: { token: 'secret', username: 'u' } }),
      says: `${FILE}: users[0].user: expected one way to log in; there are token and username`,
    },
    {
      rule: 'data that is not base64, without a copy of the data',
      text: written({ user: { 'client-key-data': '%secret%', 'client-certificate-data': base64('c') } }),
      says: `${FILE}: users[0].user.client-key-data: expected base64`,
    },
    {
      rule: 'a plugin of a removed version',
      text: written({ user: { exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1alpha1' } } }),
      says: `${FILE}: users[0].user.exec.apiVersion: "client.authentication.k8s.io/v1alpha1" is not client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1`,
    },
    {
      rule: 'an authentication authority that would be ignored',
      text: written({ cluster: { 'insecure-skip-tls-verify': true, 'certificate-authority': 'x' } }),
      says: `${FILE}: clusters[1].cluster.insecure-skip-tls-verify: true is not no certificate-authority beside it: it would not be looked at`,
    },
  ])('is rejected for $rule, with the field and its value', ({ text, says }) => {
    expect(problems(text).join('\n')).toContain(says);
  });

  it('reports all its problems at once', () => {
    const text = written({ cluster: { server: 'nope://' }, user: { token: 5, username: 6 } });
    expect(problems(text)).toHaveLength(3);
  });

  it.each([
    { cluster: {}, user: { token: 'abc' } },
    { cluster: { 'tls-server-name': 'kubernetes' }, user: { username: 'u', password: 'p' } },
    { cluster: { 'insecure-skip-tls-verify': true, 'proxy-url': 'http://proxy:3128' }, user: {} },
    {
      cluster: { 'certificate-authority-data': base64('ca'), server: 'https://api.example/k8s/clusters/c-1/' },
      user: { 'client-certificate-data': base64('c'), 'client-key-data': base64('k') },
    },
  ])('has the same meaning as in the client library of Kubernetes: %j', (parts) => {
    const theirs = new KubeConfig();
    theirs.loadFromString(written(parts));
    const cluster = theirs.getCurrentCluster();
    const user = theirs.getCurrentUser();
    const ours = access(parts);
    const pem = (data: string | undefined) =>
      data === undefined ? undefined : { pem: Buffer.from(data, 'base64').toString() };
    expect({
      server: ours.server,
      serverName: ours.serverName,
      proxyUrl: ours.proxyUrl,
      insecure: ours.insecureSkipTlsVerify,
      ca: ours.ca,
      certificate: ours.clientCertificate?.certificate,
      key: ours.clientCertificate?.key,
      token: ours.login.kind === 'token' ? ours.login.token : undefined,
      username: ours.login.kind === 'basic' ? ours.login.username : undefined,
    }).toEqual({
      server: cluster?.server,
      serverName: cluster?.tlsServerName,
      proxyUrl: cluster?.proxyUrl,
      insecure: cluster?.skipTLSVerify,
      ca: pem(cluster?.caData),
      certificate: pem(user?.certData),
      key: pem(user?.keyData),
      token: user?.token,
      username: user?.username,
    });
  });
});
