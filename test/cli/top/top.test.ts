import { describe, expect, it } from 'vitest';
import { HandlerTimes } from '../../../src/actor/insight/handler-times.ts';
import type { KindFigures } from '../../../src/actor/insight/kind-figures.ts';
import type { ThreadFigures } from '../../../src/actor/threads/thread-control.ts';
import { topLines, type TopSample } from '../../../src/cli/top/top-table.ts';
import { drawTop } from '../../../src/cli/top/top.ts';
import { afterKey, firstView, type TopView } from '../../../src/cli/top/top-view.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { fakeScreen } from '../fake-screen.ts';
import { fakeTerminal } from '../fake-terminal.ts';

function kind(more: Partial<KindFigures> = {}, handledInMs: readonly number[] = [0.3]): KindFigures {
  const times = new HandlerTimes();
  for (const ms of handledInMs) times.add(ms);
  const none = { depth: 0, deepest: 0, refused: 0, coalesced: 0, crashes: 0, restarts: 0, lastFault: undefined };
  return { actors: 1, handled: handledInMs.length, ...none, handlerTimes: times.snapshot(), ...more };
}

const thread = (name: string, more: Partial<ThreadFigures> = {}): ThreadFigures => ({
  thread: name,
  heapUsedBytes: 16 * 2 ** 20,
  externalBytes: 2 ** 20,
  cpuMs: 100,
  cpuPercent: 7,
  eventLoopUtilisation: 0.25,
  deadLetters: 0,
  deadLettersByKind: {},
  pendingAsks: 3,
  timers: 4,
  actors: {},
  kinds: {},
  ...more,
});

describe('hivelet top', () => {
  it('shows threads, and kinds of actors over all threads', () => {
    const fault = 'Error: made to crash\n  at somewhere';
    const now: TopSample = {
      at: 5_000,
      threads: [
        thread('pods-0', { kinds: { 'pod-worker': kind({ actors: 2, depth: 5, deepest: 4, restarts: 1 }) } }),
        thread('pods-1', {
          deadLetters: 2,
          kinds: { 'pod-worker': kind({ actors: 3, lastFault: fault }), pleg: kind() },
        }),
      ],
    };
    expect(topLines(now)).toEqual([
      'THREAD   CPU    LOOP    HEAP      EXTERNAL   ACTORS   WAITING   ASKS   TIMERS   DEAD LETTERS',
      'pods-0   7.0%   25.0%   16.0MiB   1.0MiB     2        5         3      4        0',
      'pods-1   7.0%   25.0%   16.0MiB   1.0MiB     4        0         3      4        2',
      '',
      'KIND         ACTORS   WAITING   DEEPEST   HANDLED   RATE   P99     RESTARTS   REFUSED   LAST FAULT',
      'pleg         1        0         0         1         -      512µs   0          0',
      'pod-worker   5        5         4         2         -      512µs   1          0         Error: made to crash',
    ]);
  });

  it('counts CPU and messages since the previous sample', () => {
    const at = (instant: number, cpuMs: number, handled: number): TopSample => ({
      at: instant,
      threads: [thread('pleg', { cpuMs, kinds: { pleg: kind({ handled }) } })],
    });
    const [, pleg, , , kindLine] = topLines(at(3_000, 600, 250), at(1_000, 100, 50));
    expect(pleg).toMatch(/^pleg +25\.0%/);
    expect(kindLine).toMatch(/ 250 +100\.0\/s /);
    // The thread was replaced in between: its counters start again.
    const [, replaced] = topLines(at(3_000, 20, 5), at(1_000, 100, 50));
    expect(replaced).toMatch(/^pleg +7\.0%/);
  });

  it('redraws in place, within the screen, until it is stopped', async () => {
    const clock = manualClock();
    const terminal = fakeTerminal({ isLive: true, columns: () => 40, rows: () => 4 });
    const stopped = Promise.withResolvers<void>();
    const sample = (): Promise<TopSample> => Promise.resolve({ at: clock.monotonic(), threads: [thread('main')] });
    const screen = fakeScreen();
    const ended = drawTop(sample, { terminal, screen, clock, everyMs: 2_000, stopped: stopped.promise });
    await clock.advanceAndSettle(2_000);
    stopped.resolve();
    await ended;
    expect(screen.drawn).toHaveLength(2);
    expect(screen.drawn[0]).toHaveLength(3);
    expect(screen.drawn[0]?.every((line) => line.length < 40)).toBe(true);
    expect(screen.isDone()).toBe(true);
    expect(clock.armed).toBe(0);
  });

  it('sorts by the largest value', () => {
    const threads = [
      thread('a', { cpuPercent: 1, heapUsedBytes: 9 }),
      thread('b', { cpuPercent: 5, heapUsedBytes: 1 }),
    ];
    const first = (sort: TopView['sort']): string | undefined =>
      topLines({ at: 0, threads }, undefined, { show: 'threads', sort })[1]?.split(' ')[0];
    expect([first('name'), first('cpu'), first('memory')]).toEqual(['a', 'b', 'a']);
  });

  it('shows the worker of each pod by the name of the pod', () => {
    const worker = (restarts: number) => ({ depth: 1, handled: 7, restarts, lastFault: undefined });
    const threads = [
      thread('pods-0', { actors: { 'pod-worker/u1': worker(0), 'pod-worker/u2': worker(3), pleg: worker(9) } }),
    ];
    const podNames = new Map([['u1', 'shop/web']]);
    expect(topLines({ at: 0, threads, podNames }, undefined, { show: 'pods', sort: 'restarts' })).toEqual([
      'POD        THREAD   WAITING   HANDLED   RESTARTS   LAST FAULT',
      'u2         pods-0   1         7         3',
      'shop/web   pods-0   1         7         0',
    ]);
  });

  it.each([
    { key: 'q', next: 'quit' },
    { key: '\u0003', next: 'quit' },
    { key: '4', next: { show: 'pods', sort: 'name' } },
    { key: '\t', next: { show: 'threads', sort: 'name' } },
    { key: 'r', next: { show: 'all', sort: 'restarts' } },
    { key: 'x', next: firstView },
  ] as const)('takes the key $key', ({ key, next }) => {
    expect(afterKey(firstView, key)).toEqual(next);
  });

  it('draws again at once when a key is pressed, and ends with q', async () => {
    const clock = manualClock();
    let press: (key: string) => void = () => {};
    let listening = 'no';
    const terminal = fakeTerminal({
      isLive: true,
      onKey(listener) {
        [press, listening] = [listener, 'yes'];
        return () => (listening = 'no');
      },
    });
    const seen: TopView[] = [];
    const sample = (view: TopView): Promise<TopSample> => {
      seen.push(view);
      return Promise.resolve({ at: clock.monotonic(), threads: [thread('main')] });
    };
    const ended = drawTop(sample, {
      terminal,
      screen: fakeScreen(),
      clock,
      everyMs: 2_000,
      stopped: new Promise(() => {}),
    });
    await clock.advanceAndSettle(0);
    press('4');
    await clock.advanceAndSettle(0);
    press('q');
    await ended;
    expect(seen.map(({ show }) => show)).toEqual(['all', 'pods']);
    expect(listening).toBe('no');
    expect(clock.armed).toBe(0);
  });
});
