import type { HostFigures } from '../actor/insight/host-insight.ts';
import type { LiveThread } from '../actor/threads/live-thread.ts';
import type { WaitingMessages } from '../actor/insight/memory-holders.ts';
import type { ThreadHost } from '../actor/thread-host.ts';
import { ownMemory } from '../actor/insight/thread-meter.ts';
import type { ThreadSupervisor } from '../actor/threads/thread-supervisor.ts';
import { workerMemory } from '../actor/threads/worker-thread.ts';
import type { HelperThreads } from './kind.ts';
import type { MemoryHoldingThread, MemoryHoldingThreads } from './memory.ts';
import { MAIN_THREAD } from './tree.ts';

/**
 * Returns the threads of the agent with their memory, the main thread and the helpers included. They can be ended all
 * together.
 */
export const holdingThreads = (
  main: ThreadHost,
  supervisor: ThreadSupervisor,
  helpers: readonly HelperThreads[],
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
    ...helpers
      .flatMap((each) => each.threads())
      .map(([thread, worker]): MemoryHoldingThread => ({
        thread,
        memory: async () => ({ thread, ...(await workerMemory(worker)) }),
        waiting: async () => [],
      })),
  ],
  async terminate() {
    // The actors end first: no actor must see its job fail and draw conclusions from that.
    await supervisor.abandon();
    await Promise.all(helpers.flatMap((each) => [each.close(), each.ended()]));
  },
});

const waitingMessages = (thread: string, { kinds }: HostFigures): readonly WaitingMessages[] =>
  Object.entries(kinds).map(([kind, { depth }]) => ({ thread, kind, messages: depth }));

/**
 * Makes each thread store its compiled code, one after the other. Nine threads that replace the same files at once
 * stand still for seconds, and every pod with them. A thread that ends meanwhile stores nothing, and its successor uses
 * the stored code of others. Of the `alike` threads, which run the same code, one stores for all.
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
