import { actorsIn } from '../supervision/child.ts';
import type { FaultSeam } from '../fault-seam.ts';
import { portChannel } from '../messages/link.ts';
import { metricsText } from '../insight/metrics-text.ts';
import { provoke } from './provoke.ts';
import { externalBytes, threadMeter } from '../insight/thread-meter.ts';
import type { ThreadControl, ThreadStart } from './thread-control.ts';
import { cpuProfile, heapSnapshot } from './thread-profile.ts';
import type { ThreadHost, ThreadHostOptions } from '../thread-host.ts';

/** The agent's contribution to a thread. */
export interface ThreadEnvironment extends Omit<
  ThreadHostOptions,
  'thread' | 'life' | 'report' | 'escalate' | 'flight' | 'provoke'
> {
  readonly metrics?: () => Promise<string>;
  /** Changes the log verbosity of the thread, as `--v`. */
  readonly setVerbosity?: (verbosity: number) => void;
  /** Stores the code that the thread has compiled so far, if there is a cache. */
  readonly keepCompiled?: () => void;
  /**
   * Returns the seam that applies a fault plan on this thread. `undefined` removes the effects of an earlier plan here.
   */
  readonly faults?: (plan: unknown, thread: string) => (FaultSeam & { figures?(): unknown }) | undefined;
}

const eventLoopTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/**
 * Returns the root supervisor's controls of a thread, applied to its host. Gives the thread's own actors their
 * addresses.
 */
export function hostControl(
  host: ThreadHost,
  environment: Pick<ThreadEnvironment, 'clock' | 'faults' | 'keepCompiled' | 'metrics' | 'setVerbosity'>,
  start: Pick<ThreadStart, 'strategy' | 'children'>,
): ThreadControl {
  const tree = host.plant(start.strategy, start.children);
  const lasting = new Set(actorsIn(start.children).map(({ address }) => address));
  const figures = threadMeter(host);
  let seam: ReturnType<NonNullable<ThreadEnvironment['faults']>>;
  return {
    connect: (thread, port) => host.connect(thread, portChannel(port)),
    disconnect: (thread) => host.disconnect(thread),
    startActors: () => tree.start(),
    async stopActors() {
      await host.stopOthers(lasting);
      await tree.stop();
      // The last messages leave with this turn of the event loop. Only after that may the thread be ended.
      await eventLoopTurn();
    },
    ping: () => ({ externalBytes: externalBytes() }),
    figures,
    trace: (trace) => host.trace(trace),
    flight: () => host.flight(),
    crashActor: (address, reason) => host.crashActor(address, new Error(reason)),
    provoke,
    setFaults(plan) {
      seam = environment.faults?.(plan, host.thread);
      host.setFaults(seam);
    },
    faults: () => seam?.figures?.(),
    cpuProfile: (durationMs) => cpuProfile(durationMs, environment.clock),
    heapSnapshot,
    keepCompiled: () => environment.keepCompiled?.(),
    setVerbosity: (verbosity) => environment.setVerbosity?.(verbosity),
    metrics: async () => metricsText(figures()) + ((await environment.metrics?.()) ?? ''),
  };
}
