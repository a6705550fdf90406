import { describe, expect, it } from 'vitest';
import { stepsOf } from '../../../actors/pod-worker/act/resize-pod.ts';
import type { CgroupValues } from '../../../src/cgroups/cgroup-values.ts';

const cpu = (shares: bigint, microseconds?: bigint | 'unlimited'): CgroupValues => ({
  cpuShares: shares,
  ...(microseconds !== undefined && { cpuQuota: { microseconds, periodMicroseconds: 100_000n } }),
});
const memory = (memoryLimitBytes?: bigint): CgroupValues =>
  memoryLimitBytes === undefined ? {} : { memoryLimitBytes };

describe('a pod that is resized', () => {
  it.each([
    { rule: 'more of both', name: 'cpu', before: cpu(1n, 10n), after: cpu(2n, 20n), steps: 'limit request containers' },
    { rule: 'less of both', name: 'cpu', before: cpu(2n, 20n), after: cpu(1n, 10n), steps: 'containers request limit' },
    {
      rule: 'a lower limit',
      name: 'cpu',
      before: cpu(1n, 20n),
      after: cpu(2n, 10n),
      steps: 'request containers limit',
    },
    { rule: 'a first limit', name: 'cpu', before: cpu(1n), after: cpu(1n, 10n), steps: 'containers limit' },
    {
      rule: 'a removed limit',
      name: 'cpu',
      before: cpu(1n, 9n),
      after: cpu(1n, 'unlimited'),
      steps: 'containers',
    },
    { rule: 'more memory', name: 'memory', before: memory(1n), after: memory(2n), steps: 'limit containers' },
    { rule: 'less memory', name: 'memory', before: memory(2n), after: memory(1n), steps: 'containers limit' },
    { rule: 'no bound on memory', name: 'memory', before: memory(), after: memory(), steps: 'containers' },
  ] as const)(
    '$rule: the limits of its cgroup are never below those of its containers',
    ({ name, before, after, steps }) => {
      expect(stepsOf(name, before, after).join(' ')).toBe(steps);
    },
  );
});
