import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnidentifiedConnections } from '../../../src/serving/access/unidentified-connections.ts';

/** `a1`: port 1 of address a. */
const guests = (most: number) => {
  const connections = new UnidentifiedConnections(most);
  const ended: string[] = [];
  const closers = new Map<string, () => void>();
  const named = (name: string) => ({ remoteAddress: name.slice(0, 1), remotePort: Number(name.slice(1)) });
  return {
    connections,
    ended,
    add: (name: string): (() => void) => {
      const closed = connections.add({
        ...named(name),
        destroy: () => {
          ended.push(name);
          closers.get(name)?.();
        },
      });
      closers.set(name, closed);
      return closed;
    },
    close: (name: string) => closers.get(name)?.(),
    identify: (name: string) => connections.identified(named(name)),
  };
};

describe('connections of unidentified clients', () => {
  it('stay open up to their limit', () => {
    const { add, ended } = guests(3);
    for (const name of ['a1', 'b1', 'a2']) add(name);
    expect(ended).toEqual([]);
  });

  it('above the limit close the oldest of the address with the most', () => {
    const { add, ended } = guests(3);
    for (const name of ['b1', 'a1', 'a2', 'a3', 'c1']) add(name);
    expect(ended).toEqual(['a1', 'a2']);
  });

  it('are no longer counted when the client is identified, or gone', () => {
    const { add, identify, close, ended } = guests(2);
    add('a1');
    add('a2');
    identify('a1');
    close('a2');
    add('a3');
    add('a4');
    expect(ended).toEqual([]);
    add('a5');
    expect(ended).toEqual(['a3']);
  });

  it('stay when an earlier connection from their address and port closes late', () => {
    const { add, identify, connections } = guests(2);
    const closeFirst = add('a1');
    identify('a1');
    add('a1');
    closeFirst();
    expect(connections.size).toBe(1);
  });

  it('never exceed their limit, and are closed only above it', () => {
    const step = fc.record({
      does: fc.constantFrom('add', 'identify', 'close'),
      name: fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(9)).map(([address, port]) => `${address}${port}`),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (steps, most) => {
        const all = guests(most);
        const open = new Set<string>();
        for (const { does, name } of steps) {
          const before = all.ended.length;
          if (does === 'add') {
            if (open.has(name)) continue;
            open.add(name);
            all.add(name);
          } else if (does === 'identify') all.identify(name);
          else all.close(name);
          if (does !== 'add') open.delete(name);
          for (const gone of all.ended.slice(before)) open.delete(gone);
          expect(all.connections.size).toBe(open.size);
          expect(open.size).toBeLessThanOrEqual(most);
        }
      }),
    );
  });
});
