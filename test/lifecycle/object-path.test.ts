import { describe, expect, it } from 'vitest';
import { listPathOf, namespacesOf, pathOfNamed } from './object-path.ts';
import type { Action, ApiObject } from './scenario.ts';

const objectOf = (kind: string, name: string, namespace?: string, apiVersion = 'v1'): ApiObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace !== undefined && { namespace }) },
});

describe('the place of an object in the API', () => {
  it.each([
    { object: objectOf('Pod', 'a', 'life'), path: '/api/v1/namespaces/life/pods' },
    { object: objectOf('Pod', 'a'), path: '/api/v1/namespaces/default/pods' },
    { object: objectOf('Node', 'a'), path: '/api/v1/nodes' },
    { object: objectOf('RuntimeClass', 'a', undefined, 'node.k8s.io/v1'), path: '/apis/node.k8s.io/v1/runtimeclasses' },
    {
      object: objectOf('NetworkPolicy', 'a', 'x', 'networking.k8s.io/v1'),
      path: '/apis/networking.k8s.io/v1/namespaces/x/networkpolicies',
    },
  ])('is $path', ({ object, path }) => {
    expect(listPathOf(object)).toBe(path);
  });
});

describe('the object that an action names', () => {
  const put: Action = { static: 'late.yaml', pod: objectOf('Pod', 'late', 'there') };
  const scenario = {
    manifest: [objectOf('Pod', 'mine', 'life'), objectOf('Pod', 'bare'), objectOf('ConfigMap', 'mine', 'other')],
    static: { 'own.yaml': objectOf('Pod', 'own') },
    actions: [put, { create: objectOf('Secret', 'new', 'life') }],
  };
  it.each([
    { what: 'a pod', named: { name: 'mine' }, path: '/api/v1/namespaces/life/pods/mine' },
    { what: 'a pod without a namespace', named: { name: 'bare' }, path: '/api/v1/namespaces/default/pods/bare' },
    {
      what: 'another kind of the same name',
      named: { kind: 'ConfigMap', name: 'mine' },
      path: '/api/v1/namespaces/other/configmaps/mine',
    },
    {
      what: 'a kind by its resource',
      named: { kind: 'configmaps', name: 'mine' },
      path: '/api/v1/namespaces/other/configmaps/mine',
    },
    {
      what: 'an object of an action',
      named: { kind: 'Secret', name: 'new' },
      path: '/api/v1/namespaces/life/secrets/new',
    },
    { what: 'a mirror pod', named: { name: 'own-life-node' }, path: '/api/v1/namespaces/default/pods/own-life-node' },
    {
      what: 'a mirror pod of a later file',
      named: { name: 'late-life-node' },
      path: '/api/v1/namespaces/there/pods/late-life-node',
    },
    {
      what: 'an object that the scenario does not make',
      named: { kind: 'ServiceAccount', name: 'default' },
      path: '/api/v1/namespaces/life/serviceaccounts/default',
    },
    { what: 'the node', named: { kind: 'Node', name: 'life-node' }, path: '/api/v1/nodes/life-node' },
  ])('is found where it lives: $what', ({ named, path }) => {
    expect(pathOfNamed(scenario, named)).toBe(path);
  });

  it('lives in one of the namespaces of the scenario', () => {
    expect([...namespacesOf(scenario)].toSorted()).toEqual(['default', 'life', 'other', 'there']);
  });
});
