import { expect, it } from 'vitest';
import { nodeByItself } from '../../../src/node/admission/own-node.ts';

it('a node knows itself as it would register', () => {
  const node = nodeByItself({
    node: { nodeName: 'n1', allocatable: { cpu: '2', memory: '4Gi', pods: '110' } },
    config: { registerWithTaints: [{ key: 'dedicated', value: 'db', effect: 'NoExecute' }] },
    platform: { operatingSystem: 'linux', architecture: 'arm64' },
    labels: { 'example.com/rack': 'r7' },
  });
  expect(node).toEqual({
    name: 'n1',
    labels: {
      'kubernetes.io/hostname': 'n1',
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'arm64',
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/arch': 'arm64',
      'example.com/rack': 'r7',
    },
    os: 'linux',
    allocatable: { cpu: '2', memory: '4Gi', pods: '110' },
    taints: [{ key: 'dedicated', value: 'db', effect: 'NoExecute' }],
    strictSupplementalGroups: true,
  });
});
