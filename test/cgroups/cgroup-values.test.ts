import { describe, expect, it } from 'vitest';
import {
  amountCgroupValues,
  podCgroupValues,
  protectedMemory,
  qosCgroupValues,
  type CgroupFacts,
} from '../../src/cgroups/cgroup-values.ts';
import { cgroupWrites, cpuWeight } from '../../src/cgroups/cgroup-writes.ts';
import type { Container, Pod, ResourceRequirements } from '../../src/kube/pod.ts';
import { pod as podWith } from '../pod/pods.ts';

const MIB = 1024n ** 2n;
const TWO_MIB = 2n * MIB;
const host: CgroupFacts = { cpuCfsQuota: true, cpuCfsQuotaPeriodMicroseconds: 100_000n, hugePageSizes: [] };

const container = (name: string, resources: ResourceRequirements, more: Partial<Container> = {}): Container => ({
  name,
  image: 'app',
  resources,
  ...more,
});
const of = (containers: readonly Container[], spec: Partial<Pod['spec']> = {}): Pod => {
  const base = podWith();
  return { ...base, spec: { ...base.spec, containers, ...spec } };
};
const same = (cpu: string, memory: string): ResourceRequirements => ({
  requests: { cpu, memory },
  limits: { cpu, memory },
});
const quota = (microseconds: bigint | 'unlimited') => ({ microseconds, periodMicroseconds: 100_000n });

describe('memory protected for pods', () => {
  const reserving: CgroupFacts = { ...host, memoryQos: { throttlingFactor: 0.9, reserves: true } };
  const asks = of([container('a', { requests: { memory: '10Mi' } }), container('b', { requests: { memory: '5Mi' } })]);

  it.each([
    { qos: 'guaranteed', pod: of([container('a', same('1', '64Mi'))]), kept: { memoryMinBytes: 64n * MIB } },
    { qos: 'burstable', pod: asks, kept: { memoryLowBytes: 15n * MIB } },
    { qos: 'best-effort', pod: of([container('a', {})]), kept: {} },
  ])('is the request of a $qos pod', ({ pod, kept }) => {
    const without = podCgroupValues(pod, host);
    expect(podCgroupValues(pod, reserving)).toEqual({ ...without, ...kept });
    expect(podCgroupValues(pod, { ...host, memoryQos: { throttlingFactor: 0.9, reserves: false } })).toEqual(without);
  });

  it('is protected in the parent cgroups as well, and zero is written', () => {
    const sums = { guaranteedBytes: 0n, burstableBytes: 5n };
    expect(protectedMemory(sums, reserving)).toEqual({
      ofAll: { memoryMinBytes: 5n },
      ofBurstable: { memoryLowBytes: 5n },
    });
    expect(protectedMemory(sums, host)).toEqual({ ofAll: {}, ofBurstable: {} });
  });

  it('exists in cgroup v2 only', () => {
    const values = { memoryMinBytes: 1n, memoryLowBytes: 2n };
    expect(cgroupWrites(values, 1)).toEqual([]);
    expect(cgroupWrites(values, 2).map(({ file, text }) => `${file}=${text}`)).toEqual([
      'memory.min=1',
      'memory.low=2',
    ]);
  });
});

describe("a pod's cgroup", () => {
  it.each([
    { rule: 'best effort', pod: of([container('a', {})]), values: { cpuShares: 2n } },
    {
      rule: 'guaranteed',
      pod: of([container('a', same('500m', '64Mi')), container('b', same('1', '64Mi'))]),
      values: { cpuShares: 1536n, cpuQuota: quota(150_000n), memoryLimitBytes: 128n * MIB },
    },
    {
      rule: 'burstable, every container limited',
      pod: of([container('a', { requests: { cpu: '100m', memory: '10Mi' }, limits: { cpu: '200m', memory: '20Mi' } })]),
      values: { cpuShares: 102n, cpuQuota: quota(20_000n), memoryLimitBytes: 20n * MIB },
    },
    {
      rule: 'burstable, one container without a limit of CPU',
      pod: of([
        container('a', { requests: { cpu: '100m' }, limits: { cpu: '200m', memory: '20Mi' } }),
        container('b', { limits: { memory: '30Mi' } }),
      ]),
      values: { cpuShares: 102n, memoryLimitBytes: 50n * MIB },
    },
    {
      rule: 'burstable, one container without a limit of memory',
      pod: of([
        container('a', { requests: { cpu: '1' }, limits: { cpu: '1', memory: '20Mi' } }),
        container('b', { requests: { cpu: '1' }, limits: { cpu: '1' } }),
      ]),
      values: { cpuShares: 2048n, cpuQuota: quota(200_000n) },
    },
    {
      rule: 'an init container without a limit is a container without a limit',
      pod: of([container('a', { requests: { cpu: '1' }, limits: { cpu: '2' } })], {
        initContainers: [container('i', {})],
      }),
      values: { cpuShares: 1024n },
    },
    {
      rule: 'pod-level limits',
      pod: of([container('a', {}), container('b', {})], {
        resources: { requests: { cpu: '500m', memory: '32Mi' }, limits: { cpu: '1', memory: '64Mi' } },
      }),
      values: { cpuShares: 512n, cpuQuota: quota(100_000n), memoryLimitBytes: 64n * MIB },
    },
    {
      rule: 'sidecars and init containers take the most that runs at once',
      pod: of([container('a', same('100m', '10Mi'))], {
        initContainers: [
          container('side', same('100m', '10Mi'), { restartPolicy: 'Always' }),
          container('init', same('1', '5Mi')),
        ],
      }),
      values: { cpuShares: 1126n, cpuQuota: quota(110_000n), memoryLimitBytes: 20n * MIB },
    },
    {
      rule: 'with overhead',
      pod: of([container('a', same('100m', '10Mi'))], { overhead: { cpu: '100m', memory: '6Mi' } }),
      values: { cpuShares: 204n, cpuQuota: quota(20_000n), memoryLimitBytes: 16n * MIB },
    },
    {
      rule: "a quota below the kernel's minimum",
      pod: of([container('a', { requests: { cpu: '1m', memory: '10Mi' }, limits: { cpu: '5m', memory: '10Mi' } })]),
      values: { cpuShares: 2n, cpuQuota: quota(1_000n), memoryLimitBytes: 10n * MIB },
    },
  ])('$rule', ({ pod, values }) => {
    expect(podCgroupValues(pod, host)).toEqual({ hugePageLimits: new Map(), ...values });
  });

  it.each([
    { rule: 'no quota', facts: { cpuCfsQuota: false }, values: { cpuQuota: quota('unlimited') } },
    { rule: 'a limit of processes', facts: { podPidsLimit: 100n }, values: { pidsMax: 100n } },
    { rule: 'huge pages', facts: { hugePageSizes: [TWO_MIB] }, values: { hugePageLimits: new Map([[TWO_MIB, 0n]]) } },
  ])('under a node with $rule', ({ facts, values }) => {
    expect(podCgroupValues(of([container('a', same('1', '10Mi'))]), { ...host, ...facts })).toMatchObject(values);
  });

  it('has the requested huge pages, and none of other sizes', () => {
    const asks = of([container('a', { requests: { 'hugepages-2Mi': '4Mi' }, limits: { 'hugepages-2Mi': '4Mi' } })]);
    const { hugePageLimits } = podCgroupValues(asks, { ...host, hugePageSizes: [TWO_MIB, 1024n * MIB] });
    expect(hugePageLimits).toEqual(
      new Map([
        [TWO_MIB, 4n * MIB],
        [1024n * MIB, 0n],
      ]),
    );
  });
});

