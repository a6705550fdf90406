import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entriesOf, hasOwn, keyed, own, put, valuesOf, type Keyed } from '../../../src/kube/text/own.ts';
import type { ObjectMeta } from '../../../src/kube/pod.ts';

const inherited = Object.getOwnPropertyNames(Object.prototype);

describe('a record keyed from outside', () => {
  it.each(inherited)('has no %s unless it was put there', (key) => {
    expect(own({}, key)).toBeUndefined();
    expect(hasOwn({}, key)).toBe(false);
    expect(own(keyed([[key, 'value']]), key)).toBe('value');
  });

  it('returns its original entries', () => {
    const key = fc.oneof(fc.string(), fc.constantFrom(...inherited));
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(key, fc.integer()), { selector: ([each]) => each }), (entries) => {
        const record = keyed(entries);
        for (const [name, value] of entries) expect(own(record, name)).toBe(value);
        expect(new Map(entriesOf(record))).toEqual(new Map(entries));
        expect(valuesOf(record)).toHaveLength(entries.length);
      }),
    );
  });

  it('is empty when missing', () => {
    expect([own(undefined, 'a'), entriesOf(undefined), valuesOf(undefined)]).toEqual([undefined, [], []]);
  });

  it('does not compile when it is read by key', () => {
    const labels: Keyed<string> = { app: 'web' };
    // @ts-expect-error: it may be a member of Object.prototype.
    const read: string | undefined = labels['app'];
    expect(read).toBe('web');
  });

  it.each(inherited)('accepts %s as a key that is set later', (key) => {
    const record: Record<string, string> = {};
    put(record, key, 'value');
    expect(Object.entries(record)).toEqual([[key, 'value']]);
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
  });

  it('does not compile when it is read from a pod by key', () => {
    const metadata: ObjectMeta = { name: 'p', namespace: 'n', uid: 'u', labels: { app: 'web' } };
    // @ts-expect-error: it may be a member of Object.prototype.
    const read: string | undefined = metadata.labels?.['app'];
    expect(read).toBe('web');
  });
});
