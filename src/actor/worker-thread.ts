import { MessageChannel, Worker, type MessagePort, type ResourceLimits } from 'node:worker_threads';
import * as Comlink from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { describeError } from './fault.ts';
import { flightEntries, flightMemory, type FlightEntry } from './flight-recorder.ts';
import type { ThreadControl, ThreadEvents, ThreadStart } from './thread-control.ts';

/** One life of a worker thread, seen from the root supervisor. */
export class WorkerThread {
  readonly name: string;
  readonly life: number;
  readonly worker: Worker;
  /** Resolves with the reason once the thread has ended, however it did. Never rejects. */
  readonly ended: Promise<string>;
  readonly #control: Comlink.Remote<ThreadControl>;
  /** Rejects each call that waits, for when the thread ends. */
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

  /**
   * A call into the thread. Comlink leaves a call pending for ever when its thread ends; here it rejects at once, with
   * the reason.
   */
  call<T>(make: (control: Comlink.Remote<ThreadControl>) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#over) return reject(this.#endedError('earlier'));
      this.#waiting.add(reject);
      make(this.#control)
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(reject));
    });
  }

  /** Hands the thread its end of a link. Only ever a fresh port: a closed one in a message would abort the process. */
  async connect(peer: string, port: MessagePort): Promise<void> {
    await this.call((control) => control.connect(peer, Comlink.transfer(port, [port])));
  }

  /** The last messages its actors have read, oldest first; also when it has died, whatever of. */
  flight(atMost?: number): readonly FlightEntry[] {
    return flightEntries(this.#flight, atMost);
  }

  /** Idempotent. `first` is done before: links are closed, or what is in them would keep its memory. */
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
