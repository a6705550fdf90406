import { later, type MonotonicMs } from '../../src/actor/clock.ts';
import { nextBackOffMs } from '../../src/actor/back-off.ts';

/** A log to handle, and its container. */
export interface LogToHandle {
  readonly containerId: string;
  readonly path: string;
  readonly why: 'large' | 'missing';
}

/**
 * How long a log that could not be handled is left alone. The rest doubles each time, so that a hopeless log costs
 * nothing.
 */
export const REST = { initialMs: 30_000, maxMs: 600_000 };

interface Rest {
  readonly until: MonotonicMs;
  readonly ms: number;
}

/**
 * Decides which logs are handled now: at most `atOnce` at a time, no log twice at once, no log right after it failed.
 * Knows nothing of files or the runtime; instants are monotonic milliseconds.
 */
export class LogQueue {
  readonly #atOnce: number;
  #waiting: readonly LogToHandle[] = [];
  /** Index into the waiting logs. Logs before it had their turn, or are skipped until the next check finds them. */
  #next = 0;
  readonly #underWay = new Set<string>();
  readonly #resting = new Map<string, Rest>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /**
   * Replaces the logs of the previous check by those of this check. Rests of containers that are not `running` are
   * dropped.
   */
  found(logs: readonly LogToHandle[], running: { has(containerId: string): boolean }): void {
    this.#waiting = logs;
    this.#next = 0;
    for (const id of this.#resting.keys()) if (!running.has(id)) this.#resting.delete(id);
  }

  /** The next log to handle; `undefined` when none may begin now. */
  next(now: MonotonicMs): LogToHandle | undefined {
    if (this.#underWay.size >= this.#atOnce) return undefined;
    while (this.#next < this.#waiting.length) {
      const log = this.#waiting[this.#next++];
      if (log === undefined || !this.#mayBegin(log.containerId, now)) continue;
      this.#underWay.add(log.containerId);
      return log;
    }
    return undefined;
  }

  #mayBegin(id: string, now: MonotonicMs): boolean {
    return !this.#underWay.has(id) && (this.#resting.get(id)?.until ?? 0) <= now;
  }

  /** `well`: `true` if the log needs no rest. */
  ended(id: string, { well, now }: { readonly well: boolean; readonly now: MonotonicMs }): void {
    this.#underWay.delete(id);
    if (well) return void this.#resting.delete(id);
    const ms = nextBackOffMs(this.#resting.get(id)?.ms ?? 0, REST);
    this.#resting.set(id, { ms, until: later(now, ms) });
  }
}
