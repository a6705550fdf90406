import { describe, expect, it } from 'vitest';
import { podCgroupParent, podCgroups } from '../../../src/node/resources/cgroup-path.ts';

const UID = '1a-2b';
const node = { cgroupDriver: 'cgroupfs', cgroupRoot: '/', cgroupsPerQos: true } as const;
const systemd = { ...node, cgroupDriver: 'systemd' } as const;

describe('the cgroup of a pod', () => {
  it.each([
    { qos: 'Guaranteed', facts: node, path: '/kubepods/pod1a-2b' },
    { qos: 'Burstable', facts: node, path: '/kubepods/burstable/pod1a-2b' },
    { qos: 'BestEffort', facts: { ...node, cgroupRoot: '/a/b' }, path: '/a/b/kubepods/besteffort/pod1a-2b' },
    { qos: 'Guaranteed', facts: systemd, path: '/kubepods.slice/kubepods-pod1a_2b.slice' },
    {
      qos: 'Burstable',
      facts: systemd,
      path: '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1a_2b.slice',
    },
    {
      qos: 'Guaranteed',
      facts: { ...systemd, cgroupRoot: '/my-root' },
      path: '/my_root.slice/my_root-kubepods.slice/my_root-kubepods-pod1a_2b.slice',
    },
    { qos: 'Burstable', facts: { ...node, cgroupsPerQos: false, cgroupRoot: '/a' }, path: '/a' },
    { qos: 'Burstable', facts: { ...node, cgroupsPerQos: false }, path: '/' },
  ] as const)('$qos, $facts.cgroupDriver below $facts.cgroupRoot: $path', ({ qos, facts, path }) => {
    expect(podCgroupParent(UID, qos, facts)).toBe(path);
  });
});

describe('the possible cgroups of a pod', () => {
  it.each([
    { rule: 'its own', qos: 'Burstable', facts: node, paths: ['/kubepods/burstable/pod1a-2b'] },
    {
      rule: 'of any class where the class is not known',
      qos: undefined,
      facts: node,
      paths: ['/kubepods/pod1a-2b', '/kubepods/burstable/pod1a-2b', '/kubepods/besteffort/pod1a-2b'],
    },
    {
      rule: 'none when all pods share a cgroup',
      qos: 'Burstable',
      facts: { ...node, cgroupsPerQos: false },
      paths: [],
    },
  ] as const)('$rule', ({ qos, facts, paths }) => {
    expect(podCgroups(UID, qos, facts)).toEqual(paths);
  });

  it('none without a UID, since the path would be that of all pods', () => {
    expect(podCgroups('', 'Guaranteed', node)).toEqual([]);
  });
});
