import { MessageChannel, Worker, type MessagePort, type ResourceLimits } from 'node:worker_threads';
import * as Comlink from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { describeError } from '../fault.ts';
import { flightEntries, flightMemory, type FlightEntry } from '../insight/flight-recorder.ts';
import { portChannel } from '../messages/link.ts';
import type { LiveThread, RemoteControl, ThreadMaker } from './live-thread.ts';
import type { ThreadControl, ThreadEvents, ThreadStart } from './thread-control.ts';

/** Makes threads of this process. Each starts with the file `entry`. */
export const workerThreads = (entry: URL): ThreadMaker<MessagePort> => ({
  start: (start, limits, events) => new WorkerThread({ ...start, entry }, limits, events),
  channel() {
    const { port1, port2 } = new MessageChannel();
    return [port1, port2];
  },
  use: portChannel,
});

/** V8 interrupts the thread for this, so that an endless loop does not hide the thread's memory. */
export async function workerMemory(worker: Worker): ReturnType<LiveThread<MessagePort>['memory']> {
  const { used_heap_size: heapUsedBytes, external_memory: externalBytes } = await worker.getHeapStatistics();
  return { heapUsedBytes, externalBytes };
}

class WorkerThread implements LiveThread<MessagePort> {
  readonly name: string;
  readonly life: number;
  readonly worker: Worker;
  readonly ended: Promise<string>;
  readonly #control: Comlink.Remote<ThreadControl>;
  /** Rejects each waiting call when the thread ends. */
  readonly #waiting = new Set<(reason: Error) => void>();
  #fault: string | undefined;
  #over = false;

  readonly #flight = flightMemory();
  #ending: Promise<void> | undefined;

  constructor(
    start: Omit<ThreadStart, 'flight'> & { readonly entry: URL },
    resourceLimits: ResourceLimits,
    events: ThreadEvents,
  ) {
    this.name = start.thread;
    this.life = start.life;
    const { port1, port2 } = new MessageChannel();
    Comlink.expose(events, nodeEndpoint(port1));
    const { entry, ...rest } = start;
    this.worker = new Worker(entry, {
      name: start.thread,
      workerData: { ...rest, flight: this.#flight, events: port2 },
      transferList: [port2],
      resourceLimits,
    });
    this.#control = Comlink.wrap<ThreadControl>(nodeEndpoint(this.worker));
    this.worker.on('error', (error) => (this.#fault = describeError(error)));
    this.ended = new Promise((resolve) => {
      this.worker.once('exit', (code) => {
        this.#over = true;
        port1.close();
        const reason = this.#fault ?? `exit code ${code}`;
        for (const reject of this.#waiting) reject(this.#endedError(reason));
        this.#waiting.clear();
        resolve(reason);
      });
    });
  }

  get over(): boolean {
    return this.#over;
  }

  memory(): ReturnType<LiveThread<MessagePort>['memory']> {
    return workerMemory(this.worker);
  }

  /** Comlink leaves a call pending for ever when its thread ends. Here the call rejects at once, with the reason. */
  call<T>(make: (control: RemoteControl) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#over) return reject(this.#endedError('earlier'));
      this.#waiting.add(reject);
      make(this.#control)
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(reject));
    });
  }

  /** A closed port would abort the process. */
  async connect(peer: string, port: MessagePort): Promise<void> {
    await this.call((control) => control.connect(peer, Comlink.transfer(port, [port])));
  }

  flight(atMost?: number): readonly FlightEntry[] {
    return flightEntries(this.#flight, atMost);
  }

  terminate(first?: () => Promise<void>): Promise<void> {
    this.#ending ??= (async () => {
      await first?.();
      await this.worker.terminate();
    })();
    return this.#ending;
  }

  #endedError(reason: string): Error {
    return new Error(`thread ${this.name} ended: ${reason}`);
  }
}
