/** What a piece of work has cost this thread, in milliseconds of its CPU. Other work on the machine does not count. */
export function cpuMsOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
