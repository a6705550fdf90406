import { availableParallelism } from 'node:os';

/**
 * The settings of the C library's allocator. By default, the first large buffer teaches it to keep later buffers of
 * that size. The memory of one list of all containers would then be held for ever, in up to eight arenas per core. With
 * a fixed threshold such buffers are mapped one by one and return to the kernel when freed. One arena per core is
 * enough, because no more threads allocate at a time.
 */
const allocator = (cores: number): string =>
  Object.entries({ mmap_threshold: 512 * 1024, trim_threshold: 1024 * 1024, arena_max: Math.max(2, cores) })
    .map(([name, value]) => `glibc.malloc.${name}=${value}`)
    .join(':');

/**
 * Returns the environment of an agent process: its parent's, without the socket of systemd, to which only the launcher
 * may report. A watchdog of the launcher is the agent's as well: the agent reports its health to the launcher.
 */
export function agentEnvironment(
  { NOTIFY_SOCKET: socket, WATCHDOG_USEC: watchdog, WATCHDOG_PID: whose, ...env }: NodeJS.ProcessEnv,
  { cores = availableParallelism(), pid = process.pid }: { readonly cores?: number; readonly pid?: number } = {},
): NodeJS.ProcessEnv {
  const isWatched = socket !== undefined && watchdog !== undefined && (whose ?? String(pid)) === String(pid);
  return { GLIBC_TUNABLES: allocator(cores), ...env, ...(isWatched && { WATCHDOG_USEC: watchdog }) };
}
