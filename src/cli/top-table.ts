import { quantileMs } from '../actor/handler-times.ts';
import type { KindFigures } from '../actor/kind-figures.ts';
import type { ThreadFigures } from '../actor/thread-control.ts';
import { formatTable } from './format-table.ts';

/** The figures of all threads at one instant, in monotonic milliseconds. */
export interface TopSample {
  readonly at: number;
  readonly threads: readonly ThreadFigures[];
}

const MIB = 1024 * 1024;
const UNKNOWN = '-';

/** Both tables: the threads, and the kinds of actors over all threads. Rates are since the sample before, if there is one. */
export function topLines(now: TopSample, before?: TopSample): readonly string[] {
  return [...formatTable(threadRows(now, before)), '', ...formatTable(kindRows(now, before))];
}

function threadRows({ at, threads }: TopSample, before: TopSample | undefined): readonly (readonly string[])[] {
  const cpuPercent = ({ thread, cpuMs, cpuPercent: reported }: ThreadFigures): number => {
    const earlier = before?.threads.find((figures) => figures.thread === thread);
    // A thread that is new has used less than its predecessor.
    if (before === undefined || earlier === undefined || earlier.cpuMs > cpuMs) return reported;
    return ((cpuMs - earlier.cpuMs) / Math.max(1, at - before.at)) * 100;
  };
  return [
    ['THREAD', 'CPU', 'LOOP', 'HEAP', 'EXTERNAL', 'ACTORS', 'WAITING', 'ASKS', 'TIMERS', 'DEAD LETTERS'],
    ...threads.map((figures) => [
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
    ]),
  ];
}

function kindRows({ at, threads }: TopSample, before: TopSample | undefined): readonly (readonly string[])[] {
  const kinds = [...new Set(threads.flatMap(({ kinds }) => Object.keys(kinds)))].toSorted();
  return [
    ['KIND', 'ACTORS', 'WAITING', 'DEEPEST', 'HANDLED', 'RATE', 'P99', 'RESTARTS', 'REFUSED', 'LAST FAULT'],
    ...kinds.map((kind) => {
      const figures = ofKind(threads, kind);
      const handled = sum(figures, 'handled');
      const earlier = before && sum(ofKind(before.threads, kind), 'handled');
      const rate =
        before && earlier !== undefined
          ? Math.max(0, handled - earlier) / Math.max(0.001, (at - before.at) / 1_000)
          : undefined;
      return [
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
    }),
  ];
}

const ofKind = (threads: readonly ThreadFigures[], kind: string): readonly KindFigures[] =>
  threads.flatMap(({ kinds }) => kinds[kind] ?? []);

type Count = 'actors' | 'depth' | 'handled' | 'restarts' | 'refused';
const sum = (figures: readonly KindFigures[], count: Count): number =>
  figures.reduce((total, one) => total + one[count], 0);

/** Within what time a handler was done in all but one of a hundred cases, to a factor of two; over all threads. */
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
