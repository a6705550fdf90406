import { addressOf } from '../../src/actor/messages/message.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import type { MemoryStats, NodeStats, PodStats, Summary } from '../../src/stats/summary.ts';
import type { PodDisk } from '../../src/stats/pod-disk.ts';

/** What the stats collector can be told. All of it comes from itself. */
export type StatsCollectorCommand =
  /** The files of these pods were walked; none: the walk was lost. */
  { readonly type: 'folders-walked'; readonly walked: readonly PodDisk[] };

/**
 * `maxAgeMs`: figures that are no older will do; 0: measured for this question, from when it is asked. Questions share
 * a measurement that serves them all. What lies on disks below pods is walked every minute or so, and not for a question:
 * but for one that says `walkedWithinMs`, which waits until all its pods have been walked no longer ago than that, or a while has passed.
 * Undefined is answered where the runtime does not say what pods use.
 */
export type StatsCollectorQuestion =
  | { readonly type: 'summary'; readonly maxAgeMs: number; readonly extent: Extent }
  /** The summary as JSON: cheaper to hand to another thread. */
  | { readonly type: 'summary-text'; readonly maxAgeMs: number; readonly extent: Extent }
  | { readonly type: 'node-stats'; readonly maxAgeMs: number }
  | {
      readonly type: 'pod-stats';
      readonly maxAgeMs: number;
      readonly of: 'all' | readonly PodUid[];
      readonly walkedWithinMs?: number;
    }
  /** The node's memory alone: a few small reads. Always measured anew. */
  | { readonly type: 'node-memory' }
  /** Which file systems the node's files are on. */
  | { readonly type: 'disk-devices' }
  /** Prometheus text of `/metrics/resource`. */
  | { readonly type: 'resource-metrics'; readonly maxAgeMs: number }
  /** Prometheus text of `/metrics/cadvisor`. */
  | { readonly type: 'cadvisor-metrics'; readonly maxAgeMs: number };

export type Extent = 'everything' | 'cpu-and-memory';

/** Devices that hold the root folder, the images and the writable layers, as `stat` numbers them; undefined: not known. */
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
    /** One of which nothing is known is left out. */
    readonly 'pod-stats': readonly PodStats[] | undefined;
    readonly 'node-memory': { readonly memory?: MemoryStats };
    readonly 'disk-devices': DiskDevices;
    readonly 'resource-metrics': string;
    readonly 'cadvisor-metrics': string;
  };
}

export const STATS_COLLECTOR = addressOf<StatsCollectorProtocol>('stats-collector');
