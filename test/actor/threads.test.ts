import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { diaryAddress, fixtureChild } from './fixture-actors.ts';
import { FixtureThreads } from './fixture-threads.ts';

describe('worker threads', () => {
  it('start their actors in order, and stop them in reverse, those started by messages first', async () => {
    const threads = new FixtureThreads();
    await threads.start();
    threads.tell('host/b', { type: 'start-actor', spec: fixtureChild('fixture/b/dynamic') } as never);
    await threads.diary.until((text) => text === 'fixture/b/dynamic started');
    await threads.supervisor.stop();
    expect(threads.chronicle).toEqual([
      `${diaryAddress} started`,
      'fixture/a/1 started',
      'fixture/a/2 started',
      'fixture/b/1 started',
      'fixture/b/2 started',
      'fixture/b/dynamic started',
      'fixture/b/dynamic stopped',
      'fixture/b/2 stopped',
      'fixture/b/1 stopped',
      'fixture/a/2 stopped',
      'fixture/a/1 stopped',
    ]);
  });

  it('tell and ask each other, and the main thread', async () => {
    await using threads = new FixtureThreads();
    await threads.start();
    threads.tell('fixture/a/1', {
      type: 'pass-on',
      text: 'round trip',
      along: ['fixture/b/1', 'fixture/a/2', diaryAddress],
    });
    await threads.diary.until((text) => text === 'round trip');
    const asked = { type: 'who-is', address: 'fixture/b/2' } as const;
    await expect(threads.ask('fixture/a/1', asked)).resolves.toMatchObject({ address: 'fixture/b/2' });
    await expect(threads.ask('fixture/b/1', { type: 'who-is', address: diaryAddress })).resolves.toMatchObject({
      address: diaryAddress,
    });
  });

  it('settle a question whose answer the asker cannot read, and no other answer is lost', async () => {
    await using threads = new FixtureThreads();
    await threads.start();
    // A worker thread's stack is four times that of the main thread.
    const unreadable = threads.ask('fixture/a/1', { type: 'nested', levels: 8_000 });
    const beside = [1, 2].map((n) => threads.ask(`fixture/a/${n}`, { type: 'who' }));
    await expect(unreadable).resolves.toBe('not-plain-data');
    const [one, two] = await Promise.all(beside);
    expect([one, two]).toMatchObject([{ address: 'fixture/a/1' }, { address: 'fixture/a/2' }]);
    await expect(threads.ask('fixture/a/1', { type: 'nested', levels: 100_000 })).resolves.toBe('not-plain-data');
    await expect(threads.ask('fixture/a/1', { type: 'who' })).resolves.toEqual(one);
  });

  it('show their figures and metrics', async () => {
    await using threads = new FixtureThreads();
    await threads.start();
    const figures = await threads.supervisor.figures();
    expect(figures).toMatchObject([
      { thread: 'a', deadLetters: 0, actors: { 'fixture/a/1': { restarts: 0 } } },
      { thread: 'b', deadLetters: 0, actors: { 'fixture/b/2': { restarts: 0 } } },
    ]);
    expect(figures.every(({ heapUsedBytes, cpuMs }) => heapUsedBytes > 0 && cpuMs > 0)).toBe(true);
    await expect(threads.supervisor.metrics()).resolves.toContain('up{thread="a"} 1\nup{thread="b"} 1\n');
  });

  it('report the crash of an actor, and keep running', async () => {
    await using threads = new FixtureThreads();
    await threads.start();
    const before = await threads.incarnationOf('fixture/a/1');
    await threads.supervisor.thread('a')?.call((control) => control.crashActor('fixture/a/1', 'injected'));
    const report = await threads.reports.until(({ child }) => child === 'fixture/a/1');
    expect(report).toMatchObject({ supervisor: 'thread/a', incarnation: before, verdict: 'restart' });
    expect(report.reason).toContain('injected');
    await expect(threads.incarnationOf('fixture/a/1')).resolves.toBe(before + 2);
  });
});

