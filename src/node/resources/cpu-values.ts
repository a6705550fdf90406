/** How amounts of CPU are written to the kernel. */

const MIN_SHARES = 2n;
const MAX_SHARES = 262_144n;
const SHARES_PER_CPU = 1024n;
const MIN_QUOTA_MICROSECONDS = 1000n;

/** The relative weight of so many thousandths of a CPU (cgroup v1 `cpu.shares`, from which v2 weights are made). */
export function cpuShares(milliCpu: bigint): bigint {
  const shares = (milliCpu * SHARES_PER_CPU) / 1000n;
  if (shares < MIN_SHARES) return MIN_SHARES;
  return shares > MAX_SHARES ? MAX_SHARES : shares;
}

/** The microseconds of CPU that may be used in each period; 0, meaning no bound, for no CPU at all. */
export function cpuQuotaMicroseconds(milliCpu: bigint, periodMicroseconds: bigint): bigint {
  if (milliCpu === 0n) return 0n;
  const quota = (milliCpu * periodMicroseconds) / 1000n;
  return quota < MIN_QUOTA_MICROSECONDS ? MIN_QUOTA_MICROSECONDS : quota;
}
