import { systemClock } from '../../src/actor/clock.ts';
import { cpuProfile, heapSnapshot } from '../../src/actor/threads/thread-profile.ts';
import type { ThreadsOfAgent } from '../../src/agent/kind.ts';
import { MAIN_THREAD } from '../../src/agent/tree.ts';
import type { ProcessControlDeps } from './actor.ts';

/** Operations on each thread of the agent, including the main thread. */
export const threadDuties = (threads: ThreadsOfAgent): ProcessControlDeps => ({
  text: () => threads.metrics(),
  threadNames: () => [MAIN_THREAD, ...threads.threadNames()],
  async cpuProfile(thread, durationMs) {
    if (thread === MAIN_THREAD) return cpuProfile(durationMs, systemClock);
    // A thread that ends meanwhile loses its profile.
    return threads
      .thread(thread)
      ?.call((control) => control.cpuProfile(durationMs))
      .catch(() => undefined);
  },
  async heapSnapshot(thread, path) {
    if (thread === MAIN_THREAD) {
      heapSnapshot(path);
      return true;
    }
    const living = threads.thread(thread);
    if (living === undefined) return false;
    const written = living.call((control) => control.heapSnapshot(path));
    return written.then(
      () => true,
      () => false,
    );
  },
  setVerbosity: (verbosity) => threads.setVerbosity(verbosity),
});
