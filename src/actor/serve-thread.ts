import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import * as Comlink from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import type { ChildSpec } from './child.ts';
import { describeError } from './fault.ts';
import { portChannel } from './link.ts';
import type { ThreadControl, ThreadEvents, ThreadFigures, ThreadStart } from './thread-control.ts';
import { ThreadHost, type ThreadHostOptions } from './thread-host.ts';

/** What the agent contributes to a thread. */
export interface ThreadEnvironment extends Omit<ThreadHostOptions, 'thread' | 'life' | 'report' | 'escalate'> {
  readonly metrics?: () => Promise<string>;
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
    report: (report) => {
      // Orderly ends are many (one a pod) and nobody's trouble; only crashes are told.
      if (report.verdict === 'restart' || report.verdict === 'escalate') toSupervisor(supervisor.report(report));
    },
    escalate: (child, reason) => toSupervisor(supervisor.escalate(child, reason)),
  });
  Comlink.expose(threadControl(host, environment, start.actors), nodeEndpoint(port));
}

const eventLoopTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const eventsPort = (start: ThreadStart): MessagePort =>
  (start as ThreadStart & { readonly events: MessagePort }).events;

function threadControl(host: ThreadHost, environment: ThreadEnvironment, actors: readonly ChildSpec[]): ThreadControl {
  for (const spec of actors) host.register(spec);
  return {
    connect: (thread, port) => host.connect(thread, portChannel(port)),
    disconnect: (thread) => host.disconnect(thread),
    async startActors() {
      for (const spec of actors) await host.startActor(spec);
    },
    async stopActors() {
      await host.stopOthers(new Set(actors.map((spec) => spec.address)));
      for (const spec of actors.toReversed()) await host.stopActor(spec.address);
      // What they said last leaves with this turn of the event loop; only then may the thread be ended.
      await eventLoopTurn();
    },
    ping: () => true,
    figures: () => threadFigures(host),
    crashActor: (address, reason) => host.crashActor(address, new Error(reason)),
    provoke(how) {
      switch (how) {
        case 'exit':
          process.exit(1);
        case 'throw':
          setImmediate(() => {
            throw new Error('thread made to fail on purpose');
          });
          break;
        case 'hang':
          setImmediate(() => {
            for (;;);
          });
      }
    },
    metrics: () => environment.metrics?.() ?? Promise.resolve(''),
  };
}

export function threadFigures(host: ThreadHost): ThreadFigures {
  const { heapUsed, external } = process.memoryUsage();
  const cpu = process.threadCpuUsage();
  return {
    thread: host.thread,
    heapUsedBytes: heapUsed,
    externalBytes: external,
    cpuMs: (cpu.user + cpu.system) / 1000,
    ...host.figures(),
  };
}
