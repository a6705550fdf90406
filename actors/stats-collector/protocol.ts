import { addressOf } from '../../src/actor/messages/message.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { MemoryStats, NodeStats, PodStats, Summary } from '../../src/stats/summary.ts';
import type { PodDisk } from '../../src/stats/pod-disk.ts';

/** Commands of the stats collector to itself. */
export type StatsCollectorCommand =
  /** The files of these pods were walked. An empty list: the walk was lost. */
  { readonly type: 'folders-walked'; readonly walked: readonly PodDisk[] };

/**
 * `maxAgeMs`: the oldest acceptable figures; 0 measures for this question, from the time it is asked. Questions share a
 * measurement that is new enough for all of them. Files on disk are walked about once a minute, not for a question. A
 * question with `walkedWithinMs` waits until all its pods were walked within that time, up to a limit. The answer is
 * `undefined` when the runtime does not report what pods use.
 */
export type StatsCollectorQuestion =
  | { readonly type: 'summary'; readonly maxAgeMs: number; readonly extent: Extent }
  /** The summary as JSON text: cheaper to send to another thread. */
  | { readonly type: 'summary-text'; readonly maxAgeMs: number; readonly extent: Extent }
  | { readonly type: 'node-stats'; readonly maxAgeMs: number }
  | {
      readonly type: 'pod-stats';
      readonly maxAgeMs: number;
      readonly of: 'all' | readonly PodUid[];
      readonly walkedWithinMs?: number;
    }
  /** The node's memory alone, from a few small reads. Always measured for the question. */
  | { readonly type: 'node-memory' }
  /** Asks which file systems hold the node's files. */
  | { readonly type: 'disk-devices' }
  /** Prometheus text of `/metrics/resource`. */
  | { readonly type: 'resource-metrics'; readonly maxAgeMs: number }
  /** Prometheus text of `/metrics/cadvisor`. */
  | { readonly type: 'cadvisor-metrics'; readonly maxAgeMs: number };

export type Extent = 'everything' | 'cpu-and-memory';

/** Devices of the root folder, the images and the writable layers, as `stat` numbers them. `undefined` when unknown. */
export interface DiskDevices {
  readonly root: number | undefined;
  readonly images: number | undefined;
  readonly containers: number | undefined;
}

export interface StatsCollectorProtocol {
  readonly command: StatsCollectorCommand;
  readonly question: StatsCollectorQuestion;
  readonly answers: {
    readonly summary: Summary | undefined;
    readonly 'summary-text': string | undefined;
    readonly 'node-stats': NodeStats;
    /** Pods without figures are left out. */
    readonly 'pod-stats': readonly PodStats[] | undefined;
    readonly 'node-memory': { readonly memory?: MemoryStats };
    readonly 'disk-devices': DiskDevices;
    readonly 'resource-metrics': string;
    readonly 'cadvisor-metrics': string;
  };
}

export const STATS_COLLECTOR = addressOf<StatsCollectorProtocol>('stats-collector');
