import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Container, ContainerState, ListContainersResponse } from '../../src/cri/gen/api.ts';
import { RawList, type ComparedList } from '../../src/cri/raw-list.ts';

const { CONTAINER_CREATED: created, CONTAINER_RUNNING: running, CONTAINER_EXITED: exited } = ContainerState;
const STATE_FIELD = 6;

const container = (id: string, state: ContainerState = running, rest: Partial<Container> = {}): Container =>
  Container.fromPartial({ id, state, podSandboxId: 's', createdAt: 7n, labels: { a: '1', b: '2' }, ...rest });
const list = (...containers: Container[]): Uint8Array => ListContainersResponse.encode({ containers }).finish();

/** Compares two lists, and returns the differences of the second. */
function difference(before: Uint8Array, after: Uint8Array): ComparedList {
  const lists = new RawList(STATE_FIELD);
  lists.accept(lists.compare(before));
  return lists.compare(after);
}

/** Returns the error for bytes that are not a list; `undefined` for a list. */
function complaintAbout(bytes: Uint8Array): string {
  try {
    new RawList(STATE_FIELD).compare(bytes);
    return '';
  } catch (error) {
    return String(error);
  }
}

describe('a list compared with the previous one', () => {
  const two = list(container('a'), container('b', exited));
  it.each([
    { rule: 'the same bytes', after: two, changed: [], vanished: [] },
    { rule: 'another order', after: list(container('b', exited), container('a')), changed: [], vanished: [] },
    { rule: 'a new state', after: list(container('a', exited), container('b', exited)), changed: ['a'], vanished: [] },
    { rule: 'a state of zero', after: list(container('a', created), container('b', exited)), changed: ['a'] },
    {
      rule: 'labels written in another order',
      after: list(container('a', running, { labels: { b: '2', a: '1' } }), container('b', exited)),
      changed: [],
    },
    { rule: 'one entry more', after: list(container('a'), container('c'), container('b', exited)), changed: ['c'] },
    { rule: 'one entry less', after: list(container('b', exited)), changed: [], vanished: ['a'] },
    {
      rule: 'one entry replaced by another',
      after: list(container('c'), container('a')),
      changed: ['c'],
      vanished: ['b'],
    },
    { rule: 'no entries', after: list(), changed: [], vanished: ['a', 'b'] },
    { rule: 'one entry twice', after: list(container('a'), container('a')), changed: [], vanished: ['b'] },
  ])('finds $changed changed and $vanished vanished with $rule', ({ after, changed, vanished = [] }) => {
    const found = difference(two, after);
    expect({ changed: found.changed, vanished: found.vanished }).toEqual({ changed, vanished });
  });

  it('returns the bytes of each changed entry', () => {
    const found = difference(list(), two);
    expect(Container.decode(found.entries.get('b')?.bytes ?? new Uint8Array())).toEqual(container('b', exited));
    expect(found.entries.has('z')).toBe(false);
  });

  it('returns the bytes of entries in doubt, and of no other unchanged entry', () => {
    const lists = new RawList(STATE_FIELD);
    lists.accept(lists.compare(two));
    const found = lists.compare(two, new Set(['b', 'z']));
    expect(found).toMatchObject({ changed: [], vanished: [] });
    expect([...found.entries.keys()]).toEqual(['b']);
    lists.accept(found);
    expect(lists.compare(two)).toEqual({ entries: new Map(), changed: [], vanished: [] });
  });

  it('becomes the base of the next comparison only once it is accepted', () => {
    const lists = new RawList(STATE_FIELD);
    expect(lists.compare(two).changed).toEqual(['a', 'b']);
    expect(lists.compare(two).changed).toEqual(['a', 'b']);
    lists.accept(lists.compare(two));
    expect(lists.compare(two).changed).toEqual([]);
  });

  it('reads IDs as text, as the decoder does', () => {
    expect(difference(list(), list(container('naïve-容器'))).changed).toEqual(['naïve-容器']);
  });

  it('skips fields of later protocol versions', () => {
    // Field 15: a number, eight bytes, some text, four bytes.
    const later = [15 << 3, 1, (15 << 3) | 1, 0, 0, 0, 0, 0, 0, 0, 0, (15 << 3) | 2, 1, 65, (15 << 3) | 5, 0, 0, 0, 0];
    expect(difference(two, Uint8Array.from([...later, ...two]))).toMatchObject({ changed: [], vanished: [] });
  });
});

