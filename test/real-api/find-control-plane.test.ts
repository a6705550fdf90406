import { describe, expect, it } from 'vitest';
import { findControlPlane } from '../support/real-api/find-control-plane.ts';

const usual = '/usr/local/kubebuilder/bin';

describe('the search for a real control plane', () => {
  it.each([
    {
      rule: 'uses the default folder',
      env: {},
      there: [`${usual}/kube-apiserver`, `${usual}/etcd`],
      found: { apiServer: `${usual}/kube-apiserver`, etcd: `${usual}/etcd` },
    },
    {
      rule: 'uses only a given folder',
      env: { KUBEBUILDER_ASSETS: '/assets' },
      there: [`${usual}/kube-apiserver`, `${usual}/etcd`, '/assets/kube-apiserver', '/assets/etcd'],
      found: { apiServer: '/assets/kube-apiserver', etcd: '/assets/etcd' },
    },
    {
      rule: 'uses files given by path, whatever the folder',
      env: { KUBEBUILDER_ASSETS: '/assets', TEST_ASSET_ETCD: '/other/etcd-3' },
      there: ['/assets/kube-apiserver', '/other/etcd-3'],
      found: { apiServer: '/assets/kube-apiserver', etcd: '/other/etcd-3' },
    },
    {
      rule: 'ignores an empty path',
      env: { KUBEBUILDER_ASSETS: '', TEST_ASSET_KUBE_APISERVER: '' },
      there: [`${usual}/kube-apiserver`, `${usual}/etcd`],
      found: { apiServer: `${usual}/kube-apiserver`, etcd: `${usual}/etcd` },
    },
  ])('$rule', ({ env, there, found }) => {
    expect(findControlPlane(env, (path) => there.includes(path))).toEqual({ found: true, programs: found });
  });

  it('names the missing files', () => {
    expect(findControlPlane({ KUBEBUILDER_ASSETS: '/assets' }, (path) => path.endsWith('/etcd'))).toEqual({
      found: false,
      missing: ['/assets/kube-apiserver'],
    });
  });
});
