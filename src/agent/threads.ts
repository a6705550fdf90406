import type { LiveThread } from '../actor/live-thread.ts';

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
