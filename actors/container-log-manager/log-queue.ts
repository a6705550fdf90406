/** A log that has to be handled, beside whose it is. */
export interface LogToHandle {
  readonly containerId: string;
  readonly path: string;
  readonly why: 'large' | 'missing';
}

/** How long a log that could not be handled is left in peace: longer each time, so that one that never can be costs nothing. */
const FIRST_REST_MS = 30_000;
const LONGEST_REST_MS = 600_000;

interface Rest {
  readonly until: number;
  readonly ms: number;
}

/**
 * Which logs are handled now: so many at once, none twice at once, none again right after it failed. Knows nothing of files or
 * the runtime; instants are monotonic milliseconds.
 */
export class LogQueue {
  readonly #atOnce: number;
  #waiting: readonly LogToHandle[] = [];
  /** Of the waiting ones: those before it have had their turn, or were passed over until they are found again. */
  #next = 0;
  readonly #underWay = new Set<string>();
  readonly #resting = new Map<string, Rest>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** All that was found in one look, in place of what was found before. `running`: whoever else is remembered is forgotten. */
  found(logs: readonly LogToHandle[], running: { has(containerId: string): boolean }): void {
    this.#waiting = logs;
    this.#next = 0;
    for (const id of this.#resting.keys()) if (!running.has(id)) this.#resting.delete(id);
  }

  /** The next to begin with; undefined: none for now. */
  next(now: number): LogToHandle | undefined {
    if (this.#underWay.size >= this.#atOnce) return undefined;
    while (this.#next < this.#waiting.length) {
      const log = this.#waiting[this.#next++];
      if (log === undefined || !this.#mayBegin(log.containerId, now)) continue;
      this.#underWay.add(log.containerId);
      return log;
    }
    return undefined;
  }

  #mayBegin(id: string, now: number): boolean {
    return !this.#underWay.has(id) && (this.#resting.get(id)?.until ?? 0) <= now;
  }

  /** `well`: whether there is no reason to leave it in peace for a while. */
  ended(id: string, { well, now }: { readonly well: boolean; readonly now: number }): void {
    this.#underWay.delete(id);
    if (well) return void this.#resting.delete(id);
    const ms = Math.min(LONGEST_REST_MS, (this.#resting.get(id)?.ms ?? FIRST_REST_MS / 2) * 2);
    this.#resting.set(id, { ms, until: now + ms });
  }
}
