import { describe, expect, it } from 'vitest';
import { LogQueue } from '../../../actors/container-log-manager/log-queue.ts';

const log = (containerId: string) => ({ containerId, path: `/logs/${containerId}`, why: 'large' as const });
const all = { has: () => true };

describe('logs waiting for rotation', () => {
  it('are rotated in parallel up to the limit, never the same log twice', () => {
    const queue = new LogQueue(2);
    queue.found([log('a'), log('b'), log('c')], all);
    expect([queue.next(0), queue.next(0), queue.next(0)]).toEqual([log('a'), log('b'), undefined]);
    queue.found([log('a'), log('c')], all);
    queue.ended('b', { well: true, now: 0 });
    expect([queue.next(0), queue.next(0)]).toEqual([log('c'), undefined]);
  });

  it('are the logs of the latest check', () => {
    const queue = new LogQueue(1);
    queue.found([log('a')], all);
    queue.found([log('b')], all);
    expect(queue.next(0)).toEqual(log('b'));
  });

  it('wait longer after each failure, ten minutes at most', () => {
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

  it('do not wait after a success', () => {
    const queue = new LogQueue(1);
    queue.found([log('a')], all);
    queue.next(0);
    queue.ended('a', { well: true, now: 0 });
    queue.found([log('a')], all);
    expect(queue.next(0)).toEqual(log('a'));
  });

  it('are dropped with their containers', () => {
    const queue = new LogQueue(1);
    queue.found([log('a')], all);
    queue.next(0);
    queue.ended('a', { well: false, now: 0 });
    queue.found([], { has: () => false });
    queue.found([log('a')], all);
    expect(queue.next(1)).toEqual(log('a'));
  });
});
