import type { CriOutcome } from '../../../src/cri/fault.ts';
import { criMethods, type CriMethodName } from '../../../src/cri/methods.ts';
import type { CriTransport } from '../../../src/cri/transport.ts';
import { SimulatedRuntime } from '../../simulation/node/simulated-runtime.ts';
import type { ThreadLife } from '../../simulation/node/simulated-thread.ts';

/** The answer that the agent gets in place of the runtime's answer. */
export type TwistAnswer = (method: CriMethodName, outcome: CriOutcome<Uint8Array>) => CriOutcome<Uint8Array>;

const methodOf = new Map(Object.entries(criMethods).map(([name, { path }]) => [path, name as CriMethodName]));

/** The embedded runtime behind a proxy that changes answers and adds events. */
export class HostileRuntime extends SimulatedRuntime {
  answer: TwistAnswer = (_, outcome) => outcome;
  readonly #listeners = new Set<(bytes: Uint8Array) => void>();

  override transportFor(life: ThreadLife): CriTransport {
    const inner = super.transportFor(life);
    return {
      unary: async (path, request, timeoutMs) => {
        const outcome = await inner.unary(path, request, timeoutMs);
        const method = methodOf.get(path);
        return method === undefined ? outcome : this.answer(method, outcome);
      },
      containerEvents: (listener) => {
        const event = (bytes: Uint8Array): void => listener.event(bytes);
        this.#listeners.add(event);
        const close = inner.containerEvents({
          event,
          ended: (fault) => {
            this.#listeners.delete(event);
            listener.ended(fault);
          },
        });
        return () => {
          this.#listeners.delete(event);
          close();
        };
      },
      close: () => inner.close(),
    };
  }

  /** Sends bytes as an event of a container. */
  sendEvent(bytes: Uint8Array): void {
    for (const event of this.#listeners) event(new Uint8Array(bytes));
  }
}
