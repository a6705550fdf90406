/**
 * What the C library's allocator is told. By itself it learns from the first large buffer to keep those that follow: what a
 * list of all containers took a moment ago, it then holds for ever, spread over the arenas of all threads. With a fixed
 * threshold such buffers are mapped one by one and go back to the kernel when they are freed.
 */
const ALLOCATOR = 'glibc.malloc.mmap_threshold=524288:glibc.malloc.trim_threshold=1048576';

/** The environment of an agent's process: its parent's, but for READY, which is the launcher's to say to systemd. */
export function agentEnvironment({ NOTIFY_SOCKET: _launchers, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { GLIBC_TUNABLES: ALLOCATOR, ...env };
}
