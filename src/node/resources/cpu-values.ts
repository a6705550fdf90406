/** Converts amounts of CPU to the kernel's values. */

const MIN_SHARES = 2n;
const MAX_SHARES = 262_144n;
const SHARES_PER_CPU = 1024n;
const MIN_QUOTA_MICROSECONDS = 1000n;

/** Returns the relative weight of thousandths of a CPU (cgroup v1 `cpu.shares`, from which v2 weights are computed). */
export function cpuShares(milliCpu: bigint): bigint {
  const shares = (milliCpu * SHARES_PER_CPU) / 1000n;
  if (shares < MIN_SHARES) return MIN_SHARES;
  return shares > MAX_SHARES ? MAX_SHARES : shares;
}

/** Returns the microseconds of CPU for each period; 0, meaning no limit, for an amount of zero. */
export function cpuQuotaMicroseconds(milliCpu: bigint, periodMicroseconds: bigint): bigint {
  if (milliCpu === 0n) return 0n;
  const quota = (milliCpu * periodMicroseconds) / 1000n;
  return quota < MIN_QUOTA_MICROSECONDS ? MIN_QUOTA_MICROSECONDS : quota;
}
