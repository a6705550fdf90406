import { describe, expect, it } from 'vitest';
import type { Node } from '../../../src/kube/node.ts';
import {
  initialNode,
  registrationPatch,
  type RegistrationSettings,
} from '../../../src/node/object/node-registration.ts';

const platform = { operatingSystem: 'linux', architecture: 'amd64' };
const ATTACH = 'volumes.kubernetes.io/controller-managed-attach-detach';
const settings: RegistrationSettings = {
  nodeName: 'node-1',
  labels: { team: 'a', 'topology.kubernetes.io/zone': 'z1' },
  taints: [{ key: 'dedicated', value: '', effect: 'NoSchedule' }],
  providerId: 'cloud://i-1',
  externalCloudProvider: false,
  controllerManagedAttach: true,
  nodeIps: [],
};
const wanted = (change: Partial<RegistrationSettings> = {}): Node =>
  initialNode({ ...settings, ...change }, platform, {});

describe('the object a node registers with', () => {
  it('has its labels, taints, provider ID and the attach-detach annotation', () => {
    expect(wanted()).toMatchObject({
      metadata: {
        name: 'node-1',
        labels: { 'kubernetes.io/hostname': 'node-1', team: 'a', 'topology.kubernetes.io/zone': 'z1' },
        annotations: { [ATTACH]: 'true' },
      },
      spec: { providerID: 'cloud://i-1', taints: [{ key: 'dedicated', effect: 'NoSchedule' }] },
    });
  });

  it('omits unset parts', () => {
    const plain = wanted({ taints: [], providerId: '', controllerManagedAttach: false });
    expect([plain.spec, plain.metadata.annotations]).toEqual([undefined, undefined]);
  });

  it('has the taint for an external cloud provider, and the configured address in an annotation', () => {
    const node = wanted({ externalCloudProvider: true, nodeIps: ['10.0.0.7'] });
    expect(node.spec?.taints).toContainEqual({
      key: 'node.cloudprovider.kubernetes.io/uninitialized',
      value: 'true',
      effect: 'NoSchedule',
    });
    expect(node.metadata.annotations).toMatchObject({ 'alpha.kubernetes.io/provided-node-ip': '10.0.0.7' });
  });

  it('has no address in the annotation where only a family is preferred', () => {
    const node = wanted({ externalCloudProvider: true, nodeIps: ['::'] });
    expect(node.metadata.annotations).not.toHaveProperty('alpha.kubernetes.io/provided-node-ip');
  });
});

describe('an existing object', () => {
  const there = (change: Partial<Node['metadata']> = {}): Node => ({
    ...wanted(),
    metadata: { ...wanted().metadata, uid: 'u', ...change },
  });
  const own = wanted().metadata.labels ?? {};
  it.each<{ rule: string; node: Node; settings?: Partial<RegistrationSettings>; patch: object | undefined }>([
    { rule: 'is not changed when it is right', node: there(), patch: undefined },
    {
      rule: 'keeps changes of others, and labels configured earlier',
      node: there({ labels: { ...own, other: 'x', team: 'b' }, annotations: { [ATTACH]: 'true', note: 'n' } }),
      settings: { labels: { 'topology.kubernetes.io/zone': 'z1' }, taints: [] },
      patch: undefined,
    },
    {
      rule: 'has its default labels corrected',
      node: there({ labels: { ...own, 'kubernetes.io/os': 'plan9', 'topology.kubernetes.io/zone': 'old' } }),
      patch: { metadata: { uid: 'u', labels: { 'kubernetes.io/os': 'linux', 'topology.kubernetes.io/zone': 'z1' } } },
    },
    {
      rule: 'gets none of the other configured labels',
      node: there({ labels: { ...own, team: 'b' } }),
      patch: undefined,
    },
    {
      rule: 'gets the attach-detach annotation',
      node: there({ annotations: {} }),
      patch: { metadata: { uid: 'u', annotations: { [ATTACH]: 'true' } } },
    },
    {
      rule: 'loses the attach-detach annotation when the node attaches volumes itself',
      node: there(),
      settings: { controllerManagedAttach: false },
      patch: { metadata: { uid: 'u', annotations: { [ATTACH]: null } } },
    },
  ])('$rule', ({ node, settings: change, patch }) => {
    expect(registrationPatch(node, wanted(change))).toEqual(patch);
  });
});
