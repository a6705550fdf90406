import type { Clock } from '../../../actor/clock.ts';
import type { ContainerEventResponse } from '../../../cri/gen/api.ts';

/** The quality of the event stream: none at all, faithful, or late, lossy and with duplicates. */
export type EventPlan =
  | 'on'
  | 'off'
  | {
      /** Delays every event by this much; it carries the state of when it happened. */
      readonly delayMs?: number;
      /** Every n-th event is lost. */
      readonly dropEvery?: number;
      /** Every n-th event is sent twice. */
      readonly duplicateEvery?: number;
    };

export type EventListener = (event: ContainerEventResponse) => void;

const isNth = (n: number, every: number | undefined): boolean => every !== undefined && every > 0 && n % every === 0;

/** Sends container events to listeners, with the planned faults. */
export class EventFeed {
  readonly plan: EventPlan;
  readonly #clock: Clock;
  readonly #listeners = new Set<EventListener>();
  #count = 0;

  constructor(plan: EventPlan, clock: Clock) {
    this.plan = plan;
    this.#clock = clock;
  }

  /** The returned function ends the subscription. */
  subscribe(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `describe` only if there is a listener: an event carries its whole pod. */
  announce(describe: () => ContainerEventResponse): void {
    if (this.plan === 'off' || this.#listeners.size === 0) return;
    const plan = this.plan === 'on' ? {} : this.plan;
    this.#count += 1;
    if (isNth(this.#count, plan.dropEvery)) return;
    const event = describe();
    const times = isNth(this.#count, plan.duplicateEvery) ? 2 : 1;
    const deliver = (): void => {
      for (let sent = 0; sent < times; sent += 1) for (const listener of this.#listeners) listener(event);
    };
    if (plan.delayMs) this.#clock.after(plan.delayMs, deliver);
    else deliver();
  }
}