describe('a thread that fails', () => {
  it.each([
    { how: 'exit', reason: 'exit code 1' },
    { how: 'throw', reason: 'thread made to fail on purpose' },
    { how: 'hang', reason: 'thread did not answer for 1000 ms' },
    { how: 'wait', reason: 'thread did not answer for 1000 ms' },
    { how: 'eat-all-memory', reason: 'memory limit' },
    { how: 'exhaust-heap', reason: 'memory limit' },
    {
      how: 'forget-a-promise',
      reason: 'unhandled rejection in fixture/a/1, incarnation 1000000001: Error: nobody looks',
    },
    { how: 'reject', reason: 'unhandled rejection outside any actor: Error: thread made to fail on purpose' },
  ] as const)('($how) is replaced, with larger incarnations and new links to all others', async ({ how, reason }) => {
    await using threads = new FixtureThreads({
      heartbeatBudgetMs: how === 'hang' || how === 'wait' ? 1_000 : 10_000,
    });
    await threads.start();
    const [a1, a2, b1] = await Promise.all(
      ['fixture/a/1', 'fixture/a/2', 'fixture/b/1'].map((one) => threads.incarnationOf(one)),
    );
    const openFromMain = threads.ask('fixture/a/2', { type: 'never-answered' });
    await threads.incarnationOf('fixture/a/2'); // so it has been read

    const report = await threads.provoke('a', how);
    expect(report).toMatchObject({ supervisor: 'root', child: 'thread/a', incarnation: 1, verdict: 'restart' });
    expect(report.reason).toContain(reason);
    await expect(openFromMain).resolves.toBe('thread-ended');

    expect(await threads.incarnationOf('fixture/a/1')).toBeGreaterThan(a1 ?? Infinity);
    expect(await threads.incarnationOf('fixture/a/2')).toBeGreaterThan(a2 ?? Infinity);
    expect(await threads.incarnationOf('fixture/b/1')).toBe(b1);
    await expect(threads.ask('fixture/b/1', { type: 'who-is', address: 'fixture/a/1' })).resolves.toMatchObject({
      address: 'fixture/a/1',
    });
    threads.tell('fixture/b/1', {
      type: 'pass-on',
      text: 'again',
      along: ['fixture/a/1', 'fixture/b/2', 'fixture/a/2', diaryAddress],
    });
    await threads.diary.until((text) => text === 'again');
  });

  it('settles the questions of its peers', async () => {
    await using threads = new FixtureThreads();
    await threads.start();
    const hung = threads.provoke('a', 'hang');
    const asked = threads.ask('fixture/b/1', { type: 'who-is', address: 'fixture/a/1' });
    await threads.incarnationOf('fixture/b/1'); // so it has been read
    await threads.supervisor.thread('a')?.terminate();
    await hung;
    await expect(asked).resolves.toBe('thread-ended');
  });

  it('is abandoned when its budget is spent', async () => {
    const restart = {
      budget: { atMost: 2, withinMs: 60_000 },
      backOff: { initialMs: 1, maxMs: 2 },
      whenSpent: 'escalate',
    } as const;
    await using threads = new FixtureThreads({ restart });
    await threads.start();
    for (const life of [1, 2, 3]) {
      await threads.provoke('a', 'exit', life);
      if (life < 3) await threads.incarnationOf('fixture/a/1');
    }
    expect(threads.reports.all.map(({ verdict }) => verdict)).toEqual(['restart', 'restart', 'escalate']);
    expect(threads.givenUp.all).toEqual([expect.stringContaining('thread a ended 3 times')]);
    expect(threads.supervisor.thread('a')).toBeUndefined();
  });

  it('is not retried when its first start fails', async () => {
    await using threads = new FixtureThreads({ config: 'b dies at its start' });
    await expect(threads.start()).rejects.toThrow('stillborn');
    expect(threads.supervisor.thread('b')).toBeUndefined();
  });

  it('for memory outside its heap has its actors stopped in order first', async () => {
    await using threads = new FixtureThreads({ externalLimitMiB: 64 });
    await threads.start();
    const report = await threads.provoke('a', 'exhaust-buffers');
    expect(report).toMatchObject({ child: 'thread/a', verdict: 'restart' });
    expect(report.reason).toMatch(/^thread held \d+ MiB outside its heap, limit 64 MiB$/);
    await threads.incarnationOf('fixture/a/1');
    expect(threads.chronicle.filter((entry) => entry.startsWith('fixture/a')).slice(0, 4)).toEqual([
      'fixture/a/1 started',
      'fixture/a/2 started',
      'fixture/a/2 stopped',
      'fixture/a/1 stopped',
    ]);
  });

  it('leaves a record of the last messages of its actors, for any cause of death', async () => {
    await using threads = new FixtureThreads({ heartbeatBudgetMs: 1_000 });
    await threads.start();
    const thread = threads.supervisor.thread('a');
    await threads.incarnationOf('fixture/a/2');
    await threads.provoke('a', 'wait');
    expect(thread?.flight().at(-1)).toMatchObject({ from: '', to: 'fixture/a/2', message: 'who' });
  });

  it('leaks neither files nor memory, for any number of failures', async () => {
    await using threads = new FixtureThreads();
    await threads.start();
    const failOnce = async (time: number): Promise<void> => {
      await threads.provoke('a', time % 2 === 0 ? 'exit' : 'throw', time);
      await threads.incarnationOf('fixture/a/1');
    };
    const WARM_UP = 20;
    for (let time = 1; time <= WARM_UP; time++) await failOnce(time);
    const before = { files: openFiles(), rss: process.memoryUsage.rss() };
    for (let time = WARM_UP + 1; time <= WARM_UP + 100; time++) await failOnce(time);
    expect(openFiles()).toBeLessThanOrEqual(before.files + 2);
    // A thread needs eight megabytes: even one leaked thread in twenty would show.
    expect((process.memoryUsage.rss() - before.rss) / 2 ** 20).toBeLessThan(40);
  }, 240_000);
});

const openFiles = (): number => readdirSync('/proc/self/fd').length;

describe('a stop', () => {
  it('ends a thread that hangs, too', async () => {
    const threads = new FixtureThreads({ heartbeatBudgetMs: 500 });
    await threads.start();
    threads.supervisor
      .thread('a')
      ?.call((control) => control.provoke('hang'))
      .catch(() => {});
    await threads.supervisor.stop();
    expect(threads.supervisor.thread('a')?.over).toBe(true);
  });

  it('leaves nothing behind that would keep the process alive', async () => {
    const program = fileURLToPath(new URL('fixture-process.ts', import.meta.url));
    const process_ = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    process_.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
    const [code] = (await once(process_, 'close')) as [number | null];
    expect({ code, printed }).toEqual({ code: 0, printed: 'stopped\nended within 500 ms\n' });
  });
});
