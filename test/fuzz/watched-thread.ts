import { Worker } from 'node:worker_threads';
import type { Clock } from '../../src/actor/clock.ts';
import type { FieldViolation, TargetReport } from './fuzz-loop.ts';
import type { ThreadAnswer, ThreadOrder } from './fuzz-thread.ts';
import { frameOf } from './oracle.ts';
import { SharedCase } from './shared-case.ts';

export interface FuzzOrder {
  readonly target: string;
  readonly seed: number;
  readonly seconds: number;
  readonly path?: string | undefined;
}

export interface WatchedReport extends TargetReport {
  /** The most memory that the process held during the run, with all its threads. */
  readonly peakMiB: number;
}

/** A case takes milliseconds. A case with this much CPU time counts as endless. */
const HUNG_CPU_MS = 10_000;
/** A case that waits this long counts as hung, also on a busy machine. */
const HUNG_MS = 60_000;
/** The time for a thread to load and open its target, on a busy machine. */
const OPENED_WITHIN_MS = 300_000;
const LOOK_EVERY_MS = 100;
const MIB = 1024 * 1024;
/** The heap limit of the thread that runs cases; above it the thread is lost. */
const HEAP_MIB = 768;
/** A bound for the process above the need of any two targets. */
const MOST_RSS_MIB = 2_048;

/** Fuzzes one target on a thread of its own. A thread that is lost is a finding, and another thread continues. */
export async function fuzzWatched(order: FuzzOrder, clock: Clock): Promise<WatchedReport> {
  const until = clock.monotonic() + order.seconds * 1_000;
  const reports: TargetReport[] = [];
  let peakMiB = 0;
  for (let life = 0; ; life++) {
    const ms = until - clock.monotonic();
    if (life > 0 && (ms < 1_000 || life > MOST_LIVES)) break;
    const seed = (order.seed + life * 7_919) | 0;
    const lived = await live({ ...order, seed, ms: Math.max(ms, 1) }, clock);
    peakMiB = Math.max(peakMiB, lived.peakMiB);
    reports.push(lived.report);
    if (!lived.wasLost) break;
  }
  return { ...sum(order.target, reports), peakMiB };
}

/** The most lost threads of one run. Further losses show nothing new. */
const MOST_LIVES = 5;

interface Life {
  readonly report: TargetReport;
  readonly peakMiB: number;
  readonly wasLost: boolean;
}

function live({ target, seed, ms, path }: FuzzOrder & { readonly ms: number }, clock: Clock): Promise<Life> {
  const shared = new SharedCase();
  const workerData: ThreadOrder = { target, seed, ms, path, memory: shared.memory };
  const worker = new Worker(new URL('./fuzz-thread.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  return new Promise((resolve) => {
    let peakMiB = 0;
    let seen = { count: -1, at: clock.monotonic(), cpu: processMs() };
    let isOver = false;
    let stopLooking = (): void => {};
    const end = (report: TargetReport, wasLost: boolean): void => {
      if (isOver) return;
      isOver = true;
      stopLooking();
      void worker.terminate().then(() => resolve({ report, peakMiB, wasLost }));
    };
    const lost = (where: string, detail: string): void => {
      const finding: FieldViolation = {
        target,
        problem: { kind: 'thread-lost', where, detail: detail.slice(0, 1_000) },
        found: { seed, number: shared.count, path: '' },
        case: shared.latest,
      };
      end({ target, cases: shared.count, outcomes: 0, slowestMs: 0, slowest: '', findings: [finding] }, true);
    };
    const look = (): void => {
      const now = clock.monotonic();
      const rss = process.memoryUsage.rss() / MIB;
      peakMiB = Math.max(peakMiB, Math.round(rss));
      if (shared.count !== seen.count) seen = { count: shared.count, at: now, cpu: processMs() };
      const [waited, used] = [now - seen.at, processMs() - seen.cpu];
      const isHung = waited > (shared.count === 0 ? OPENED_WITHIN_MS : HUNG_MS);
      if (isHung || (shared.count > 0 && waited > HUNG_CPU_MS && used > HUNG_CPU_MS)) {
        return lost('hangs', `one case took more than ${Math.round(waited)} ms`);
      }
      if (rss > MOST_RSS_MIB) return lost('memory', `the process holds ${Math.round(rss)} MiB`);
      stopLooking = clock.after(LOOK_EVERY_MS, look);
    };
    look();
    worker.on('message', (report: ThreadAnswer) => end(report, false));
    worker.on('error', (error: unknown) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      lost(frameOf(text), text);
    });
    worker.on('exit', (code) => lost('exit', `the thread ended with code ${code}`));
  });
}

/** Milliseconds of processor time of all threads. */
const processMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

function sum(target: string, reports: readonly TargetReport[]): TargetReport {
  const slowest = reports.toSorted((one, other) => other.slowestMs - one.slowestMs)[0];
  return {
    target,
    cases: reports.reduce((total, { cases }) => total + cases, 0),
    outcomes: Math.max(0, ...reports.map(({ outcomes }) => outcomes)),
    slowestMs: slowest?.slowestMs ?? 0,
    slowest: slowest?.slowest ?? '',
    findings: reports.flatMap(({ findings }) => findings),
  };
}
