import { readFileSync } from 'node:fs';

/** Returns the resident memory in `/proc/<pid>/status`, in bytes. `undefined` when the process has none. */
export function residentBytesIn(status: string): number | undefined {
  const [, kibibytes] = /^VmRSS:\s+(\d{1,15}) kB$/m.exec(status) ?? [];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

/**
 * Returns the resident memory of a living process, in bytes. `undefined` when the process has ended or there is no
 * `/proc`.
 */
export function residentBytesOf(pid: number): number | undefined {
  try {
    return residentBytesIn(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Returns the limit of this process's cgroup, in bytes. `undefined` when there is no limit below the machine's memory.
 */
export function cgroupLimitBytes(constrainedBytes: number, machineBytes: number): number | undefined {
  // Without a limit Node returns 0, or a number larger than any machine.
  return constrainedBytes > 0 && constrainedBytes < machineBytes ? constrainedBytes : undefined;
}
