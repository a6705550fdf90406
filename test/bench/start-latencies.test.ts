import { describe, expect, it } from 'vitest';
import { startLatencies } from '../../bench/density/start-latencies.ts';
import { withConfigSeen } from '../../src/kube/manifest/static-pod.ts';
import type { Pod } from '../../src/kube/pod.ts';

const bare = (uid: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: uid, namespace: 'default', uid },
  spec: { containers: [] },
});
const seenAt = (uid: string, ms: number): Pod => withConfigSeen(bare(uid), new Date(ms).toISOString());

describe('the latency of a start', () => {
  it('is the time from a manifest seen to its container started', () => {
    const pods = [seenAt('a', 10_000), seenAt('b', 10_250)];
    const startedAt = new Map([
      ['a', 10_700.5],
      ['b', 10_300],
    ]);
    expect(startLatencies(pods, startedAt)).toEqual([700.5, 50]);
  });

  it.each([
    { rule: 'a pod that was never seen', pod: bare('a'), startedAt: new Map([['a', 1]]) },
    { rule: 'a pod that never started', pod: seenAt('a', 1), startedAt: new Map<string, number>() },
  ])('is not made up for $rule', ({ pod, startedAt }) => {
    expect(() => startLatencies([pod], startedAt)).toThrow('a was never seen or never started');
  });
});
