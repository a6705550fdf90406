import { describe, expect, it } from 'vitest';
import { defaultEvictionHard } from '../../../src/config/fields/config-defaults.ts';
import {
  amountNano,
  isHard,
  overruledSignals,
  thresholdsOf,
  withContainerFs,
  type EvictionSettings,
  type Threshold,
} from '../../../src/node/eviction/thresholds.ts';
import { settings } from './eviction-fixtures.ts';

const hard = (signal: Threshold['signal'], value: string, minReclaim?: string): Threshold => ({
  signal,
  value,
  graceMs: 0,
  minReclaim,
});
const soft = (signal: Threshold['signal'], value: string, graceMs: number): Threshold => ({
  signal,
  value,
  graceMs,
  minReclaim: undefined,
});

interface Case {
  readonly rule: string;
  readonly given: Partial<EvictionSettings>;
  readonly thresholds: readonly Threshold[];
}

describe('the thresholds of a configuration', () => {
  it.each([
    { rule: 'are empty without settings', given: {}, thresholds: [] },
    {
      rule: 'are the Linux defaults',
      given: { evictionHard: defaultEvictionHard },
      thresholds: [
        hard('memory.available', '100Mi'),
        hard('nodefs.available', '10%'),
        hard('nodefs.inodesFree', '5%'),
        hard('imagefs.available', '15%'),
        hard('imagefs.inodesFree', '5%'),
      ],
    },
    {
      rule: 'are off at 0% and at 100%',
      given: { evictionHard: { 'nodefs.available': '0%', 'imagefs.available': '100%', 'pid.available': '7' } },
      thresholds: [hard('pid.available', '7')],
    },
    {
      rule: 'are soft with a grace period, beside hard thresholds on the same signal',
      given: {
        evictionHard: { 'memory.available': '1Gi' },
        evictionSoft: { 'memory.available': '2Gi' },
        evictionSoftGracePeriod: { 'memory.available': '1m30s' },
      },
      thresholds: [hard('memory.available', '1Gi'), soft('memory.available', '2Gi', 90_000)],
    },
    {
      rule: 'have their minimum reclaim',
      given: { evictionHard: { 'nodefs.available': '1Gi' }, evictionMinimumReclaim: { 'nodefs.available': '500Mi' } },
      thresholds: [hard('nodefs.available', '1Gi', '500Mi')],
    },
    {
      rule: 'include a hard threshold on allocatable memory when pods are limited to it',
      given: {
        evictionHard: { 'memory.available': '1Gi' },
        evictionSoft: { 'memory.available': '2Gi' },
        evictionSoftGracePeriod: { 'memory.available': '1m' },
        enforceNodeAllocatable: ['pods'],
      },
      thresholds: [
        hard('memory.available', '1Gi'),
        soft('memory.available', '2Gi', 60_000),
        hard('allocatableMemory.available', '1Gi'),
      ],
    },
  ] satisfies Case[])('$rule', ({ given, thresholds }) => {
    expect(thresholdsOf(settings(given))).toEqual(thresholds);
  });

  it('with a soft grace period of zero are hard', () => {
    const given = { evictionSoft: { 'pid.available': '7' }, evictionSoftGracePeriod: { 'pid.available': '0s' } };
    expect(thresholdsOf(settings(given)).map(isHard)).toEqual([true]);
  });
});

describe('the thresholds on the container file system', () => {
  const set = [
    hard('nodefs.available', '10%'),
    hard('nodefs.inodesFree', '5%'),
    hard('imagefs.available', '15%'),
    soft('imagefs.available', '20%', 1),
  ];
  const derived = (fileSystems: 'single' | 'image' | 'split', given: readonly Threshold[] = set) =>
    withContainerFs(given, fileSystems).filter(({ signal }) => signal.startsWith('containerfs'));

  it.each(['single', 'split'] as const)('are those of the root folder if the disk is %s', (fileSystems) => {
    expect(derived(fileSystems)).toEqual([hard('containerfs.available', '10%'), hard('containerfs.inodesFree', '5%')]);
  });
  it('are those of the images if both share a file system', () => {
    expect(derived('image')).toEqual([hard('containerfs.available', '15%'), soft('containerfs.available', '20%', 1)]);
  });
  it('cannot be set, and a configured threshold is reported', () => {
    const given = [...set, hard('containerfs.available', '50%')];
    expect(derived('single', given)).toEqual(derived('single'));
    expect(overruledSignals(given)).toEqual(['containerfs.available']);
  });
});

describe('an amount', () => {
  it.each([
    { text: '100Mi', capacity: 0n, bytes: 104_857_600n },
    { text: '10%', capacity: 1_000n, bytes: 100n },
    { text: '15%', capacity: 105_089_261_568n, bytes: 15_763_389_861n },
    { text: '100%', capacity: 7n, bytes: 7n },
  ])('of $text is $bytes', ({ text, capacity, bytes }) => {
    expect(amountNano(text, capacity) / 1_000_000_000n).toBe(bytes);
  });
});
