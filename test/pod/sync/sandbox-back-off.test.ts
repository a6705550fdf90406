import { describe, expect, it } from 'vitest';
import type { BackOffEntry } from '../../../src/pod/sync/exponential-back-off.ts';
import { nextSandboxAt, sandboxMade } from '../../../src/pod/sync/sandbox-back-off.ts';

const made = (times: readonly number[]): BackOffEntry | undefined =>
  times.reduce<BackOffEntry | undefined>(sandboxMade, undefined);

describe('a pod that has lost its sandbox', () => {
  it.each<{ what: string; times: readonly number[]; now: number; until: number | undefined }>([
    { what: 'never had a sandbox', times: [], now: 0, until: undefined },
    { what: 'lost its first at once', times: [0], now: 1, until: undefined },
    { what: 'lost its second at once', times: [0, 10], now: 20, until: 1_010 },
    { what: 'has waited for the delay', times: [0, 10], now: 1_010, until: undefined },
    { what: 'lost its third at once', times: [0, 10, 1_010], now: 1_020, until: 3_010 },
    { what: 'lost many', times: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], now: 10, until: 10_009 },
    { what: 'lost a sandbox that lasted longer than the delay', times: [0, 10, 1_010], now: 4_000, until: undefined },
    { what: 'lost its next sandbox after a long time', times: [0, 1, 2, 3, 30_000], now: 30_001, until: undefined },
  ])('and $what waits until $until', ({ times, now, until }) => {
    expect(nextSandboxAt(made(times), now)).toBe(until);
  });
});
