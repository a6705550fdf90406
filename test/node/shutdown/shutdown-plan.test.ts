import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../src/kube/pod.ts';
import { shutdownGroups, shutdownPeriods, totalSeconds } from '../../../src/node/shutdown/shutdown-plan.ts';

const none = {
  shutdownGracePeriod: 0,
  shutdownGracePeriodCriticalPods: 0,
  shutdownGracePeriodByPodPriority: [],
};
const pod = (name: string, priority: number | undefined, grace?: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid: name },
  spec: {
    containers: [],
    ...(priority === undefined ? {} : { priority }),
    ...(grace === undefined ? {} : { terminationGracePeriodSeconds: grace }),
  },
});

describe('the periods of a shutdown', () => {
  it.each([
    { rule: 'are empty without configuration', settings: none, periods: [], total: 0 },
    {
      rule: 'reserve the last part for critical pods',
      settings: { ...none, shutdownGracePeriod: 30_000, shutdownGracePeriodCriticalPods: 10_000 },
      periods: [
        { priority: 0, seconds: 20 },
        { priority: 2_000_000_000, seconds: 10 },
      ],
      total: 30,
    },
    {
      rule: 'follow the list, lowest priority first',
      settings: {
        ...none,
        shutdownGracePeriodByPodPriority: [
          { priority: 1000, shutdownGracePeriodSeconds: 5 },
          { priority: -10, shutdownGracePeriodSeconds: 60 },
        ],
      },
      periods: [
        { priority: -10, seconds: 60 },
        { priority: 1000, seconds: 5 },
      ],
      total: 65,
    },
  ])('$rule', ({ settings, periods, total }) => {
    expect(shutdownPeriods(settings)).toEqual(periods);
    expect(totalSeconds(periods)).toBe(total);
  });
});

describe('a pod at a shutdown', () => {
  const periods = [
    { priority: 0, seconds: 20 },
    { priority: 1000, seconds: 15 },
    { priority: 2_000_000_000, seconds: 10 },
  ];
  it.each([
    { rule: 'without a priority belongs to the period of 0', pod: pod('a', undefined), period: 0 },
    { rule: 'below all periods belongs to the lowest', pod: pod('a', -5), period: 0 },
    { rule: 'between two belongs to the lower', pod: pod('a', 999), period: 0 },
    { rule: 'at the priority of a period belongs to it', pod: pod('a', 1000), period: 1000 },
    { rule: 'above all belongs to the highest', pod: pod('a', 2_000_001_000), period: 2_000_000_000 },
  ])('$rule', ({ pod: given, period }) => {
    expect(shutdownGroups([given], periods).map(({ priority }) => priority)).toEqual([period]);
  });

  it.each([
    { rule: 'gets its own grace period if that is shorter', grace: 3, seconds: 3 },
    { rule: 'gets no more than its period', grace: 300, seconds: 20 },
    { rule: 'without a grace period gets thirty seconds, within its period', grace: undefined, seconds: 20 },
  ])('$rule', ({ grace, seconds }) => {
    expect(shutdownGroups([pod('a', 0, grace)], periods)[0]?.pods).toEqual([
      { uid: 'a', name: 'shop/a', graceSeconds: seconds },
    ]);
  });

  it('ends with its group, lowest priority first; empty groups are skipped', () => {
    const pods = [pod('critical', 2_000_000_000), pod('one', 1), pod('two', 2)];
    expect(shutdownGroups(pods, periods).map(({ pods: names }) => names.map(({ uid }) => uid))).toEqual([
      ['one', 'two'],
      ['critical'],
    ]);
    expect(shutdownGroups(pods, [])).toEqual([]);
  });
});
