import { describe, expect, it } from 'vitest';
import {
  imagesForSpace,
  imagesSeen,
  imagesStay,
  imagesTooOld,
  roomNeeded,
  type ImageRecord,
  type ListedImage,
} from '../../../actors/garbage-collector/plan-images.ts';

const NOW = 1_000_000;
const image = (id: string, parts: Partial<ListedImage> = {}): ListedImage => ({
  id,
  repoTags: [`registry.local/${id}:1`],
  repoDigests: [`registry.local/${id}@sha256:${id}`],
  sizeBytes: 10,
  pinned: false,
  ...parts,
});
const records = (...all: readonly [ListedImage, { readonly firstSeen?: number; readonly lastUsed?: number }][]) =>
  new Map<string, ImageRecord>(
    all.map(([each, { firstSeen = 0, lastUsed = 0 }]) => [each.id, { image: each, firstSeen, lastUsed }]),
  );
const ids = (found: readonly ImageRecord[]): readonly string[] => found.map(({ image: { id } }) => id);

describe("a list of the node's images", () => {
  it('marks images in use by any of their names, and remembers the others', () => {
    const before = records([image('old'), { firstSeen: 5, lastUsed: 7 }], [image('gone'), { lastUsed: 7 }]);
    const images = ['old', 'by-id', 'by-tag', 'by-digest'].map((id) => image(id));
    const inUse = new Set(['by-id', 'registry.local/by-tag:1', 'registry.local/by-digest@sha256:by-digest']);
    const after = imagesSeen(before, { images, inUse, now: NOW, newSince: NOW - 1 });
    expect([...after].map(([id, { firstSeen, lastUsed }]) => [id, firstSeen, lastUsed])).toEqual([
      ['old', 5, 7],
      ['by-id', NOW - 1, NOW],
      ['by-tag', NOW - 1, NOW],
      ['by-digest', NOW - 1, NOW],
    ]);
  });
});

describe('to free disk space', () => {
  it('the least recently used images are removed first, then the oldest', () => {
    const known = records(
      [image('d'), { lastUsed: 9 }],
      [image('c'), { firstSeen: 3 }],
      [image('b'), { firstSeen: 2 }],
      [image('a'), { firstSeen: 2 }],
    );
    expect(ids(imagesForSpace(known, { minAgeMs: 0, detectedAt: NOW }))).toEqual(['a', 'b', 'c', 'd']);
  });

  it.each([
    { rule: 'is in use', entry: { lastUsed: NOW }, parts: {} },
    { rule: 'is pinned', entry: {}, parts: { pinned: true } },
    { rule: 'is younger than the minimum age', entry: { firstSeen: NOW - 119_999 }, parts: {} },
  ])('nothing goes that $rule', ({ entry, parts }) => {
    expect(ids(imagesForSpace(records([image('a', parts), entry]), { minAgeMs: 120_000, detectedAt: NOW }))).toEqual(
      [],
    );
  });
});

describe('an unused image', () => {
  it.each([
    { rule: 'is removed when it was unused for too long', entry: { lastUsed: NOW - 101 }, since: 0, gone: ['a'] },
    { rule: 'stays until then', entry: { lastUsed: NOW - 100 }, since: 0, gone: [] },
    {
      rule: 'ages from its first observation, when it was never used',
      entry: { firstSeen: NOW - 101 },
      since: 0,
      gone: ['a'],
    },
    { rule: 'stays after a restart, which loses its last use', entry: {}, since: NOW - 100, gone: [] },
    { rule: 'is removed when it was not used since a restart either', entry: {}, since: NOW - 101, gone: ['a'] },
  ])('$rule', ({ entry, since, gone }) => {
    const known = records([image('a'), entry]);
    expect(ids(imagesTooOld(known, { maxAgeMs: 100, detectedAt: NOW, since }))).toEqual(gone);
  });

  it('stays for ever without a maximum age', () => {
    expect(imagesTooOld(records([image('a'), {}]), { maxAgeMs: 0, detectedAt: NOW, since: 0 })).toEqual([]);
  });
});

describe('the space to free', () => {
  const policy = { highThresholdPercent: 85, lowThresholdPercent: 80, minAgeMs: 0, maxAgeMs: 0 };

  it.each([
    { availableBytes: 160, room: { type: 'enough' } },
    { availableBytes: 150, room: { type: 'needed', bytes: 50, usagePercent: 85 } },
    { availableBytes: 0, room: { type: 'needed', bytes: 200, usagePercent: 100 } },
    { availableBytes: 5_000, room: { type: 'enough' } },
  ])('with $availableBytes of 1000 bytes left', ({ availableBytes, room }) => {
    expect(roomNeeded({ capacityBytes: 1_000, availableBytes }, policy)).toEqual(room);
  });

  it('is unknown for a file system without capacity', () => {
    expect(roomNeeded({ capacityBytes: 0, availableBytes: 0 }, policy)).toEqual({ type: 'no-capacity' });
  });

  it('is not computed when both kinds of image collection are off', () => {
    expect(imagesStay({ ...policy, highThresholdPercent: 100 })).toBe(true);
    expect(imagesStay({ ...policy, highThresholdPercent: 100, maxAgeMs: 1 })).toBe(false);
    expect(imagesStay(policy)).toBe(false);
  });
});
