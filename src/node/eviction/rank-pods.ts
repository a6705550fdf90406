import type { Pod } from '../../kube/pod.ts';
import { podRequests } from '../admission/admitted-pods.ts';
import type { PodFigures } from './figures.ts';
import { measuredOn, type FileSystems } from './file-systems.ts';
import { diskUsage, memoryUsage, processCount } from './pod-usage.ts';
import { fileSystemOf, resourceOf, type Signal } from './signals.ts';

/** Returns the figures of a running pod, as far as known. */
export type FiguresOf = (pod: Pod) => PodFigures | undefined;

export interface Ranking {
  readonly signal: Signal;
  readonly fileSystems: FileSystems;
  readonly figuresOf: FiguresOf;
}

/**
 * Returns pods in the order of eviction for a signal. Pods above their request go first, whatever their priority; then
 * lower priorities; then the largest use beyond the request. For process IDs priority comes first. A pod without
 * figures goes before others. The order of the input does not matter.
 */
export function rankPods(pods: readonly Pod[], ranking: Ranking): readonly Pod[] {
  const rank = rankOf(ranking);
  return pods
    .map((pod) => ({ pod, key: rank(pod) }))
    .sort((one, other) => compareKeys(one.key, other.key) || compareText(one.pod.metadata.uid, other.pod.metadata.uid))
    .map(({ pod }) => pod);
}

/** Compared from left to right, smaller first. */
type RankKey = readonly bigint[];

function rankOf({ signal, fileSystems, figuresOf }: Ranking): (pod: Pod) => RankKey {
  const fileSystem = fileSystemOf(signal);
  if (fileSystem !== undefined) {
    const measured = measuredOn(fileSystem, fileSystems);
    return (pod) => {
      const figures = figuresOf(pod);
      if (figures === undefined) return [0n, 0n, priorityOf(pod), 0n];
      const { bytes, inodes } = diskUsage(pod, figures, measured);
      const used = resourceOf(signal) === 'inodes' ? inodes : bytes;
      // Inodes cannot be requested, so any use exceeds the request. The last key subtracts the storage request from
      // either usage.
      const asked = resourceOf(signal) === 'inodes' ? 0n : requested(pod, 'ephemeral-storage');
      return [1n, used > asked ? 0n : 1n, priorityOf(pod), requested(pod, 'ephemeral-storage') - used];
    };
  }
  if (resourceOf(signal) === 'pids') {
    return (pod) => {
      const figures = figuresOf(pod);
      return [
        priorityOf(pod),
        figures === undefined ? 0n : 1n,
        figures === undefined ? 0n : -BigInt(processCount(figures)),
      ];
    };
  }
  return (pod) => {
    const figures = figuresOf(pod);
    if (figures === undefined) return [0n, 0n, priorityOf(pod), 0n];
    const [used, asked] = [memoryUsage(figures), requested(pod, 'memory')];
    return [1n, used > asked ? 0n : 1n, priorityOf(pod), asked - used];
  };
}

const NANO = 1_000_000_000n;
const requested = (pod: Pod, resource: string): bigint => (podRequests(pod).get(resource) ?? 0n) / NANO;

const priorityOf = ({ spec }: Pod): bigint => BigInt(spec.priority ?? 0);

function compareKeys(one: RankKey, other: RankKey): number {
  for (const [index, value] of one.entries()) {
    const against = other[index] ?? 0n;
    if (value !== against) return value < against ? -1 : 1;
  }
  return 0;
}

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
