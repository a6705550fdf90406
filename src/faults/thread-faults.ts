import { elapsedMs, type Clock } from '../actor/clock.ts';
import type { FaultSeam, Lift } from '../actor/fault-seam.ts';
import type { Address } from '../actor/messages/message.ts';
import type { Provocation } from '../actor/threads/thread-control.ts';
import type { ApiTransport } from '../api/api-transport.ts';
import type { Cgroups } from '../cgroups/cgroups.ts';
import type { CriTransport } from '../cri/transport.ts';
import type { PodFiles } from '../host/pod-files.ts';
import { FaultEngine, type FaultOrder } from './fault-engine.ts';
import type { FaultAction } from './fault-plan.ts';
import { faultyApiTransport } from './faulty-api-transport.ts';
import { faultyClock } from './faulty-clock.ts';
import { faultyCgroups, faultyFiles } from './faulty-files.ts';
import { faultyTransport } from './faulty-transport.ts';
import { HeldMessages } from './held-messages.ts';
import { messageSeam, provocationOf } from './message-seam.ts';

export interface ThreadFaultsOptions {
  readonly thread: string;
  /** The real clock. */
  readonly clock: Clock;
  /** Makes this thread fail. */
  readonly provoke: (how: Provocation) => void;
  /** Blocks this thread: computing, or waiting. */
  readonly spin: (ms: number) => void;
  readonly block: (ms: number) => void;
}

/** All seams of one thread, and the plans presently applied there. */
export class ThreadFaults {
  readonly clock: Clock;
  readonly #options: ThreadFaultsOptions;
  readonly #held: HeldMessages;
  #engine: FaultEngine | undefined;
  #disarm: (() => void)[] = [];
  readonly #actorsHit = new Map<number, Set<Address>>();

  constructor(options: ThreadFaultsOptions) {
    this.#options = options;
    this.#held = new HeldMessages(options.clock);
    this.clock = faultyClock(options.clock, () => this.#engine);
  }

  /**
   * Applies exactly these plans from now on. Messages and calls held by earlier plans go on. Returns `undefined` when
   * there is nothing to do.
   */
  apply(orders: readonly FaultOrder[]): FaultSeam | undefined {
    const { clock, thread } = this.#options;
    for (const disarm of this.#disarm) disarm();
    this.#disarm = [];
    this.#engine =
      orders.length === 0 ? undefined : new FaultEngine(orders, { thread, clock, actorsHit: (id) => this.#hitBy(id) });
    const present = new Set(orders.map(({ id }) => id));
    this.#held.releaseAllBut(present);
    for (const id of this.#actorsHit.keys()) if (!present.has(id)) this.#actorsHit.delete(id);
    const engine = this.#engine;
    if (engine === undefined) return undefined;
    for (const { at, confirm } of engine.timed()) {
      const fail = (): void => this.#fail(confirm());
      this.#disarm.push(clock.after(Math.max(0, elapsedMs(clock.monotonic(), at)), fail));
    }
    const liftOf = (order: number): Lift => this.#held.liftOf(order);
    const hangThread = (forMs: number): void => this.#fail({ type: 'hang-thread', forMs });
    return engine.watches('mailbox') || engine.watches('link')
      ? messageSeam(engine, { hangThread, liftOf })
      : undefined;
  }

  transport(transport: CriTransport): CriTransport {
    return faultyTransport(transport, { engine: () => this.#engine, clock: this.#options.clock, held: this.#held });
  }

  apiTransport(transport: ApiTransport): ApiTransport {
    return faultyApiTransport(transport, { engine: () => this.#engine, clock: this.#options.clock, held: this.#held });
  }

  files(files: PodFiles): PodFiles {
    return faultyFiles(files, { engine: () => this.#engine, block: this.#options.block });
  }

  cgroups(cgroups: Cgroups): Cgroups {
    return faultyCgroups(cgroups, { engine: () => this.#engine, block: this.#options.block });
  }

  #hitBy(order: number): Set<Address> {
    let hit = this.#actorsHit.get(order);
    if (hit === undefined) this.#actorsHit.set(order, (hit = new Set()));
    return hit;
  }

  #fail(action: FaultAction | undefined): void {
    if (action === undefined) return;
    const { clock, spin, provoke } = this.#options;
    const how = provocationOf(action);
    if (action.type === 'hang-thread' && action.forMs !== undefined) {
      const { forMs } = action;
      clock.after(0, () => spin(forMs));
    } else if (how !== undefined) provoke(how);
  }
}
