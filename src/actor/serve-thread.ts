import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import * as Comlink from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { actorsIn, isCrash } from './child.ts';
import type { FaultSeam } from './fault-seam.ts';
import { describeError } from './fault.ts';
import { runningIncarnation } from './incarnation.ts';
import { portChannel } from './link.ts';
import { metricsText } from './metrics-text.ts';
import { provoke } from './provoke.ts';
import { externalBytes, threadMeter } from './thread-meter.ts';
import type { ThreadControl, ThreadEvents, ThreadStart } from './thread-control.ts';
import { ThreadHost, type ThreadHostOptions } from './thread-host.ts';

/** What the agent contributes to a thread. */
export interface ThreadEnvironment extends Omit<
  ThreadHostOptions,
  'thread' | 'life' | 'report' | 'escalate' | 'flight' | 'provoke'
> {
  readonly metrics?: () => Promise<string>;
  /** Makes of a fault plan what applies it on this thread; `undefined` takes back whatever an earlier plan did here. */
  readonly faults?: (plan: unknown, thread: string) => (FaultSeam & { figures?(): unknown }) | undefined;
}

/**
 * The whole of a worker thread's entry: makes its host and puts it under the root supervisor's control. A rejection ends the
 * thread, which is judged as a death while booting.
 */
export async function serveThread(
  build: (start: ThreadStart) => ThreadEnvironment | Promise<ThreadEnvironment>,
): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('this file is the entry of a worker thread; it is not started by hand');
  process.on('unhandledRejection', (reason) => {
    throw unhandledRejection(reason);
  });
  // Written by the root supervisor, which starts every thread with exactly this.
  const start = workerData as ThreadStart;
  const environment = await build(start);
  const supervisor = Comlink.wrap<ThreadEvents>(nodeEndpoint(eventsPort(start)));
  const toSupervisor = (sent: Promise<unknown>): void => {
    sent.catch((reason: unknown) =>
      environment.log.error({ err: describeError(reason) }, 'the supervisor was not reached'),
    );
  };
  const host = new ThreadHost({
    ...environment,
    thread: start.thread,
    life: start.life,
    flight: start.flight,
    provoke,
    report: (report) => {
      // Orderly ends are many (one a pod) and nobody's trouble; only crashes are told.
      if (isCrash(report)) toSupervisor(supervisor.report(report));
    },
    escalate: (child, reason) => toSupervisor(supervisor.escalate(child, reason)),
  });
  Comlink.expose(threadControl(host, environment, start), nodeEndpoint(port));
}

/** Ends the thread as any rejection does that nobody handles, but says whose it was. */
function unhandledRejection(reason: unknown): Error {
  const whose = runningIncarnation();
  const where = whose === undefined ? 'outside any actor' : `in ${whose.address}, incarnation ${whose.incarnation}`;
  return new Error(`unhandled rejection ${where}: ${describeError(reason)}`);
}

const eventLoopTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const eventsPort = (start: ThreadStart): MessagePort =>
  (start as ThreadStart & { readonly events: MessagePort }).events;

function threadControl(host: ThreadHost, environment: ThreadEnvironment, start: ThreadStart): ThreadControl {
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
      // What they said last leaves with this turn of the event loop; only then may the thread be ended.
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
    metrics: async () => metricsText(figures()) + ((await environment.metrics?.()) ?? ''),
  };
}