describe('bytes that are no list', () => {
  const good = list(container('a'));
  it.each([
    { of: 'an entry cut short', bytes: good.subarray(0, -1), says: /middle of an entry/ },
    { of: 'a length cut short', bytes: Uint8Array.of(10, 0x80), says: /middle of a number/ },
    { of: 'a number without end', bytes: new Uint8Array(30).fill(0xff), says: /more than ten bytes/ },
    { of: 'an unknown wire type', bytes: Uint8Array.of(0x1f), says: /unknown wire type 7/ },
    { of: 'an entry without an ID', bytes: list(Container.fromPartial({ state: running })), says: /has no ID/ },
    {
      of: 'a field that overruns its entry',
      bytes: Uint8Array.of(10, 3, 10, 9, 65, 66, 67),
      says: /longer than its declared length/,
    },
    { of: 'a field that overruns the list', bytes: Uint8Array.of(0x12, 9, 65), says: /middle of a field/ },
  ])('are refused with a clear error: $of', ({ bytes, says }) => {
    const lists = new RawList(STATE_FIELD);
    lists.accept(lists.compare(good));
    expect(() => lists.compare(bytes)).toThrow(says);
    // The rejected list has no effect.
    expect(lists.compare(good)).toMatchObject({ changed: [], vanished: [] });
  });

  it('are rejected or read, and never hang', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(complaintAbout(bytes)).toMatch(/^$|of the container runtime/);
      }),
    );
  });
});

describe('a list cut short or changed anywhere', () => {
  const whole = list(
    container('a'),
    container('b', exited),
    container('c', created, { labels: { a: 'x'.repeat(50) } }),
  );

  it('is rejected or read, and no entry extends beyond the list', () => {
    const edits = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 6 });
    fc.assert(
      fc.property(fc.nat(whole.length), edits, (length, changes) => {
        const bytes = Uint8Array.from(whole);
        for (const [at, value] of changes) bytes[at] = value;
        const cut = bytes.subarray(0, length);
        expect(complaintAbout(cut)).toMatch(/^$|of the container runtime/);
        if (complaintAbout(cut) !== '') return;
        const { entries } = new RawList(STATE_FIELD).compare(cut);
        let held = 0;
        for (const entry of entries.values()) held += entry.bytes.length;
        expect(held).toBeLessThanOrEqual(cut.length);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63])('is rejected when an entry claims %d bytes', (length) => {
    const claim: number[] = [];
    for (let rest = BigInt(length); rest > 0n; rest >>= 7n) claim.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    expect(complaintAbout(Uint8Array.of(10, ...claim, 10, 1, 97))).toContain('middle of an entry');
  });
});

describe('the changes of any series of lists', () => {
  const states = fc.constantFrom(created, running, exited);
  const listing = fc
    .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), states), { selector: ([id]) => id })
    .map((entries) => entries.map(([id, state]) => container(id, state)));

  it('replayed give the last list, in any order', () => {
    fc.assert(
      fc.property(fc.array(listing, { minLength: 1 }), (series) => {
        const lists = new RawList(STATE_FIELD);
        const replayed = new Map<string, Container>();
        for (const containers of series) {
          const found = lists.compare(list(...containers));
          for (const id of found.vanished) replayed.delete(id);
          for (const id of found.changed)
            replayed.set(id, Container.decode(found.entries.get(id)?.bytes ?? new Uint8Array()));
          lists.accept(found);
        }
        const last = series.at(-1) ?? [];
        expect(replayed).toEqual(new Map(last.map((each) => [each.id, each])));
      }),
    );
  });
});
