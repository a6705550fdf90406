import type { Clock, WallMs } from '../../../src/actor/clock.ts';
import type { Pod, PodStatus } from '../../../src/kube/pod.ts';
import { countResult } from './count-result.ts';
import { countStatus } from './count-status.ts';
import type { PodWorkerMetrics, SyncType } from '../metrics.ts';
import type { ActResult, PodWorkerInit } from '../protocol.ts';

/** One worker's share of its thread's counts. */
export class WorkerCount {
  /** `undefined` when nothing is counted. */
  readonly metrics: PodWorkerMetrics | undefined;
  readonly #clock: Clock;
  readonly #handedOverAt: WallMs | undefined;
  #nextSync: SyncType;
  #pullingMs = 0;

  constructor(
    metrics: PodWorkerMetrics | undefined,
    { clock, restarted }: { readonly clock: Clock; readonly restarted: boolean },
    { history, handedOverAt }: PodWorkerInit,
  ) {
    this.#clock = clock;
    this.#nextSync = restarted || history !== 'fresh' ? 'sync' : 'create';
    this.#handedOverAt = handedOverAt;
    this.metrics = metrics && {
      ...metrics,
      pulled: (seconds, sizeBytes) => {
        this.#pullingMs += seconds * 1000;
        metrics.pulled(seconds, sizeBytes);
      },
    };
  }

  podReceived(): void {
    if (this.#nextSync === 'sync') this.#nextSync = 'update';
    else if (this.#nextSync === 'create' && this.#handedOverAt !== undefined)
      this.metrics?.began(Math.max(0, this.#clock.now() - this.#handedOverAt) / 1000);
  }

  published({ pod, status }: { readonly pod: Pod; readonly status: PodStatus }, before: PodStatus | undefined): void {
    if (this.metrics === undefined) return;
    const now = this.#clock.now();
    const [handedOverAt, pullingMs] = [this.#handedOverAt, this.#pullingMs];
    countStatus(this.metrics, { pod, before, status, now, handedOverAt, pullingMs });
  }

  /** Begins a sync attempt. The returned function is called with its result. */
  attempt(pod: Pod): (result: ActResult) => ActResult {
    const ended = this.#timed<ActResult>(this.#nextSync);
    this.#nextSync = 'sync';
    return (result) => {
      if (this.metrics !== undefined) countResult(this.metrics, pod, result);
      return ended(result);
    };
  }

  stop<Result>(): (result: Result) => Result {
    return this.#timed('kill');
  }

  #timed<Result>(type: SyncType): (result: Result) => Result {
    const began = this.#clock.monotonic();
    return (result) => {
      this.metrics?.worked(type, (this.#clock.monotonic() - began) / 1000);
      return result;
    };
  }
}
