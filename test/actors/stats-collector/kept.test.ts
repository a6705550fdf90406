import { describe, expect, it } from 'vitest';
import { Kept } from '../../../actors/stats-collector/kept.ts';

function keptOf() {
  let now = 0;
  const begun: PromiseWithResolvers<number>[] = [];
  const kept = new Kept({ monotonic: () => now }, () => {
    const one = Promise.withResolvers<number>();
    begun.push(one);
    return one.promise;
  });
  return { kept, begun, passes: (ms: number) => void (now += ms) };
}

describe('a measurement', () => {
  it('answers questions that accept figures from its beginning', async () => {
    const { kept, begun, passes } = keptOf();
    const first = kept.within(0);
    passes(50);
    const second = kept.within(50);
    begun[0]?.resolve(1);
    expect([await first, await second, begun.length]).toEqual([1, 1, 1]);
  });

  it('is repeated once for all questions that need newer figures', async () => {
    const { kept, begun, passes } = keptOf();
    const first = kept.within(0);
    passes(50);
    const [second, third] = [kept.within(0), kept.within(10)];
    begun[0]?.resolve(1);
    expect(await first).toBe(1);
    await new Promise(setImmediate);
    begun[1]?.resolve(2);
    expect([await second, await third, begun.length]).toEqual([2, 2, 2]);
  });

  it('is repeated when it fails', async () => {
    const { kept, begun, passes } = keptOf();
    const first = kept.within(0);
    passes(50);
    const second = kept.within(0);
    begun[0]?.reject(new Error('no disk'));
    await expect(first).rejects.toThrow('no disk');
    await new Promise(setImmediate);
    begun[1]?.resolve(2);
    expect(await second).toBe(2);
  });
});
