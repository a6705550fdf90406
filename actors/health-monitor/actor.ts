import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { Counter } from '../../src/metrics/metric-families.ts';
import type { HealthMonitorProtocol } from './protocol.ts';
import { decideHealth, failingOf, newHealth, type HealthChange, type HealthInput, type HealthState } from './state.ts';

export interface HealthMonitorDeps {
  /** Counts troubles by actor and work. */
  readonly troubles: Counter;
  /** Called when trouble begins, changes or is over. */
  readonly changed: (change: HealthChange) => void;
}

const FORGET_EVERY_MS = 30_000;

/** Knows which duties of the agent fail, and passes that on to the node's status, the metrics and the health checks. */
export class HealthMonitor implements Actor<HealthMonitorProtocol> {
  readonly #context: ActorContext<HealthMonitorProtocol>;
  readonly #deps: HealthMonitorDeps;
  #state: HealthState = newHealth;
  #isArmed = false;

  constructor(context: ActorContext<HealthMonitorProtocol>, deps: HealthMonitorDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  tell(command: HealthMonitorProtocol['command']): void {
    switch (command.type) {
      case 'duty-failing':
        return this.#take({ type: 'failing', actor: command.actor, duty: command.duty });
      case 'duty-working':
        return this.#take({ type: 'working', actor: command.actor, work: command.work });
      case 'forget-due':
        this.#isArmed = false;
        return this.#take({ type: 'forget' });
      default:
        return command satisfies never;
    }
  }

  ask() {
    return this.failing();
  }

  /** All failing duties now. */
  failing() {
    return failingOf(this.#state, this.#context.clock.monotonic());
  }

  #take(input: HealthInput): void {
    const { clock, self } = this.#context;
    const before = this.#state;
    const { state, changes } = decideHealth(before, input, clock.monotonic());
    this.#state = state;
    for (const change of changes) {
      if (input.type === 'failing' && !before.has(change.source)) {
        this.#deps.troubles.add([input.actor, input.duty.work]);
      }
      this.#deps.changed(change);
    }
    if (state.size === 0 || this.#isArmed) return;
    this.#isArmed = true;
    clock.after(FORGET_EVERY_MS, () => self.tell({ type: 'forget-due' }));
  }
}
