import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  CRASH_LOOP_LIMITS,
  crashLoopDecision,
  crashLoopKey,
  recoveredEntry,
} from '../../../src/pod/sync/crash-loop-back-off.ts';
import { durationText } from '../../../src/pod/values/duration-text.ts';
import type { BackOffEntry } from '../../../src/pod/sync/exponential-back-off.ts';
import { cappedLimits } from '../../../src/pod/sync/exponential-back-off.ts';
import type { RuntimeContainer, RuntimePodStatus } from '../../../src/pod/values/runtime-pod-status.ts';
import { NOW, container, exited, pod, runtime } from '../pods.ts';

const SECOND = 1000;
const decide = (entry: BackOffEntry | undefined, finishedAt: number, now: number, limits = CRASH_LOOP_LIMITS) =>
  crashLoopDecision({
    pod: pod(),
    container: container('main'),
    status: runtime({ containers: [exited('main', 0, { finishedAt })] }),
    entry,
    now,
    limits,
    // Both clocks show the same here.
    exitedAt: (exit) => Number(exit.finishedAt),
  });

const past = (status: RuntimePodStatus) => ({
  status,
  container: container('main'),
  limits: CRASH_LOOP_LIMITS,
  exitedAt: ({ finishedAt }: RuntimeContainer) => Number(finishedAt),
});

/** Lets the container exit at once after each start, and notes how long each start was held back. */
function waitsOf(restarts: number, limits = CRASH_LOOP_LIMITS): number[] {
  const waits: number[] = [];
  let entry: BackOffEntry | undefined;
  let at = NOW;
  for (let restart = 0; restart < restarts; restart += 1) {
    const first = decide(entry, at, at, limits);
    const exit = at;
    if (first.type === 'back-off') at = first.until;
    const start = decide(entry, exit, at, limits);
    if (start.type !== 'start') throw new Error('held back past its own end');
    waits.push((at - exit) / SECOND);
    entry = start.entry;
  }
  return waits;
}

describe('a container that keeps exiting', () => {
  it('restarts at once, then after 10 s, doubling up to the cap', () => {
    expect(waitsOf(8)).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
  });
  it('has a configurable cap', () => {
    expect(waitsOf(5, cappedLimits(CRASH_LOOP_LIMITS, 15 * SECOND))).toEqual([0, 10, 15, 15, 15]);
  });
  it('waits no longer than a cap below the first delay', () => {
    expect(waitsOf(3, cappedLimits(CRASH_LOOP_LIMITS, SECOND))).toEqual([0, 1, 1]);
  });
  it.each([300, 60, 15])('begins again after ten minutes without an exit, with a cap of %d s', (cap) => {
    const limits = cappedLimits(CRASH_LOOP_LIMITS, cap * SECOND);
    const entry = { delayMs: cap * SECOND, advancedAt: NOW };
    expect(decide(entry, NOW + 600 * SECOND, NOW + 600 * SECOND, limits).type).toBe('back-off');
    const late = NOW + 600 * SECOND + 1;
    const begun = { type: 'start', entry: { delayMs: 10 * SECOND, advancedAt: late } };
    expect(decide(entry, late, late, limits)).toEqual(begun);
  });
  it('has the kubelet’s message', () => {
    expect(decide({ delayMs: 80 * SECOND, advancedAt: NOW }, NOW, NOW)).toEqual({
      type: 'back-off',
      until: NOW + 80 * SECOND,
      reason: 'CrashLoopBackOff',
      message: 'back-off 1m20s restarting failed container=main pod=web_shop(uid-1)',
      eventMessage: 'Back-off restarting failed container main in pod web_shop(uid-1)',
    });
  });
  it('never waits longer than the cap', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), fc.nat(2_000_000), fc.nat(2_000_000), (delayMs, since, passed) => {
        const entry = { delayMs: Math.min(delayMs, 300_000), advancedAt: NOW };
        const decision = decide(entry, NOW + since, NOW + since + passed);
        const waits = decision.type === 'back-off' ? decision.until - (NOW + since) : (decision.entry?.delayMs ?? 0);
        expect(waits).toBeLessThanOrEqual(300_000);
      }),
    );
  });
});

describe('a container without an exit', () => {
  it('starts, and leaves nothing to remember', () => {
    const given = { pod: pod(), now: NOW, entry: undefined, ...past(runtime()) };
    expect(crashLoopDecision(given)).toEqual({ type: 'start', entry: undefined });
  });
});

describe('the key of a back-off', () => {
  it.each([
    { part: 'image', other: { image: 'registry.test/app:2' } },
    { part: 'resources', other: { resources: { limits: { memory: '1Gi' } } } },
  ])('changes with the $part', ({ other }) => {
    expect(crashLoopKey(pod(), container('main', other))).not.toBe(crashLoopKey(pod(), container('main')));
  });
  it('stays with anything else', () => {
    expect(crashLoopKey(pod(), container('main', { args: ['x'] }))).toBe(crashLoopKey(pod(), container('main')));
  });
});

describe('a duration', () => {
  it.each([
    [0, '0s'],
    [350, '350ms'],
    [1500, '1.5s'],
    [20_000, '20s'],
    [80_000, '1m20s'],
    [300_000, '5m0s'],
    [3_600_000, '1h0m0s'],
  ])('of %i ms reads %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});

describe('a back-off without a record', () => {
  const recovered = (restartCount: number, parts: object = {}) =>
    recoveredEntry(past(runtime({ containers: [exited('main', 1, { restartCount, createdAt: NOW, ...parts })] })))
      ?.delayMs;

  it.each([
    { restarts: 0, delay: undefined },
    { restarts: 1, delay: 10_000 },
    { restarts: 3, delay: 40_000 },
    { restarts: 1_000, delay: 300_000 },
  ])('follows from $restarts restarts', ({ restarts, delay }) => {
    expect(recovered(restarts)).toBe(delay);
  });

  it('expires after a long run, whatever the clock was set to since', () => {
    const hourAgo = NOW - 3_600_000;
    const ran = exited('main', 1, { restartCount: 5, createdAt: NOW, finishedAt: NOW + 700_000 });
    const given = { ...past(runtime({ containers: [ran] })), exitedAt: () => hourAgo };
    expect(recoveredEntry(given)?.advancedAt).toBe(hourAgo - 700_000);
    const decision = crashLoopDecision({ ...given, pod: pod(), now: hourAgo, entry: recoveredEntry(given) });
    expect(decision.type).toBe('start');
  });

  it('starts again with another definition', () => {
    expect(recovered(3, { hash: 'another' })).toBeUndefined();
  });

  it('has no container', () => {
    expect(recoveredEntry(past(runtime()))).toBeUndefined();
  });
});
