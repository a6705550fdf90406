import type { NodeMetricsDeps } from '../actors/node-metrics/actor.ts';
import type { JobThreads } from '../actors/job-pool/job-threads.ts';
import { MAIN_THREAD } from '../actors/tree.ts';
import { systemClock } from './actor/clock.ts';
import type { HostFigures } from './actor/host-insight.ts';
import type { LiveThread } from './actor/live-thread.ts';
import type { WaitingMessages } from './actor/memory-holders.ts';
import type { ThreadHost } from './actor/thread-host.ts';
import { ownMemory } from './actor/thread-meter.ts';
import { workerMemory } from './actor/worker-thread.ts';
import { cpuProfile, heapSnapshot } from './actor/thread-profile.ts';
import type { ThreadSupervisor } from './actor/thread-supervisor.ts';
import type { MainLog } from './agent.ts';
import type { MemoryHoldingThread, MemoryHoldingThreads } from './agent-memory.ts';

/** What is known of the agent's threads, the main one among them. `supervisor` is asked for when it is needed. */
export const threadsOf = (
  supervisor: () => ThreadSupervisor,
  { log, processText }: { readonly log: MainLog; readonly processText: () => string },
): NodeMetricsDeps => ({
  text: async () => (await supervisor().metrics()) + processText(),
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

/** What the agent's threads hold, the main one and those for jobs among them. They can be ended all together. */
export const holdingThreads = (
  main: ThreadHost,
  supervisor: ThreadSupervisor,
  jobs: Pick<JobThreads, 'threads' | 'close'>,
): MemoryHoldingThreads => ({
  all: () => [
    {
      thread: MAIN_THREAD,
      memory: async () => ({ thread: MAIN_THREAD, ...ownMemory() }),
      waiting: async () => waitingMessages(MAIN_THREAD, main.figures()),
    },
    ...supervisor.threadNames().flatMap((name): MemoryHoldingThread[] => {
      const thread = supervisor.thread(name);
      if (thread === undefined) return [];
      return [
        {
          thread: name,
          memory: async () => ({ thread: name, ...(await thread.memory()) }),
          waiting: async () => waitingMessages(name, await thread.call((control) => control.figures())),
        },
      ];
    }),
    ...jobs.threads().map(([job, worker]): MemoryHoldingThread => {
      const thread = `job ${job}`;
      return { thread, memory: async () => ({ thread, ...(await workerMemory(worker)) }), waiting: async () => [] };
    }),
  ],
  async terminate() {
    // Actors first: none is to see its job fail and draw conclusions from that.
    await supervisor.abandon();
    await jobs.close();
  },
});

const waitingMessages = (thread: string, { kinds }: HostFigures): readonly WaitingMessages[] =>
  Object.entries(kinds).map(([kind, { depth }]) => ({ thread, kind, messages: depth }));

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
