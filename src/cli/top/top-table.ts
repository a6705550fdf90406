import type { MonotonicMs } from '../../actor/clock.ts';
import { quantileMs } from '../../actor/insight/handler-times.ts';
import type { KindFigures } from '../../actor/insight/kind-figures.ts';
import type { ThreadFigures } from '../../actor/threads/thread-control.ts';
import { assertNever } from '../../kube/text/assert-never.ts';
import { own } from '../../kube/text/own.ts';
import { formatTable } from '../terminal/format-table.ts';
import { firstView, type TopView } from './top-view.ts';

/** The figures of all threads at one instant, in monotonic milliseconds. */
export interface TopSample {
  readonly at: MonotonicMs;
  readonly threads: readonly ThreadFigures[];
  /** `namespace/name` of each pod by its UID, when pods are shown. */
  readonly podNames?: ReadonlyMap<string, string>;
}

const MIB = 1024 * 1024;
const UNKNOWN = '-';

/** Returns the tables of a view. Rates are since the sample before, if there is one. */
export function topLines(now: TopSample, before?: TopSample, { show, sort }: TopView = firstView): readonly string[] {
  const threads = (): readonly string[] => table(threadRows(now, before), sort);
  const kinds = (): readonly string[] => table(kindRows(now, before), sort);
  switch (show) {
    case 'all':
      return [...threads(), '', ...kinds()];
    case 'threads':
      return threads();
    case 'actors':
      return kinds();
    case 'pods':
      return table(podRows(now), sort);
    default:
      return assertNever(show, 'table of top');
  }
}

/** A row with its sort key: largest first. */
interface Row {
  readonly cells: readonly string[];
  readonly cpu?: number;
  readonly memory?: number;
  readonly mailbox: number;
  readonly restarts: number;
}

function table(
  [head, rows]: readonly [head: readonly string[], rows: readonly Row[]],
  sort: TopView['sort'],
): readonly string[] {
  const ordered = sort === 'name' ? rows : rows.toSorted((one, other) => (other[sort] ?? 0) - (one[sort] ?? 0));
  return formatTable([head, ...ordered.map(({ cells }) => cells)]);
}

function threadRows(
  { at, threads }: TopSample,
  before: TopSample | undefined,
): readonly [readonly string[], readonly Row[]] {
  const cpuPercent = ({ thread, cpuMs, cpuPercent: reported }: ThreadFigures): number => {
    const earlier = before?.threads.find((figures) => figures.thread === thread);
    // A new thread has used less than its predecessor.
    if (before === undefined || earlier === undefined || earlier.cpuMs > cpuMs) return reported;
    return ((cpuMs - earlier.cpuMs) / Math.max(1, at - before.at)) * 100;
  };
  return [
    ['THREAD', 'CPU', 'LOOP', 'HEAP', 'EXTERNAL', 'ACTORS', 'WAITING', 'ASKS', 'TIMERS', 'DEAD LETTERS'],
    threads.map((figures) => ({
      cells: [
        figures.thread,
        `${cpuPercent(figures).toFixed(1)}%`,
        `${(figures.eventLoopUtilisation * 100).toFixed(1)}%`,
        `${(figures.heapUsedBytes / MIB).toFixed(1)}MiB`,
        `${(figures.externalBytes / MIB).toFixed(1)}MiB`,
        `${sum(Object.values(figures.kinds), 'actors')}`,
        `${sum(Object.values(figures.kinds), 'depth')}`,
        `${figures.pendingAsks}`,
        `${figures.timers}`,
        `${figures.deadLetters}`,
      ],
      cpu: cpuPercent(figures),
      memory: figures.heapUsedBytes + figures.externalBytes,
      mailbox: sum(Object.values(figures.kinds), 'depth'),
      restarts: sum(Object.values(figures.kinds), 'restarts'),
    })),
  ];
}

