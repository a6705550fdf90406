import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import * as Comlink from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { isCrash } from '../supervision/child.ts';
import { systemClock } from '../clock.ts';
import { describeError } from '../fault.ts';
import { hostControl, type ThreadEnvironment } from './host-control.ts';
import { runningIncarnation } from '../incarnation.ts';
import { threadMemory, tidyMemoryAtRest } from './memory-at-rest.ts';
import { provoke } from './provoke.ts';
import type { ThreadEvents, ThreadStart } from './thread-control.ts';
import { ThreadHost } from '../thread-host.ts';

/**
 * The whole entry of a worker thread: makes its host and puts it under the root supervisor's control. A rejection ends
 * the thread, which is judged as a death while booting.
 */
export async function serveThread(
  build: (start: ThreadStart) => ThreadEnvironment | Promise<ThreadEnvironment>,
): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('this file is the entry of a worker thread; do not start it by hand');
  process.on('unhandledRejection', (reason) => {
    throw unhandledRejection(reason);
  });
  // The root supervisor starts every thread with exactly this data.
  const start = workerData as ThreadStart;
  const environment = await build(start);
  const supervisor = Comlink.wrap<ThreadEvents>(nodeEndpoint(eventsPort(start)));
  const toSupervisor = (sent: Promise<unknown>): void => {
    sent.catch((reason: unknown) =>
      environment.log.error(
        { err: describeError(reason) },
        'report to the root supervisor was lost; the root supervisor still watches this thread',
      ),
    );
  };
  const host = new ThreadHost({
    ...environment,
    thread: start.thread,
    life: start.life,
    flight: start.flight,
    provoke,
    report: (report) => {
      // Orderly ends are many (one per pod) and harmless; only crashes are reported.
      if (isCrash(report)) toSupervisor(supervisor.report(report));
    },
    escalate: (child, reason) => toSupervisor(supervisor.escalate(child, reason)),
  });
  // Uses the machine's time: a thread under a faulty clock still has the same memory.
  tidyMemoryAtRest(threadMemory(systemClock));
  Comlink.expose(hostControl(host, environment, start), nodeEndpoint(port));
}

/** Ends the thread as any unhandled rejection does, but names the actor behind it. */
function unhandledRejection(reason: unknown): Error {
  const whose = runningIncarnation();
  const where = whose === undefined ? 'outside any actor' : `in ${whose.address}, incarnation ${whose.incarnation}`;
  return new Error(`unhandled rejection ${where}: ${describeError(reason)}`);
}

const eventsPort = (start: ThreadStart): MessagePort =>
  // The root supervisor adds the port to what it starts a thread with.
  (start as ThreadStart & { readonly events: MessagePort }).events;
