import { addressOf } from '../../src/actor/messages/message.ts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeadLetters, NO_SUCH_ACTOR } from '../../src/actor/messages/dead-letters.ts';
import { FlightRecorder, flightEntries, flightMemory } from '../../src/actor/insight/flight-recorder.ts';
import { HandlerTimes, quantileMs } from '../../src/actor/insight/handler-times.ts';
import { silentLog } from '../../src/actor/log.ts';
import { mergeMetrics } from '../../src/metrics/merge-metrics.ts';
import { metricsText } from '../../src/actor/insight/metrics-text.ts';
import { threadMeter } from '../../src/actor/insight/thread-meter.ts';
import { TraceStore } from '../../src/actor/insight/trace-store.ts';
import { manualClock } from '../support/manual-clock.ts';
import { channelPair } from './channel-pair.ts';
import { child, placedBy, quiet, startAll, testHost } from './test-host.ts';

describe('the times of handlers', () => {
  it.each([
    { says: 'nothing handled', ms: [], p99: 0 },
    { says: 'a microsecond', ms: [0.0005], p99: 0.001 },
    { says: 'known to a factor of two', ms: [3], p99: 4.096 },
    { says: 'one of a hundred does not count', ms: [...Array(99).fill(0.01), 500], p99: 0.016 },
    { says: 'two of a hundred do', ms: [...Array(98).fill(0.01), 500, 500], p99: 524.288 },
    { says: 'above all buckets', ms: [1e7], p99: 1048.576 },
  ])('$says', ({ ms, p99 }) => {
    const times = new HandlerTimes();
    for (const each of ms) times.add(each as number);
    expect(quantileMs(times.snapshot(), 0.99)).toBe(p99);
  });

  it('never show a quantile below the time itself, up to the last bound', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1_000, noNaN: true }), (ms) => {
        const times = new HandlerTimes();
        times.add(ms);
        expect(quantileMs(times.snapshot(), 0.5)).toBeGreaterThanOrEqual(ms);
      }),
    );
  });
});

describe('dead letters', () => {
  it('are counted by kind, and logged once in ten seconds per kind', () => {
    const lines: object[] = [];
    const clock = manualClock();
    const letters = new DeadLetters(clock, { ...silentLog, warn: (fields) => lines.push(fields) });
    for (let pod = 0; pod < 1_000; pod++) letters.add(`pod-worker/${pod}`, 'sync-pod', 'its mailbox is full');
    letters.add('pleg', 'relist', 'its mailbox is full');
    expect(letters.byKind).toEqual({ 'pod-worker': 1_000, pleg: 1 });
    expect(letters.total).toBe(1_001);
    expect(lines).toMatchObject([
      { to: 'pod-worker/0', message: 'sync-pod', letters: 1 },
      { to: 'pleg', letters: 1 },
    ]);
    clock.advance(10_000);
    expect(lines.slice(2)).toMatchObject([{ letters: 999, total: 1_000 }]);
    clock.advance(60_000);
    expect(lines).toHaveLength(3);
    expect(clock.armed).toBe(0);
  });

  it('to an ended actor are ordinary, and not logged for operators', () => {
    const warned: object[] = [];
    const known: object[] = [];
    const log = {
      ...silentLog,
      warn: (fields: object) => warned.push(fields),
      debug: (fields: object) => known.push(fields),
    };
    new DeadLetters(manualClock(), log).add('pod-worker/gone', 'pod-status-observed', NO_SUCH_ACTOR);
    expect(warned).toEqual([]);
    expect(known).toMatchObject([{ to: 'pod-worker/gone', letters: 1 }]);
  });
});

describe('a flight recorder', () => {
  const note = (recorder: FlightRecorder, type: string, at = 1): void =>
    recorder.note('pod-worker/1', { from: 'pleg', message: { type } }, at);

  it('can be read by another thread', () => {
    const memory = flightMemory();
    note(new FlightRecorder(memory), 'sync-pod', 12.5);
    expect(flightEntries(memory)).toEqual([{ at: 12.5, from: 'pleg', to: 'pod-worker/1', message: 'sync-pod' }]);
  });

  it('keeps the last messages and never grows', () => {
    const recorder = new FlightRecorder();
    for (let n = 0; n < 10_000; n++) note(recorder, `n${n}`);
    const entries = recorder.last();
    expect(entries).toHaveLength(256);
    expect(entries[0]?.message).toBe('n9744');
    expect(recorder.last(2).map(({ message }) => message)).toEqual(['n9998', 'n9999']);
  });

  it('cuts names that are too long', () => {
    const recorder = new FlightRecorder();
    recorder.note('x'.repeat(500), { from: 'y'.repeat(500), message: { type: 'z'.repeat(500) } }, 1);
    const [entry] = recorder.last();
    expect([entry?.to.length, entry?.from.length, entry?.message.length]).toEqual([58, 58, 48]);
  });

  it('puts the last messages before a crash into the log', async () => {
    const told: object[] = [];
    const it = testHost(
      { fragile: () => ({ tell: ({ type }) => (type === 'b' ? JSON.parse('{') : undefined) }) },
      { log: { ...silentLog, warn: (fields) => told.push(fields) } },
    );
    await startAll(it, child('fragile'));
    for (const command of ['a', 'b']) it.tell('fragile', command);
    await quiet();
    expect(told).toMatchObject([{ actor: 'fragile', flight: [' > fragile: a', ' > fragile: b'] }]);
  });
});

