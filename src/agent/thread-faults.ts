import { later, type Clock } from '../actor/clock.ts';
import { provoke } from '../actor/threads/provoke.ts';
import type { FaultOrder } from '../faults/fault-engine.ts';
import { ThreadFaults } from '../faults/thread-faults.ts';

/** Returns the fault seams of one thread of the agent. */
export const faultsOfThread = (thread: string, clock: Clock): ThreadFaults =>
  new ThreadFaults({
    thread,
    clock,
    provoke,
    spin(ms) {
      const until = later(clock.monotonic(), ms);
      while (clock.monotonic() < until);
    },
    block: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
  });

/** Casts a thread's orders from the control plane: orders of this agent, or none. */
export const ordersOf = (plan: unknown): readonly FaultOrder[] => (plan ?? []) as readonly FaultOrder[];
