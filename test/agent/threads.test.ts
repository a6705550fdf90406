import { describe, expect, it } from 'vitest';
import type { RemoteControl } from '../../src/actor/threads/live-thread.ts';
import type { ThreadHost } from '../../src/actor/thread-host.ts';
import type { ThreadSupervisor } from '../../src/actor/threads/thread-supervisor.ts';
import type { HelperThreads } from '../../src/agent/kind.ts';
import { holdingThreads, keepCompiledInTurn } from '../../src/agent/threads.ts';

/** Threads of these names, each with its behaviour when it must store its compiled code. */
function threadsThat(does: Readonly<Record<string, () => Promise<void>>>) {
  const happened: string[] = [];
  const live = (name: string) => ({
    async call<T>(make: (control: RemoteControl) => Promise<T>): Promise<T> {
      happened.push(`${name} begins`);
      const keepCompiled = does[name];
      const answer = await make({ keepCompiled } as unknown as RemoteControl);
      happened.push(`${name} is done`);
      return answer;
    },
  });
  const names = Object.keys(does);
  return {
    happened,
    threadNames: () => [...names, 'gone'],
    thread: (name: string) => (name in does ? live(name) : undefined),
  };
}

const later = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe("storing the threads' compiled code", () => {
  it('has one thread write at a time', async () => {
    const threads = threadsThat({ a: later, b: later });
    await keepCompiledInTurn(threads, []);
    expect(threads.happened).toEqual(['a begins', 'a is done', 'b begins', 'b is done']);
  });

  it('skips threads that run the same code as another one', async () => {
    const threads = threadsThat({ 'pods-0': later, 'pods-1': later });
    await keepCompiledInTurn(threads, ['pods-1']);
    expect(threads.happened).toEqual(['pods-0 begins', 'pods-0 is done']);
  });

  it('continues with the next thread when one ends during its write', async () => {
    const threads = threadsThat({ a: () => Promise.reject(new Error('the thread has ended')), b: later });
    await keepCompiledInTurn(threads, []);
    expect(threads.happened).toEqual(['a begins', 'b begins', 'b is done']);
  });
});

describe('ending all threads', () => {
  it.each(['supervised', 'closed', 'given up'] as const)('takes until the last has ended: %s', async (last) => {
    const kernel = Promise.withResolvers<void>();
    const endOf = (which: typeof last): Promise<void> => (which === last ? kernel.promise : Promise.resolve());
    const helpers: HelperThreads = {
      threads: () => [],
      close: () => endOf('closed'),
      ended: () => endOf('given up'),
    };
    // Nothing else of the two takes part.
    const supervisor = { abandon: () => endOf('supervised') } as unknown as ThreadSupervisor;
    const threads = holdingThreads({} as unknown as ThreadHost, supervisor, [helpers]);
    let hasEnded = false;
    const ended = threads.terminate().then(() => (hasEnded = true));
    await later();
    expect(hasEnded).toBe(false);
    kernel.resolve();
    await ended;
  });
});
