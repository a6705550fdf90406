import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { UptimeProtocol } from './protocol.ts';
import { uptimeMs } from './state.ts';

/** Answers how long it has run. */
export class Uptime implements Actor<UptimeProtocol> {
  readonly #context: ActorContext<UptimeProtocol>;
  readonly #startedAt: number;

  constructor(context: ActorContext<UptimeProtocol>) {
    this.#context = context;
    this.#startedAt = context.clock.monotonic();
  }

  tell(): void {}

  ask(): number {
    return uptimeMs(this.#startedAt, this.#context.clock.monotonic());
  }
}
