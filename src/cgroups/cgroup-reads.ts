import type { CgroupValues } from './cgroup-values.ts';
import { cpuWeight, type Controller } from './cgroup-writes.ts';

/** Returns the text of one file of a cgroup. Throws when the file cannot be read. */
export type ReadCgroupFile = (controller: Controller, file: string) => string;

/** The value that cgroup v1 shows for no limit: the largest number of whole pages. */
const NO_LIMIT_BYTES = 2n ** 63n - 4096n;

/** Reads the CPU and memory settings that a resize changes. Controllers that this host lacks have none. */
export function cgroupReads(controllers: readonly Controller[], version: 1 | 2, read: ReadCgroupFile): CgroupValues {
  const text = (controller: Controller, file: string): string => read(controller, `${controller}.${file}`).trim();
  return {
    ...(controllers.includes('cpu') ? (version === 1 ? cpuOfV1(text) : cpuOfV2(text)) : {}),
    ...(controllers.includes('memory') ? memoryOf(text('memory', version === 1 ? 'limit_in_bytes' : 'max')) : {}),
  };
}

function cpuOfV1(text: ReadCgroupFile): CgroupValues {
  const microseconds = BigInt(text('cpu', 'cfs_quota_us'));
  return {
    cpuShares: BigInt(text('cpu', 'shares')),
    cpuQuota: {
      microseconds: microseconds < 0n ? 'unlimited' : microseconds,
      periodMicroseconds: BigInt(text('cpu', 'cfs_period_us')),
    },
  };
}

function cpuOfV2(text: ReadCgroupFile): CgroupValues {
  const [quota = 'max', period = '0'] = text('cpu', 'max').split(' ');
  return {
    cpuShares: sharesOf(BigInt(text('cpu', 'weight'))),
    cpuQuota: {
      microseconds: quota === 'max' ? 'unlimited' : BigInt(quota),
      periodMicroseconds: BigInt(period),
    },
  };
}

function memoryOf(text: string): CgroupValues {
  if (text === 'max') return {};
  const memoryLimitBytes = BigInt(text);
  return memoryLimitBytes >= NO_LIMIT_BYTES ? {} : { memoryLimitBytes };
}

/** Returns the least v1 shares that have this cgroup v2 weight. */
const sharesOf = (weight: bigint): bigint => ((weight - 1n) * 262_142n + 9998n) / 9999n + 2n;

/**
 * Returns values as a read shows them, for comparison with a read: a cgroup v2 weight is coarser than the shares that it
 * was made from.
 */
export const asRead = (values: CgroupValues, version: 1 | 2): CgroupValues =>
  version === 1 || values.cpuShares === undefined
    ? values
    : { ...values, cpuShares: sharesOf(cpuWeight(values.cpuShares)) };
