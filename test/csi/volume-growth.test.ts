import { describe, expect, it } from 'vitest';
import { grownStatus, growthOf } from '../../src/csi/volume-growth.ts';

const volume = (storage?: string) => ({
  metadata: { name: 'pv' },
  spec: storage === undefined ? {} : { capacity: { storage } },
});
const claim = (storage?: string, more: object = {}) => ({
  metadata: { name: 'c', namespace: 'shop' },
  status: { phase: 'Bound', ...(storage === undefined ? {} : { capacity: { storage } }), ...more },
});

describe("a volume larger than its claim's status", () => {
  it.each([
    ['2Gi', '1Gi', 2n ** 31n],
    ['1Gi', '1Gi', undefined],
    ['1024Mi', '1Gi', undefined],
    ['1Gi', '2Gi', undefined],
    [undefined, '1Gi', undefined],
    // The original size is not known yet.
    ['2Gi', undefined, undefined],
  ])('of %s, with %s in the claim’s status, grows to %s', (capacity, known, bytes) => {
    expect(growthOf(volume(capacity), claim(known))?.bytes).toBe(bytes);
  });

  it("updates the claim's status when the expansion is done", () => {
    const pending = claim('1Gi', {
      conditions: [{ type: 'FileSystemResizePending' }, { type: 'ModifyingVolume' }],
      allocatedResourceStatuses: { storage: 'NodeResizePending' },
    });
    const growth = growthOf(volume('2Gi'), pending);
    expect(growth === undefined ? undefined : grownStatus(growth)).toEqual({
      status: {
        capacity: { storage: '2Gi' },
        conditions: [{ type: 'ModifyingVolume' }],
        allocatedResourceStatuses: { storage: null },
      },
    });
  });
});
