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

describe('a call that makes something for a pod', () => {
  it.each([
    { rule: 'is outdated by an earlier incarnation’s that ended after its look', endedAt: 10, lookedAt: 5, news: true },
    { rule: 'and by one that ended at that very moment', endedAt: 10, lookedAt: 10, news: true },
    { rule: 'is not outdated by what its look has seen', endedAt: 10, lookedAt: 11, news: false },
    { rule: 'nor where nobody says when the look was', endedAt: 10, lookedAt: undefined, news: false },
  ])('$rule', ({ endedAt, lookedAt, news }) => {
    const creations = new LatestCreations();
    creations.ended(create(1), { isAdopted: false, at: endedAt });
    expect(creations.isNewsTo(create(2), lookedAt)).toBe(news);
  });

  it.each([
    { rule: 'its own incarnation’s', call: create(2), isAdopted: false, news: false },
    { rule: 'another pod’s', call: create(1, { podUid: 'b' }), isAdopted: false, news: false },
    { rule: 'one that only stops something', call: create(1, { effect: 'changes' }), isAdopted: false, news: false },
    { rule: 'its own that it was told is lost', call: create(2), isAdopted: true, news: true },
  ])('as against $rule: $news', ({ call, isAdopted, news }) => {
    const creations = new LatestCreations();
    creations.ended(call, { isAdopted, at: 10 });
    expect(creations.isNewsTo(create(2), 5)).toBe(news);
  });
});
