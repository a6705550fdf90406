import { parseGoDuration } from '../../kube/text/go-duration.ts';
import type { KubeletConfiguration } from '../../config/fields/kubelet-configuration.ts';
import { quantityNano } from '../../kube/quantity.ts';
import type { FileSystems } from './file-systems.ts';
import { isSignal, type Signal } from './signals.ts';

/** A limit for a signal. The threshold is met while less is available than the value. */
export interface Threshold {
  readonly signal: Signal;
  /** An amount such as `100Mi`, or a share of the capacity such as `10%`. */
  readonly value: string;
  /** How long the threshold must be met before pods are evicted. 0 for a hard threshold: they are evicted at once. */
  readonly graceMs: number;
  /** The additional amount that must be available before the threshold counts as no longer met. */
  readonly minReclaim: string | undefined;
}

export const isHard = ({ graceMs }: Threshold): boolean => graceMs === 0;

/** Returns a unique key of a threshold. One signal may have a hard and a soft threshold. */
export const thresholdKey = ({ signal, graceMs }: Threshold): string => `${signal} ${graceMs === 0 ? 'hard' : 'soft'}`;

export type EvictionSettings = Pick<
  KubeletConfiguration,
  'evictionHard' | 'evictionSoft' | 'evictionSoftGracePeriod' | 'evictionMinimumReclaim' | 'enforceNodeAllocatable'
>;

/** The two values that disable a signal. */
const OFF: readonly string[] = ['0%', '100%'];

/**
 * Returns the thresholds of a validated configuration. If pods are limited to the allocatable resources, the hard
 * memory threshold also applies to the rest of these.
 */
export function thresholdsOf(settings: EvictionSettings): readonly Threshold[] {
  const { evictionHard, evictionSoft, evictionSoftGracePeriod, evictionMinimumReclaim } = settings;
  const read = (amounts: Readonly<Record<string, string>>, graceMsOf: (signal: Signal) => number) =>
    Object.entries(amounts).flatMap(([signal, value]): readonly Threshold[] => {
      if (!isSignal(signal) || OFF.includes(value)) return [];
      return [{ signal, value, graceMs: graceMsOf(signal), minReclaim: evictionMinimumReclaim[signal] }];
    });
  const set = [
    ...read(evictionHard, () => 0),
    ...read(evictionSoft, (signal) => parseGoDuration(evictionSoftGracePeriod[signal] ?? '') ?? 0),
  ];
  if (!settings.enforceNodeAllocatable.includes('pods')) return set;
  const ofAllocatable = set
    .filter((each) => each.signal === 'memory.available' && isHard(each))
    .map((each): Threshold => ({ ...each, signal: 'allocatableMemory.available' }));
  return [...set, ...ofAllocatable];
}

/**
 * Adds the thresholds of the container file system. They cannot be set: they equal the thresholds of the file system
 * that contains it. Configured values are ignored.
 */
export function withContainerFs(thresholds: readonly Threshold[], fileSystems: FileSystems): readonly Threshold[] {
  const from = fileSystems === 'image' ? 'imagefs' : 'nodefs';
  const derived = thresholds.flatMap((each): readonly Threshold[] => {
    if (each.signal === `${from}.available`) return [{ ...each, signal: 'containerfs.available' }];
    return each.signal === `${from}.inodesFree` ? [{ ...each, signal: 'containerfs.inodesFree' }] : [];
  });
  return [...thresholds.filter(({ signal }) => !isOfContainerFs(signal)), ...derived];
}

/** Returns the signals with a configured threshold that is ignored. The operator should be warned of these. */
export const overruledSignals = (thresholds: readonly Threshold[]): readonly Signal[] =>
  thresholds.map(({ signal }) => signal).filter(isOfContainerFs);

const isOfContainerFs = (signal: Signal): boolean => signal.startsWith('containerfs.');

const NANO = 1_000_000_000n;

/**
 * Returns an amount in 10⁻⁹ units. Percentages are computed in single precision, as in the kubelet, so that both show
 * the same number.
 */
export function amountNano(text: string, capacity: bigint): bigint {
  if (!text.endsWith('%')) return quantityNano(text);
  const share = Math.fround(Math.fround(Number(text.slice(0, -1))) / 100);
  return BigInt(Math.trunc(Number(capacity) * share)) * NANO;
}
