import { describe, expect, it } from 'vitest';
import { apiClient } from '../../src/api/api-client.ts';
import { secretPath, nodePath } from '../../src/api/api-path.ts';
import type { ApiOutcome } from '../../src/api/api-request.ts';

const answering = (value: unknown) => apiClient(() => Promise.resolve({ ok: true, value }));
const get = (path: string, value: unknown): Promise<ApiOutcome<unknown>> => answering(value).get(path);

const metadata = { name: 'a' };
const PV = '/api/v1/persistentvolumes/a';
const PVC = '/api/v1/namespaces/shop/persistentvolumeclaims/a';
const STORAGE = '/apis/storage.k8s.io/v1';

describe('a malformed answer fails its call', () => {
  it.each([
    { what: 'a node without metadata', path: nodePath('a'), value: {}, says: 'metadata: is required' },
    {
      what: 'a node whose taint is null',
      path: nodePath('a'),
      value: { metadata, spec: { taints: [null] } },
      says: 'spec.taints[0]',
    },
    { what: 'a node that is a list', path: nodePath('a'), value: [], says: 'must be a mapping' },
    { what: 'a node that is null', path: nodePath('a'), value: null, says: 'must be a mapping' },
    {
      what: 'a secret whose data are text',
      path: secretPath('shop', 'a'),
      value: { metadata, data: 'x' },
      says: 'data: must be a mapping',
    },
    {
      what: 'a secret with a number',
      path: secretPath('shop', 'a'),
      value: { metadata, data: { key: 5 } },
      says: 'data.key: must be text',
    },
    {
      what: 'a volume whose name leads out of its directory',
      path: PV,
      value: { metadata: { name: '../../etc' } },
      says: 'metadata.name: must not be',
    },
    {
      what: 'a volume whose driver leads out of its directory',
      path: PV,
      value: { metadata, spec: { csi: { driver: '../..', volumeHandle: 'h' } } },
      says: 'spec.csi.driver: must not be',
    },
    {
      what: 'a volume without a handle',
      path: PV,
      value: { metadata, spec: { csi: { driver: 'd' } } },
      says: 'spec.csi.volumeHandle: is required',
    },
    {
      what: 'a claim with an owner that is text',
      path: PVC,
      value: { metadata: { name: 'a', ownerReferences: ['me'] } },
      says: 'metadata.ownerReferences[0]',
    },
    { what: 'a CSINode without spec', path: `${STORAGE}/csinodes/a`, value: { metadata }, says: 'spec: is required' },
    {
      what: 'a CSIDriver with odd token requests',
      path: `${STORAGE}/csidrivers/a`,
      value: { spec: { tokenRequests: {} } },
      says: 'spec.tokenRequests: must be a list',
    },
    {
      what: 'an attachment whose attached field is text',
      path: `${STORAGE}/volumeattachments/a`,
      value: { status: { attached: 'yes' } },
      says: 'status.attached',
    },
    {
      what: 'a review with groups that are text',
      path: '/apis/authentication.k8s.io/v1/tokenreviews',
      value: { status: { authenticated: true, user: { username: 'u', groups: 'system:masters' } } },
      says: 'status.user.groups: must be a list',
    },
    {
      what: 'a review that allows in words',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      value: { status: { allowed: 'true' } },
      says: 'status.allowed',
    },
    {
      what: 'a list with an item that is null',
      path: '/apis/certificates.k8s.io/v1beta1/clustertrustbundles?limit=5',
      value: { items: [{ spec: {} }, null] },
      says: 'items[1]: must be a mapping',
    },
    {
      what: 'a lease of a duration in words',
      path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/a',
      value: { metadata, spec: { leaseDurationSeconds: '40' } },
      says: 'spec.leaseDurationSeconds',
    },
  ])('$what', async ({ path, value, says }) => {
    const outcome = await get(path, value);
    expect(outcome).toMatchObject({ ok: false, fault: { kind: 'unreadable' } });
    expect(outcome.ok ? '' : outcome.fault.message).toContain(says);
    expect(outcome.ok ? '' : outcome.fault.message).toContain(path);
  });
});

describe('a readable answer', () => {
  it('is returned without null members', async () => {
    const value = { metadata: { name: 'a', creationTimestamp: null, labels: null }, data: { key: 'dmFsdWU=' } };
    expect(await get(secretPath('shop', 'a'), value)).toEqual({
      ok: true,
      value: { metadata: { name: 'a' }, data: { key: 'dmFsdWU=' } },
    });
  });

  it('may have an unknown resource', async () => {
    expect(await get('/apis/other/v1/things/a', 'anything')).toEqual({ ok: true, value: 'anything' });
  });
});
