import { describe, expect, it } from 'vitest';
import { LatestCreations } from '../../../actors/cri-gateway/latest-creations.ts';
import type { ScheduledCall } from '../../../actors/cri-gateway/call-schedule.ts';

const create = (incarnation: number, parts: Partial<ScheduledCall> = {}): ScheduledCall => ({
  id: incarnation,
  lane: 'start',
  effect: 'creates',
  podUid: 'a',
  caller: 'pod-worker/a',
  incarnation,
  ...parts,
});

describe('a call that creates something for a pod', () => {
  it.each([
    {
      rule: 'is outdated by a creation of an earlier incarnation that ended after its observation',
      endedAt: 10,
      observedAt: 5,
      news: true,
    },
    { rule: 'is outdated by a creation that ended at that very moment', endedAt: 10, observedAt: 10, news: true },
    { rule: 'is not outdated by a creation that its observation includes', endedAt: 10, observedAt: 11, news: false },
    { rule: 'is not outdated without an instant of observation', endedAt: 10, observedAt: undefined, news: false },
  ])('$rule', ({ endedAt, observedAt, news }) => {
    const creations = new LatestCreations();
    creations.ended(create(1), { isAdopted: false, at: endedAt });
    expect(creations.isNewsTo(create(2), observedAt)).toBe(news);
  });

  it.each([
    { rule: 'is not outdated by a creation of its own incarnation', call: create(2), isAdopted: false, news: false },
    {
      rule: 'is not outdated by a creation of another pod',
      call: create(1, { podUid: 'b' }),
      isAdopted: false,
      news: false,
    },
    {
      rule: 'is not outdated if it only stops',
      call: create(1, { effect: 'changes' }),
      isAdopted: false,
      news: false,
    },
    { rule: 'is outdated by its own creation that was reported as lost', call: create(2), isAdopted: true, news: true },
  ])('as against $rule: $news', ({ call, isAdopted, news }) => {
    const creations = new LatestCreations();
    creations.ended(call, { isAdopted, at: 10 });
    expect(creations.isNewsTo(create(2), 5)).toBe(news);
  });
});
