import { describe, expect, it } from 'vitest';
import { percentile } from '../../bench/density/percentile.ts';
import { OverloadedThread } from './overloaded-thread.ts';

describe('an actor that gets ten times as many messages as it can read', () => {
  it('stays within its bounds, counts dropped messages, and still handles urgent messages at once', async () => {
    await using overload = new OverloadedThread();
    await overload.start();
    const result = await overload.run({ forMs: 4_000, settleMs: 2_000 });
    expect(result.told).toBeGreaterThan(5 * result.read);
    // Every message was read, or dropped and counted, or waits within the bounds.
    expect(result.refused + result.deadAtSender).toBeGreaterThan(result.told / 2);
    expect(result.told - result.read - result.refused - result.deadAtSender).toBeLessThan(result.mostThatMayWait);
    // Almost all: a busy machine delays some. The mailbox alone holds work for half a second.
    expect(percentile(result.killsMs, 90)).toBeLessThan(50);
    expect(percentile(result.stopsMs, 50)).toBeLessThan(50);
    expect(result.heapGrowthMiB).toBeLessThan(20);
  }, 30_000);
});