function kindRows(
  { at, threads }: TopSample,
  before: TopSample | undefined,
): readonly [readonly string[], readonly Row[]] {
  const kinds = [...new Set(threads.flatMap(({ kinds }) => Object.keys(kinds)))].toSorted();
  return [
    ['KIND', 'ACTORS', 'WAITING', 'DEEPEST', 'HANDLED', 'RATE', 'P99', 'RESTARTS', 'REFUSED', 'LAST FAULT'],
    kinds.map((kind) => {
      const figures = ofKind(threads, kind);
      const handled = sum(figures, 'handled');
      const earlier = before && sum(ofKind(before.threads, kind), 'handled');
      const rate =
        before && earlier !== undefined
          ? Math.max(0, handled - earlier) / Math.max(0.001, (at - before.at) / 1_000)
          : undefined;
      const cells = [
        kind,
        `${sum(figures, 'actors')}`,
        `${sum(figures, 'depth')}`,
        `${Math.max(0, ...figures.map(({ deepest }) => deepest))}`,
        `${handled}`,
        rate === undefined ? UNKNOWN : `${rate.toFixed(1)}/s`,
        p99Of(figures),
        `${sum(figures, 'restarts')}`,
        `${sum(figures, 'refused')}`,
        figures.find(({ lastFault }) => lastFault !== undefined)?.lastFault?.split('\n')[0] ?? '',
      ];
      const mailbox = sum(figures, 'depth');
      // The CPU time of a single actor is unknown; the duration of its handlers comes nearest.
      const cpu = figures.reduce((ms, { handlerTimes }) => ms + handlerTimes.sumMs, 0);
      return { cells, cpu, memory: sum(figures, 'actors'), mailbox, restarts: sum(figures, 'restarts') };
    }),
  ];
}

const POD_WORKER = 'pod-worker/';

function podRows({ threads, podNames }: TopSample): readonly [readonly string[], readonly Row[]] {
  const workers = threads.flatMap(({ thread, actors }) =>
    Object.entries(actors)
      .filter(([address]) => address.startsWith(POD_WORKER))
      .map(([address, figures]) => ({ thread, uid: address.slice(POD_WORKER.length), ...figures })),
  );
  const rows = workers.map(({ thread, uid, depth, handled, restarts, lastFault }): Row => {
    const cells = [podNames?.get(uid) ?? uid, thread, `${depth}`, `${handled}`, `${restarts}`];
    return { cells: [...cells, lastFault?.split('\n')[0] ?? ''], cpu: handled, mailbox: depth, restarts };
  });
  const byName = rows.toSorted((one, other) => ((one.cells[0] ?? '') < (other.cells[0] ?? '') ? -1 : 1));
  return [['POD', 'THREAD', 'WAITING', 'HANDLED', 'RESTARTS', 'LAST FAULT'], byName];
}

const ofKind = (threads: readonly ThreadFigures[], kind: string): readonly KindFigures[] =>
  threads.flatMap(({ kinds }) => own(kinds, kind) ?? []);

type Count = 'actors' | 'depth' | 'handled' | 'restarts' | 'refused';
const sum = (figures: readonly KindFigures[], count: Count): number =>
  figures.reduce((total, one) => total + one[count], 0);

/** Returns the 99th percentile of handler durations over all threads, to a factor of two. */
function p99Of(figures: readonly KindFigures[]): string {
  const [first, ...others] = figures.map(({ handlerTimes }) => handlerTimes);
  if (first === undefined) return UNKNOWN;
  const counts = first.counts.map((count, bucket) =>
    others.reduce((total, { counts }) => total + (counts[bucket] ?? 0), count),
  );
  const ms = quantileMs({ counts, sumMs: 0 }, 0.99);
  if (ms === 0) return UNKNOWN;
  return ms < 1 ? `${(ms * 1_000).toFixed(0)}µs` : `${ms.toFixed(ms < 10 ? 1 : 0)}ms`;
}