describe('the cgroup of a QoS class', () => {
  it.each([
    { qos: 'Burstable', milliCpu: 3_500n, shares: 3_584n },
    { qos: 'Burstable', milliCpu: 0n, shares: 2n },
    { qos: 'BestEffort', milliCpu: 3_500n, shares: 2n },
  ] as const)('$qos with $milliCpu m weighs $shares', ({ qos, milliCpu, shares }) => {
    expect(qosCgroupValues(qos, milliCpu, host).cpuShares).toBe(shares);
  });

  it('does not limit huge pages', () => {
    expect(qosCgroupValues('Burstable', 0n, { hugePageSizes: [TWO_MIB] }).hugePageLimits).toEqual(
      new Map([[TWO_MIB, 'unlimited']]),
    );
  });
});

describe('the cgroup of all pods', () => {
  const amounts = { cpu: '3500m', memory: '1Gi', pid: '1000', 'hugepages-2Mi': '8Mi' };

  it("is limited to the node's allocatable resources", () => {
    expect(amountCgroupValues(amounts)).toEqual({
      cpuShares: 3584n,
      memoryLimitBytes: 1024n * MIB,
      pidsMax: 1000n,
      hugePageLimits: new Map([[TWO_MIB, 8n * MIB]]),
    });
  });

  it('may be limited in compressible resources only', () => {
    expect(amountCgroupValues(amounts, { compressibleOnly: true })).toEqual({ cpuShares: 3584n });
  });
});

describe('the writes of a cgroup', () => {
  const values = {
    cpuShares: 1024n,
    cpuQuota: quota(150_000n),
    memoryLimitBytes: MIB,
    pidsMax: 10n,
    hugePageLimits: new Map<bigint, bigint | 'unlimited'>([
      [TWO_MIB, MIB],
      [1024n * MIB, 'unlimited'],
    ]),
  };
  const lines = (version: 1 | 2, of: Parameters<typeof cgroupWrites>[0]) =>
    cgroupWrites(of, version).map(({ file, text }) => `${file} ${text}`);

  it('to cgroup v1, the period before the quota', () => {
    expect(lines(1, values)).toEqual([
      'cpu.shares 1024',
      'cpu.cfs_period_us 100000',
      'cpu.cfs_quota_us 150000',
      'memory.limit_in_bytes 1048576',
      'pids.max 10',
      'hugetlb.2MB.limit_in_bytes 1048576',
      'hugetlb.1GB.limit_in_bytes -1',
    ]);
  });

  it('to cgroup v2', () => {
    expect(lines(2, values)).toEqual([
      'cpu.weight 39',
      'cpu.max 150000 100000',
      'memory.max 1048576',
      'pids.max 10',
      'hugetlb.2MB.max 1048576',
      'hugetlb.1GB.max max',
    ]);
  });

  it('for no quota', () => {
    expect(lines(1, { cpuQuota: quota('unlimited') })).toEqual(['cpu.cfs_period_us 100000', 'cpu.cfs_quota_us -1']);
    expect(lines(2, { cpuQuota: quota('unlimited') })).toEqual(['cpu.max max 100000']);
  });

  it('for nothing', () => {
    expect([...lines(1, {}), ...lines(2, {})]).toEqual([]);
  });

  it.each([
    [2n, 1n],
    [0n, 1n],
    [1024n, 39n],
    [262_144n, 10_000n],
    [999_999n, 10_000n],
  ])('%d shares are a weight of %d', (shares, weight) => {
    expect(cpuWeight(shares)).toBe(weight);
  });
});
