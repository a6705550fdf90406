import { getHeapStatistics } from 'node:v8';
import type { ThreadFigures } from '../threads/thread-control.ts';
import type { ThreadHost } from '../thread-host.ts';

/** Returns the memory that this thread holds outside its heap, mostly buffers. No heap limit counts it. */
export const externalBytes = (): number => ownMemory().externalBytes;

/** Returns the memory of the heap and the buffers of this thread. */
export function ownMemory(): { readonly heapUsedBytes: number; readonly externalBytes: number } {
  const { used_heap_size: heapUsedBytes, external_memory: externalBytes } = getHeapStatistics();
  return { heapUsedBytes, externalBytes };
}

function cpuMsOfThread(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns a function that takes the figures of the calling thread. Shares cover the time since the previous call. */
export function threadMeter(host: ThreadHost): () => ThreadFigures {
  let cpuBefore = cpuMsOfThread();
  let at = host.clock.monotonic();
  let loop = performance.eventLoopUtilization();
  return () => {
    const cpuMs = cpuMsOfThread();
    const now = host.clock.monotonic();
    const loopNow = performance.eventLoopUtilization();
    // Two calls in the same moment have no elapsed time to divide by.
    const elapsedMs = Math.max(1, now - at);
    const cpuPercent = (Math.max(0, cpuMs - cpuBefore) / elapsedMs) * 100;
    const eventLoopUtilisation = performance.eventLoopUtilization(loopNow, loop).utilization;
    [cpuBefore, at, loop] = [cpuMs, now, loopNow];
    return {
      thread: host.thread,
      ...ownMemory(),
      cpuMs,
      cpuPercent,
      eventLoopUtilisation,
      ...host.figures(),
    };
  };
}
