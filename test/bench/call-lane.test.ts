import { describe, expect, it } from 'vitest';
import { CallLane } from '../../bench/density/call-lane.ts';

describe('a lane of calls', () => {
  it('runs a limited number of calls at once, and the next when one has ended', async () => {
    const lane = new CallLane(2);
    const calls = ['first', 'second', 'third'].map((name) => ({ name, ...Promise.withResolvers<void>() }));
    const begun: string[] = [];
    const results = calls.map(({ name, promise }) => lane.run(() => (begun.push(name), promise)));
    expect(begun).toEqual(['first', 'second']);
    calls[1]?.resolve();
    await results[1];
    expect(begun).toEqual(['first', 'second', 'third']);
  });

  it('continues after a failed call', async () => {
    const lane = new CallLane(1);
    const failing = lane.run(() => Promise.reject(new Error('refused')));
    const next = lane.run(() => Promise.resolve('answer'));
    await expect(failing).rejects.toThrow('refused');
    await expect(next).resolves.toBe('answer');
  });
});
