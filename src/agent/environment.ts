import { availableParallelism } from 'node:os';

/**
 * What the C library's allocator is told. By itself it learns from the first large buffer to keep those that follow: what a
 * list of all containers took a moment ago, it then holds for ever, spread over eight arenas for each core. With a fixed
 * threshold such buffers are mapped one by one and go back to the kernel when they are freed; and no more threads allocate
 * at a time than there are cores.
 */
const allocator = (cores: number): string =>
  Object.entries({ mmap_threshold: 512 * 1024, trim_threshold: 1024 * 1024, arena_max: Math.max(2, cores) })
    .map(([name, value]) => `glibc.malloc.${name}=${value}`)
    .join(':');

/** The environment of an agent's process: its parent's, but for READY, which is the launcher's to say to systemd. */
export function agentEnvironment(
  { NOTIFY_SOCKET: _launchers, ...env }: NodeJS.ProcessEnv,
  cores = availableParallelism(),
): NodeJS.ProcessEnv {
  return { GLIBC_TUNABLES: allocator(cores), ...env };
}
