import type { Clock } from '../../../actor/clock.ts';
import type { ContainerEventResponse } from '../../../cri/gen/api.ts';

/** How faithful the event stream is: none at all, faithful, or late, lossy and repeating itself. */
export type EventPlan =
  | 'on'
  | 'off'
  | {
      /** Every event comes this much later, telling the state of when it happened. */
      readonly delayMs?: number;
      /** Every n-th event is lost. */
      readonly dropEvery?: number;
      /** Every n-th event comes twice. */
      readonly duplicateEvery?: number;
    };

export type EventListener = (event: ContainerEventResponse) => void;

const isNth = (n: number, every: number | undefined): boolean => every !== undefined && every > 0 && n % every === 0;

/** Hands container events to whoever listens, as well or as badly as planned. */
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

  /** `describe` is called only if somebody listens: an event carries its whole pod. */
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
