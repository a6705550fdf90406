import type { NodeMetricsDeps } from '../../actors/node-metrics/actor.ts';
import { MAIN_THREAD } from '../../actors/tree.ts';
import { systemClock } from '../actor/clock.ts';
import type { LiveThread } from '../actor/live-thread.ts';
import { cpuProfile, heapSnapshot } from '../actor/thread-profile.ts';
import type { ThreadSupervisor } from '../actor/thread-supervisor.ts';
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

/**
 * Each thread writes down what it has compiled when the one before it has done so: nine that replace the same files at once stand
 * still for seconds, and with them every pod. A thread that ends meanwhile keeps nothing; its successor finds what others kept. Of
 * threads that run the same code one writes for all: the others are `alike`.
 */
export async function keepCompiledInTurn(supervisor: ThreadsInTurn, alike: readonly string[]): Promise<void> {
  for (const name of supervisor.threadNames().filter((each) => !alike.includes(each))) {
    await supervisor
      .thread(name)
      ?.call((control) => control.keepCompiled())
      .catch(() => {});
  }
}

interface ThreadsInTurn {
  threadNames(): readonly string[];
  thread(name: string): Pick<LiveThread<unknown>, 'call'> | undefined;
}
