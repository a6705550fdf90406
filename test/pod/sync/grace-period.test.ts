import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { containerGracePeriod, podGracePeriod, stopTimeoutSeconds } from '../../../src/pod/sync/grace-period.ts';
import { container, pod } from '../pods.ts';

describe("a terminating pod's grace period", () => {
  it.each([
    { rule: "is the spec's", spec: 30, expected: { seconds: 30, shortened: false } },
    { rule: 'is 1 s by default', expected: { seconds: 1, shortened: false } },
    {
      rule: "is the deletion's, even if longer than the spec's",
      spec: 30,
      deletion: 60,
      expected: { seconds: 60, shortened: false },
    },
    {
      rule: 'is the override if that is shorter',
      spec: 30,
      deletion: 60,
      override: 5,
      expected: { seconds: 5, shortened: false },
    },
    { rule: 'is 1 s at least', deletion: 0, expected: { seconds: 1, shortened: false } },
    { rule: 'is shortened by a later deletion', stored: 30, deletion: 3, expected: { seconds: 3, shortened: true } },
    { rule: 'is never lengthened', stored: 3, deletion: 30, override: 60, expected: { seconds: 3, shortened: false } },
    { rule: "does not go back to the spec's", spec: 30, stored: 3, expected: { seconds: 3, shortened: false } },
  ])('$rule', ({ spec, deletion, stored, override, expected }) => {
    const given = pod({
      ...(spec !== undefined && { terminationGracePeriodSeconds: spec }),
      ...(deletion !== undefined && { metadata: { deletionGracePeriodSeconds: deletion } }),
    });
    expect(podGracePeriod({ pod: given, stored, ...(override !== undefined && { override }) })).toEqual(expected);
  });

  it('only shrinks, for any order of requests', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(600), { minLength: 1 }), (asked) => {
        let stored: number | undefined;
        for (const override of asked) {
          const { seconds } = podGracePeriod({ pod: pod(), stored, override });
          expect(seconds).toBeLessThanOrEqual(stored ?? Infinity);
          stored = seconds;
        }
        expect(stored).toBe(Math.max(Math.min(...asked), 1));
      }),
    );
  });
});

describe("a container's grace period", () => {
  const probed = container('main', {
    livenessProbe: { terminationGracePeriodSeconds: 7 },
    startupProbe: { terminationGracePeriodSeconds: 8 },
  });
  const spec = { terminationGracePeriodSeconds: 30 };
  it.each([
    { rule: "is the pod's", parts: spec, expected: 30 },
    { rule: 'is 2 s without one', parts: {}, expected: 2 },
    { rule: "is the liveness probe's after its failure", parts: spec, reason: 'liveness-probe', expected: 7 },
    { rule: "is the startup probe's after its failure", parts: spec, reason: 'startup-probe', expected: 8 },
    { rule: "is not a probe's otherwise", parts: spec, reason: 'definition-changed', expected: 30 },
    {
      rule: "is the deletion's, above a probe's",
      parts: { ...spec, metadata: { deletionGracePeriodSeconds: 4 } },
      reason: 'liveness-probe',
      expected: 4,
    },
    {
      rule: 'is the override above all',
      parts: { ...spec, metadata: { deletionGracePeriodSeconds: 4 } },
      override: 0,
      expected: 0,
    },
  ] as const)('$rule', ({ expected, parts, ...asked }) => {
    expect(containerGracePeriod({ pod: pod(parts), container: probed, ...asked })).toBe(expected);
  });
});

describe('the timeout for stopping a container', () => {
  it.each([
    { grace: 30, elapsed: 0, timeout: 30 },
    { grace: 30, elapsed: 4999, timeout: 26 },
    { grace: 30, elapsed: 60_000, timeout: 2 },
    { grace: 0, elapsed: 0, timeout: 2 },
    { grace: 1, elapsed: 0, timeout: 2 },
  ])('is $timeout s of $grace s after $elapsed ms', ({ grace, elapsed, timeout }) => {
    expect(stopTimeoutSeconds(grace, elapsed)).toBe(timeout);
  });
});
