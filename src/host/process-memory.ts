import { readFileSync } from 'node:fs';

/** Memory of a process that is in use, in bytes, as `/proc/<pid>/status` shows it. `undefined` when the process has none. */
export function residentBytesIn(status: string): number | undefined {
  const [, kibibytes] = /^VmRSS:\s+(\d{1,15}) kB$/m.exec(status) ?? [];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

/** The same of a living process. `undefined` when it cannot be read, because the process has ended or there is no `/proc`. */
export function residentBytesOf(pid: number): number | undefined {
  try {
    return residentBytesIn(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Limit of the cgroup of this process, in bytes. `undefined` when it has none that is below the machine's memory. */
export function cgroupLimitBytes(constrainedBytes: number, machineBytes: number): number | undefined {
  // Without a limit Node answers 0, or a number larger than any machine.
  return constrainedBytes > 0 && constrainedBytes < machineBytes ? constrainedBytes : undefined;
}
