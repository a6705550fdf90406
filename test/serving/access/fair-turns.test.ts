import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientOf } from '../../../src/serving/access/client-of.ts';
import { FairTurns, type TurnLimits } from '../../../src/serving/access/fair-turns.ts';
import { settled } from '../../support/manual-clock.ts';

const sharing = (limits: Partial<TurnLimits> = {}) => {
  const turns = new FairTurns({ underWay: 2, underWayOfOne: 1, waiting: 100, waitingOfOne: 10, ...limits });
  const begun: string[] = [];
  const refused: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    turns,
    begun,
    refused,
    /** `a1`: the first work of party a. */
    want: async (...names: readonly string[]): Promise<void> => {
      for (const name of names) {
        void turns
          .take(name.slice(0, 1), () => {
            begun.push(name);
            return new Promise<true>((resolve) => ends.set(name, () => resolve(true)));
          })
          .then((done) => done ?? refused.push(name));
      }
      await settled();
    },
    end: async (name: string): Promise<void> => {
      ends.get(name)?.();
      ends.delete(name);
      await settled();
    },
    running: () => [...ends.keys()],
  };
};

describe('turns at a scarce service', () => {
  it('keep capacity for one client while another queues', async () => {
    const { want, begun } = sharing();
    await want('a1', 'a2', 'a3', 'b1');
    expect(begun).toEqual(['a1', 'b1']);
  });

  it('are given round robin: each client gets a turn before any client gets another', async () => {
    const { want, end, begun } = sharing({ underWay: 1 });
    await want('a1', 'a2', 'b1', 'b2', 'c1', 'c2');
    for (const name of ['a1', 'a2', 'b2', 'c2', 'b1']) await end(name);
    expect(begun).toEqual(['a1', 'a2', 'b2', 'c2', 'b1', 'c1']);
  });

  it('serve the newest of a client first, and reject its oldest above the limit', async () => {
    const { want, end, begun, refused } = sharing({ waitingOfOne: 2 });
    await want('a1', 'a2', 'a3', 'a4', 'a5');
    expect(refused).toEqual(['a2', 'a3']);
    await end('a1');
    expect(begun).toEqual(['a1', 'a5']);
  });

  it('are denied to the client with the longest queue when too many wait in total', async () => {
    const { want, refused } = sharing({ underWay: 1, waiting: 3 });
    await want('a0', 'a1', 'a2', 'b1', 'c1');
    expect(refused).toEqual(['a1']);
  });

  it('are released when work fails', async () => {
    const { turns, want, begun } = sharing({ underWay: 1 });
    await expect(turns.take('a', () => Promise.reject(new Error('it failed')))).rejects.toThrow('it failed');
    await want('a1');
    expect(begun).toEqual(['a1']);
  });

  it('stay within every limit, settle each work once, and keep no client afterwards', async () => {
    const bound = fc.integer({ min: 1, max: 4 });
    const limits = fc.record({ underWay: bound, underWayOfOne: bound, waiting: bound, waitingOfOne: bound });
    const step = fc.record({ ends: fc.boolean(), party: fc.constantFrom('a', 'b', 'c'), pick: fc.nat(10) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), limits, async (steps, within) => {
        const all = sharing(within);
        const wanted: string[] = [];
        for (const [index, { ends, party, pick }] of steps.entries()) {
          const running = all.running();
          if (ends && running.length > 0) await all.end(running[pick % running.length] ?? '');
          else {
            wanted.push(`${party}${index}`);
            await all.want(`${party}${index}`);
          }
          const now = all.running();
          expect(now.length).toBeLessThanOrEqual(within.underWay);
          for (const name of ['a', 'b', 'c']) {
            expect(now.filter((each) => each.startsWith(name)).length).toBeLessThanOrEqual(within.underWayOfOne);
          }
          expect(wanted.length - all.begun.length - all.refused.length).toBeLessThanOrEqual(within.waiting);
        }
        for (let [next] = all.running(); next !== undefined; [next] = all.running()) await all.end(next);
        expect([...all.begun, ...all.refused].toSorted()).toEqual(wanted.toSorted());
        expect(all.turns.parties).toBe(0);
      }),
      { numRuns: 50 },
    );
  });
});

describe('clients are distinguished', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    [undefined, ''],
  ])('%s by %s', (address, client) => {
    expect(clientOf(address)).toBe(client);
  });
});
