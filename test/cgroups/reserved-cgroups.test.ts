import { describe, expect, it } from 'vitest';
import type { CgroupValues } from '../../src/cgroups/cgroup-values.ts';
import type { KubeletConfiguration } from '../../src/config/fields/kubelet-configuration.ts';
import { holdReserved, reservedCgroups } from '../../src/cgroups/reserved-cgroups.ts';

const settings = {
  systemReservedCgroup: '/system.slice',
  kubeReservedCgroup: 'runtime',
  systemReserved: { cpu: '500m', memory: '1Gi', pid: '1000', 'ephemeral-storage': '1Gi' },
  kubeReserved: { cpu: '100m', memory: '200Mi' },
};

describe('cgroups of daemons that a share of the node is reserved for', () => {
  it.each<{ enforce: KubeletConfiguration['enforceNodeAllocatable']; expected: readonly object[] }>([
    { enforce: ['pods'], expected: [] },
    { enforce: ['none'], expected: [] },
    {
      enforce: ['pods', 'system-reserved'],
      expected: [
        {
          whose: 'System',
          path: '/system.slice',
          values: { cpuShares: 512n, memoryLimitBytes: 1_073_741_824n, pidsMax: 1_000n },
        },
      ],
    },
    {
      enforce: ['system-reserved-compressible', 'kube-reserved'],
      expected: [
        { whose: 'System', path: '/system.slice', values: { cpuShares: 512n } },
        { whose: 'Kube', path: '/runtime', values: { cpuShares: 102n, memoryLimitBytes: 209_715_200n } },
      ],
    },
    {
      enforce: ['kube-reserved-compressible'],
      expected: [{ whose: 'Kube', path: '/runtime', values: { cpuShares: 102n } }],
    },
  ])('with $enforce enforced', ({ enforce, expected }) => {
    expect(reservedCgroups({ ...settings, enforceNodeAllocatable: enforce })).toEqual(expected);
  });

  it.each([
    [[], undefined, 'the cgroup does not exist'],
    [['/daemons'], 'EBUSY', 'EBUSY'],
    [['/daemons'], undefined, undefined],
  ])('with %j existing and the kernel answering %s', (there, refusal, problem) => {
    const set: [string, CgroupValues][] = [];
    const cgroups = {
      exists: (path: string) => (there as readonly string[]).includes(path),
      set(path: string, values: CgroupValues) {
        set.push([path, values]);
        return refusal;
      },
    };
    const found = holdReserved(cgroups, { whose: 'Kube', path: '/daemons', values: { cpuShares: 2n } });
    expect(found).toBe(problem && `Failed to enforce Kube Reserved Cgroup Limits on "/daemons": ${problem}`);
    expect(set).toEqual(there.length === 0 ? [] : [['/daemons', { cpuShares: 2n }]]);
  });
});
