import { pageSizeName } from '../node/resources/page-size-name.ts';
import type { CgroupValues } from './cgroup-values.ts';

/** The controllers that this agent configures. */
export const CONTROLLERS = ['cpu', 'memory', 'pids', 'hugetlb'] as const;
export type Controller = (typeof CONTROLLERS)[number];

/** One line for one file of a cgroup. */
export interface CgroupWrite {
  readonly controller: Controller;
  readonly file: string;
  readonly text: string;
}

const MIN_SHARES = 2n;
const MAX_SHARES = 262_144n;
const MAX_WEIGHT = 10_000n;

/** Converts v1 shares to a cgroup v2 weight, as the kubelet does for pods and classes (KEP-2254). */
export function cpuWeight(shares: bigint): bigint {
  if (shares <= MIN_SHARES) return 1n;
  return shares >= MAX_SHARES ? MAX_WEIGHT : 1n + ((shares - MIN_SHARES) * 9999n) / 262_142n;
}

/** Returns the writes in order: the kernel checks a quota against the present period. */
export function cgroupWrites(values: CgroupValues, version: 1 | 2): readonly CgroupWrite[] {
  return version === 1 ? writesOfV1(values) : writesOfV2(values);
}

function writesOfV1(values: CgroupValues): readonly CgroupWrite[] {
  const { cpuShares, cpuQuota, memoryLimitBytes, pidsMax, hugePageLimits } = values;
  const writes: CgroupWrite[] = [];
  const add = (controller: Controller, file: string, text: bigint | string): void =>
    void writes.push({ controller, file: `${controller}.${file}`, text: String(text) });
  if (cpuShares !== undefined) add('cpu', 'shares', cpuShares);
  if (cpuQuota !== undefined) {
    const { microseconds, periodMicroseconds } = cpuQuota;
    add('cpu', 'cfs_period_us', periodMicroseconds);
    add('cpu', 'cfs_quota_us', microseconds === 'unlimited' ? -1n : microseconds);
  }
  if (memoryLimitBytes !== undefined) add('memory', 'limit_in_bytes', memoryLimitBytes);
  if (pidsMax !== undefined) add('pids', 'max', pidsMax);
  for (const [size, bytes] of hugePageLimits ?? [])
    add('hugetlb', `${pageSizeName(size)}.limit_in_bytes`, bytes === 'unlimited' ? -1n : bytes);
  return writes;
}

function writesOfV2(values: CgroupValues): readonly CgroupWrite[] {
  const { cpuShares, cpuQuota, memoryLimitBytes, memoryMinBytes, memoryLowBytes, pidsMax, hugePageLimits } = values;
  const writes: CgroupWrite[] = [];
  const add = (controller: Controller, file: string, text: bigint | string): void =>
    void writes.push({ controller, file: `${controller}.${file}`, text: String(text) });
  if (cpuShares !== undefined) add('cpu', 'weight', cpuWeight(cpuShares));
  if (cpuQuota !== undefined) {
    const { microseconds, periodMicroseconds } = cpuQuota;
    add('cpu', 'max', `${microseconds === 'unlimited' ? 'max' : microseconds} ${periodMicroseconds}`);
  }
  if (memoryLimitBytes !== undefined) add('memory', 'max', memoryLimitBytes);
  if (memoryMinBytes !== undefined) add('memory', 'min', memoryMinBytes);
  if (memoryLowBytes !== undefined) add('memory', 'low', memoryLowBytes);
  if (pidsMax !== undefined) add('pids', 'max', pidsMax);
  for (const [size, bytes] of hugePageLimits ?? [])
    add('hugetlb', `${pageSizeName(size)}.max`, bytes === 'unlimited' ? 'max' : bytes);
  return writes;
}
