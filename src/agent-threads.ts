import type { NodeMetricsDeps } from '../actors/node-metrics/actor.ts';
import { MAIN_THREAD } from '../actors/tree.ts';
import { systemClock } from './actor/clock.ts';
import { cpuProfile, heapSnapshot } from './actor/thread-profile.ts';
import type { ThreadSupervisor } from './actor/thread-supervisor.ts';
import type { MainLog } from './agent.ts';

/** What is known of the agent's threads, the main one among them. `supervisor` is asked for when it is needed. */
export const threadsOf = (supervisor: () => ThreadSupervisor, log: MainLog): NodeMetricsDeps => ({
  text: () => supervisor().metrics(),
  threadNames: () => [MAIN_THREAD, ...supervisor().threadNames()],
  async cpuProfile(thread, durationMs) {
    if (thread === MAIN_THREAD) return cpuProfile(durationMs, systemClock);
    // A thread that ends meanwhile takes its profile along.
    return supervisor()
      .thread(thread)
      ?.call((control) => control.cpuProfile(durationMs))
      .catch(() => undefined);
  },
  async heapSnapshot(thread, path) {
    if (thread === MAIN_THREAD) {
      heapSnapshot(path);
      return true;
    }
    const living = supervisor().thread(thread);
    if (living === undefined) return false;
    const written = living.call((control) => control.heapSnapshot(path));
    return written.then(
      () => true,
      () => false,
    );
  },
  async setVerbosity(verbosity) {
    log.setVerbosity?.(verbosity);
    await supervisor().setVerbosity(verbosity);
  },
});
