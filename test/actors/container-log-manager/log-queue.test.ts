import { describe, expect, it } from 'vitest';
import { LogQueue } from '../../../actors/container-log-manager/log-queue.ts';

const log = (containerId: string) => ({ containerId, path: `/logs/${containerId}`, why: 'large' as const });
const all = { has: () => true };

describe('logs that wait to be rotated', () => {
  it('are handled so many at once, none twice at once', () => {
    const queue = new LogQueue(2);
    queue.found([log('a'), log('b'), log('c')], all);
    expect([queue.next(0), queue.next(0), queue.next(0)]).toEqual([log('a'), log('b'), undefined]);
    queue.found([log('a'), log('c')], all);
    queue.ended('b', { well: true, now: 0 });
    expect([queue.next(0), queue.next(0)]).toEqual([log('c'), undefined]);
  });

  it('are those of the latest look', () => {
    const queue = new LogQueue(1);
    queue.found([log('a')], all);
    queue.found([log('b')], all);
    expect(queue.next(0)).toEqual(log('b'));
  });

  it('rest longer each time they cannot be handled, ten minutes at most', () => {
    const queue = new LogQueue(1);
    let now = 0;
    for (const rest of [30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]) {
      queue.found([log('a')], all);
      expect(queue.next(now)).toEqual(log('a'));
      queue.ended('a', { well: false, now });
      queue.found([log('a')], all);
      expect(queue.next(now + rest - 1)).toBeUndefined();
      now += rest;
    }
  });

  it('do not rest once they were', () => {
    const queue = new LogQueue(1);
    queue.found([log('a')], all);
    queue.next(0);
    queue.ended('a', { well: true, now: 0 });
    queue.found([log('a')], all);
    expect(queue.next(0)).toEqual(log('a'));
  });

  it('of containers that are gone are forgotten', () => {
    const queue = new LogQueue(1);
    queue.found([log('a')], all);
    queue.next(0);
    queue.ended('a', { well: false, now: 0 });
    queue.found([], { has: () => false });
    queue.found([log('a')], all);
    expect(queue.next(1)).toEqual(log('a'));
  });
});
