import type { HostReader } from './machine-facts.ts';

/**
 * Returns how many processes and threads the machine may have at once. `undefined` when the machine does not report it.
 */
export function maxProcesses(host: Pick<HostReader, 'read'>): number | undefined {
  const limits = ['/proc/sys/kernel/pid_max', '/proc/sys/kernel/threads-max'].flatMap((path) => {
    const limit = Number(host.read(path)?.trim() || Number.NaN);
    return Number.isInteger(limit) && limit > 0 ? [limit] : [];
  });
  return limits.length === 0 ? undefined : Math.min(...limits);
}
