import { describe, expect, it } from 'vitest';
import { findControlPlane } from '../support/real-api/find-control-plane.ts';

const usual = '/usr/local/kubebuilder/bin';

describe('a real control plane is looked for', () => {
  it.each([
    {
      rule: 'in the usual folder',
      env: {},
      there: [`${usual}/kube-apiserver`, `${usual}/etcd`],
      found: { apiServer: `${usual}/kube-apiserver`, etcd: `${usual}/etcd` },
    },
    {
      rule: 'in the folder that is named, and nowhere else',
      env: { KUBEBUILDER_ASSETS: '/assets' },
      there: [`${usual}/kube-apiserver`, `${usual}/etcd`, '/assets/kube-apiserver', '/assets/etcd'],
      found: { apiServer: '/assets/kube-apiserver', etcd: '/assets/etcd' },
    },
    {
      rule: 'where each file is named, whatever folder is',
      env: { KUBEBUILDER_ASSETS: '/assets', TEST_ASSET_ETCD: '/other/etcd-3' },
      there: ['/assets/kube-apiserver', '/other/etcd-3'],
      found: { apiServer: '/assets/kube-apiserver', etcd: '/other/etcd-3' },
    },
    {
      rule: 'as if nothing were named where a name is empty',
      env: { KUBEBUILDER_ASSETS: '', TEST_ASSET_KUBE_APISERVER: '' },
      there: [`${usual}/kube-apiserver`, `${usual}/etcd`],
      found: { apiServer: `${usual}/kube-apiserver`, etcd: `${usual}/etcd` },
    },
  ])('$rule', ({ env, there, found }) => {
    expect(findControlPlane(env, (path) => there.includes(path))).toEqual({ found: true, programs: found });
  });

  it('and what is missing is named', () => {
    expect(findControlPlane({ KUBEBUILDER_ASSETS: '/assets' }, (path) => path.endsWith('/etcd'))).toEqual({
      found: false,
      missing: ['/assets/kube-apiserver'],
    });
  });
});
