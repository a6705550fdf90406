import { describe, expect, it } from 'vitest';
import type { NodeStatus } from '../../../src/kube/node.ts';
import { nodeImages } from '../../../src/node/object/node-images.ts';
import { nodeStatusPatch, saysTheSame } from '../../../src/node/object/node-status-patch.ts';

const info = {
  machineID: 'm',
  systemUUID: 's',
  bootID: 'b',
  kernelVersion: '6',
  osImage: 'o',
  containerRuntimeVersion: 'c://1',
  kubeletVersion: 'v1',
  kubeProxyVersion: '',
  operatingSystem: 'linux',
  architecture: 'amd64',
};
const condition = (status: 'True' | 'False', heartbeat = 't1') => ({
  type: 'Ready',
  status,
  lastHeartbeatTime: heartbeat,
});

describe('the patch from one node status to another', () => {
  it.each<{ rule: string; before: NodeStatus; after: NodeStatus; patch: object | undefined }>([
    {
      rule: 'is empty for equal statuses',
      before: { nodeInfo: info },
      after: { nodeInfo: { ...info } },
      patch: undefined,
    },
    {
      rule: 'is empty for another spelling of the same amount',
      before: { capacity: { memory: '1048576Ki' } },
      after: { capacity: { memory: '1Gi' } },
      patch: undefined,
    },
    {
      rule: 'has changed and removed resources',
      before: { capacity: { cpu: '1', memory: '1Gi', 'hugepages-1Gi': '0' } },
      after: { capacity: { cpu: '2', memory: '1Gi' } },
      patch: { capacity: { cpu: '2', 'hugepages-1Gi': null } },
    },
    {
      rule: 'has changed conditions, whole',
      before: { conditions: [condition('True'), { type: 'DiskPressure', status: 'False' }] },
      after: { conditions: [condition('False'), { type: 'DiskPressure', status: 'False' }] },
      patch: { conditions: [condition('False')] },
    },
    {
      rule: 'replaces all addresses, since two addresses of one type would be merged',
      before: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
      after: { addresses: [{ type: 'InternalIP', address: '10.0.0.2' }] },
      patch: { addresses: [{ type: 'InternalIP', address: '10.0.0.2' }, { $patch: 'replace' }] },
    },
    {
      rule: 'names removed members of an object',
      before: { nodeInfo: { ...info, swap: { capacity: 1 } } },
      after: { nodeInfo: info },
      patch: { nodeInfo: { ...info, swap: null } },
    },
    {
      rule: 'removes a removed list',
      before: { volumesInUse: ['a'] },
      after: {},
      patch: { volumesInUse: null },
    },
  ])('$rule', ({ before, after, patch }) => {
    expect(nodeStatusPatch(before, after)).toEqual(patch);
  });

  it('counts as empty when only the heartbeats differ', () => {
    expect(saysTheSame({ conditions: [condition('True')] }, { conditions: [condition('True', 't2')] })).toBe(true);
    expect(saysTheSame({ conditions: [condition('True')] }, { conditions: [condition('False')] })).toBe(false);
  });
});

describe('the images a node lists', () => {
  const image = (name: string, size: bigint, digests: readonly string[] = []) => ({
    repoTags: name === '' ? [] : [name],
    repoDigests: digests,
    size,
  });
  it('are the largest, in an order independent of the runtime’s', () => {
    const images = [image('a', 1n), image('b', 3n), image('d', 2n), image('c', 2n)];
    const listed = (atMost: number, from = images) => nodeImages(from, atMost).map(({ names }) => names[0]);
    expect(listed(3)).toEqual(['b', 'c', 'd']);
    expect(listed(-1)).toEqual(['b', 'c', 'd', 'a']);
    expect(listed(-1, images.toReversed())).toEqual(['b', 'c', 'd', 'a']);
    expect(listed(0)).toEqual([]);
  });

  it('have at most five names, digests first; an image without a name is left out', () => {
    const [first, ...others] = nodeImages([image('t', 1n, ['1', '2', '3', '4', '5']), image('', 9n)], -1);
    expect([first?.names, others]).toEqual([['1', '2', '3', '4', '5'], []]);
  });
});
