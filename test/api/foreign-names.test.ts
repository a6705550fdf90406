import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { Interner } from '../../src/api/reflector/intern.ts';
import { readKubeconfig } from '../../src/api/kubeconfig/kubeconfig.ts';
import { compactObject } from '../../src/api/reflector/project-object.ts';
import { keyed } from '../../src/kube/text/own.ts';
import { FOREIGN_NAMES } from '../support/foreign-names.ts';

const kubeconfig = (user: object, name = 'node'): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: 'https://api.test' } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });

const accessOf = (text: string) => {
  const read = readKubeconfig(text, '/k');
  return read.ok ? read.access : undefined;
};

describe.each(FOREIGN_NAMES)('%s', (name) => {
  it('as the name of a cluster, a user and a context is found', () => {
    expect(accessOf(kubeconfig({ token: 't' }, name))?.server).toBe('https://api.test');
    expect(
      readKubeconfig(kubeconfig({ token: 't' }).replace('current-context: node', `current-context: ${name}`), '/k').ok,
    ).toBe(false);
  });

  it('as a variable reaches a plugin', () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: '/bin/p',
      interactiveMode: 'Never',
      env: [{ name, value: 'x' }],
    };
    const login = accessOf(kubeconfig({ exec }))?.login;
    expect(login?.kind === 'exec' && Object.entries(login.plugin.env)).toContainEqual([name, 'x']);
  });

  it('as a key of an object is kept, fresh and beside the one before', () => {
    const object = { metadata: { labels: keyed([[name, 'x']]) }, ...keyed([[name, { a: 1 }]]) };
    const compact = (before?: Readonly<Record<string, unknown>>) =>
      compactObject(object, { interner: new Interner(), without: new Set(), before });
    expect(JSON.stringify(compact())).toBe(JSON.stringify(object));
    expect(JSON.stringify(compact({ metadata: { labels: {} } }))).toBe(JSON.stringify(object));
    expect(JSON.stringify(compact(compact()))).toBe(JSON.stringify(object));
  });
});
