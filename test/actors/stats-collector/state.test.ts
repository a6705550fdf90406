import { describe, expect, it } from 'vitest';
import { afterWalk, nextWalk, nothingWalked, want, WALKED_AT_ONCE } from '../../../actors/stats-collector/state.ts';
import type { PodDiskAt } from '../../../src/stats/add-disk.ts';

const pod = (uid: string) => ({ uid, podDir: `/pods/${uid}`, logDir: `/logs/${uid}` });
const nothing = { usedBytes: 0, inodesUsed: 0 };
const disk = (uid: string): PodDiskAt => ({
  uid,
  time: '',
  volumes: [],
  logs: {},
  otherLogs: nothing,
  ownFiles: nothing,
});
const walkedAt = (uid: string, dueAt: number, at = 0) => ({ disk: disk(uid), at, dueAt });
const uids = (pods: readonly { readonly uid: string }[]) => pods.map(({ uid }) => uid);

describe('the next walk', () => {
  it('starts with pods that were never walked, and continues with the longest waiting', () => {
    const known = afterWalk(nothingWalked, [walkedAt('a', 30), walkedAt('b', 20), walkedAt('c', 90)]);
    expect(uids(nextWalk(known, ['a', 'b', 'c', 'd'].map(pod), 50).walk)).toEqual(['d', 'b', 'a']);
  });

  it('waits for the running walk', () => {
    const { next } = nextWalk(nothingWalked, [pod('a')], 0);
    expect(nextWalk(next, [pod('a'), pod('b')], 0).walk).toEqual([]);
    expect(uids(nextWalk(afterWalk(next, [walkedAt('a', 10)]), [pod('a'), pod('b')], 0).walk)).toEqual(['b']);
  });

  it('covers a limited number of pods', () => {
    const many = Array.from({ length: WALKED_AT_ONCE + 1 }, (_, index) => pod(String(index)));
    expect(nextWalk(nothingWalked, many, 0).walk).toHaveLength(WALKED_AT_ONCE);
  });

  it('still includes pods that the previous walk did not reach', () => {
    const { next } = nextWalk(nothingWalked, [pod('a'), pod('b')], 0);
    expect(uids(nextWalk(afterWalk(next, [walkedAt('a', 10)]), [pod('a'), pod('b')], 0).walk)).toEqual(['b']);
  });

  it('starts once with requested pods, unless they were walked since the request', () => {
    const known = afterWalk(nothingWalked, [walkedAt('a', 900, 10), walkedAt('b', 900, 40), walkedAt('c', 20, 0)]);
    const { next, walk } = nextWalk(want(known, ['a', 'b', 'gone'], 30), ['a', 'b', 'c', 'd'].map(pod), 50);
    expect(uids(walk)).toEqual(['a', 'd', 'c']);
    expect([...next.wanted]).toEqual(['a']);
    expect([...afterWalk(next, [walkedAt('a', 990, 50)]).wanted]).toEqual([]);
  });

  it('forgets pods that are gone', () => {
    const known = afterWalk(nothingWalked, [walkedAt('a', 30), walkedAt('b', 30)]);
    expect([...nextWalk(known, [pod('b')], 0).next.walked.keys()]).toEqual(['b']);
  });
});