describe('a trace', () => {
  it('follows tells and asks, across threads, and later work', async () => {
    const placement = placedBy(['gateway']);
    const here = testHost(
      {
        source: (context) => ({
          tell: () => context.traced('pod-1').ref(addressOf('manager')).tell({ type: 'pod-added' }),
        }),
        manager: (context) => ({
          tell({ type }) {
            if (type !== 'pod-added') return;
            const trace = context.trace ?? '';
            // Within the turn the trace is implicit; later work passes the trace explicitly.
            const started = context.ref(addressOf('gateway')).ask({ type: 'start' }, { deadlineMs: 1_000 });
            context.supervise(started.then(() => context.traced(trace).self.tell({ type: 'started' })));
          },
        }),
      },
      { placement },
    );
    const there = testHost({ gateway: () => ({ ask: () => 'fine' }) }, { thread: 'there', placement });
    await startAll(here, child('source'), child('manager'));
    await startAll(there, child('gateway'));
    const [near, far] = channelPair();
    here.host.connect('there', near);
    there.host.connect('here', far);
    here.tell('source', 'go');
    here.tell('manager', 'of no trace');
    await quiet();
    const told = [here, there].flatMap(({ host }) =>
      host.trace('pod-1').map(({ thread, from, to, message, question }) => ({ thread, from, to, message, question })),
    );
    expect(told).toEqual([
      { thread: 'here', from: 'source', to: 'manager', message: 'pod-added', question: false },
      { thread: 'here', from: 'manager', to: 'manager', message: 'started', question: false },
      { thread: 'there', from: 'manager', to: 'gateway', message: 'start', question: true },
    ]);
  });

  it('is dropped when newer traces need the space', () => {
    const store = new TraceStore(2);
    const step = { thread: 't', from: '', to: 'a', question: false, waitedMs: 0, handledMs: 0 };
    for (const at of [1, 2, 3]) store.add({ ...step, trace: 'x', message: `m${at}`, at });
    expect(store.of('x').map(({ message }) => message)).toEqual(['m2', 'm3']);
  });
});

describe('metrics', () => {
  it('cover each kind and thread in the Prometheus format', async () => {
    const it = testHost(
      { reader: () => ({}) },
      { mailbox: { capacity: 2, coalesce: ({ type }) => (type === 'same' ? type : undefined) } },
    );
    await startAll(it, child('reader/1'), child('reader/2'));
    for (const command of ['same', 'same', 'other', 'too much']) it.tell('reader/1', command);
    const text = metricsText(threadMeter(it.host)());
    expect(text).toContain('# TYPE hivelet_actor_mailbox_depth gauge\n');
    expect(text).toContain('hivelet_actor_mailbox_depth{thread="here",kind="reader"} 2\n');
    expect(text).toContain('hivelet_actor_refused_total{thread="here",kind="reader"} 1\n');
    expect(text).toContain('hivelet_actor_coalesced_total{thread="here",kind="reader"} 1\n');
    expect(text).toContain('hivelet_actor_dead_letters_total{thread="here",kind="reader"} 1\n');
    await quiet();
    expect(metricsText(threadMeter(it.host)())).toContain(
      'hivelet_actor_handler_seconds_count{thread="here",kind="reader"} 2\n',
    );
  });

  it('of several threads name each family once', () => {
    const one = '# HELP up Lives.\n# TYPE up gauge\nup{thread="a"} 1\n';
    const other = '# HELP up Lives.\n# TYPE up gauge\nup{thread="b"} 1\n# TYPE down gauge\ndown 0\n';
    expect(mergeMetrics([one, other, 'bare 3\n'])).toBe(
      '# HELP up Lives.\n# TYPE up gauge\nup{thread="a"} 1\nup{thread="b"} 1\n# TYPE down gauge\ndown 0\nbare 3\n',
    );
  });
});
