import { parseGoDuration } from '../../config/go-duration.ts';
import type { KubeletConfiguration } from '../../config/fields/kubelet-configuration.ts';
import { quantityNano } from '../../kube/quantity.ts';
import type { FileSystems } from './file-systems.ts';
import { isSignal, type Signal } from './signals.ts';

/** When a signal is too low. It is met while less is available than the value says. */
export interface Threshold {
  readonly signal: Signal;
  /** An amount such as `100Mi`, or a share of the capacity such as `10%`. */
  readonly value: string;
  /** How long it has to be met before pods are evicted for it. 0: hard, they are at once. */
  readonly graceMs: number;
  /** How much more than the value has to be available before it counts as no longer met. */
  readonly minReclaim: string | undefined;
}

export const isHard = ({ graceMs }: Threshold): boolean => graceMs === 0;

/** Tells thresholds apart: one signal may have a hard and a soft one. */
export const thresholdKey = ({ signal, graceMs }: Threshold): string => `${signal} ${graceMs === 0 ? 'hard' : 'soft'}`;

export type EvictionSettings = Pick<
  KubeletConfiguration,
  'evictionHard' | 'evictionSoft' | 'evictionSoftGracePeriod' | 'evictionMinimumReclaim' | 'enforceNodeAllocatable'
>;

/** The two values that switch a signal off. */
const OFF: readonly string[] = ['0%', '100%'];

/**
 * The thresholds of a configuration, which has been validated. Where pods are held to what is allocatable, the hard threshold
 * on memory counts for what is left of that as well.
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
 * With thresholds on the file system of containers. Nobody sets them: they are those of the file system that it is part of.
 * Any that were set count for nothing.
 */
export function withContainerFs(thresholds: readonly Threshold[], fileSystems: FileSystems): readonly Threshold[] {
  const from = fileSystems === 'image' ? 'imagefs' : 'nodefs';
  const derived = thresholds.flatMap((each): readonly Threshold[] => {
    if (each.signal === `${from}.available`) return [{ ...each, signal: 'containerfs.available' }];
    return each.signal === `${from}.inodesFree` ? [{ ...each, signal: 'containerfs.inodesFree' }] : [];
  });
  return [...thresholds.filter(({ signal }) => !isOfContainerFs(signal)), ...derived];
}

/** Signals on which a threshold was set that counts for nothing: their user should hear of it. */
export const overruledSignals = (thresholds: readonly Threshold[]): readonly Signal[] =>
  thresholds.map(({ signal }) => signal).filter(isOfContainerFs);

const isOfContainerFs = (signal: Signal): boolean => signal.startsWith('containerfs.');

const NANO = 1_000_000_000n;

/** An amount in 10⁻⁹ units. Shares are taken in single precision, as the kubelet does: both then show the same number. */
export function amountNano(text: string, capacity: bigint): bigint {
  if (!text.endsWith('%')) return quantityNano(text);
  const share = Math.fround(Math.fround(Number(text.slice(0, -1))) / 100);
  return BigInt(Math.trunc(Number(capacity) * share)) * NANO;
}
