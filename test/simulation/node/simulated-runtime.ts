import type { Random } from '../../../src/actor/random.ts';
import { criFaultCode, type CriFault, type CriOutcome } from '../../../src/cri/fault.ts';
import { ContainerEventResponse } from '../../../src/cri/gen/api.ts';
import { criMethods, type CriMethod, type CriMethodName } from '../../../src/cri/methods.ts';
import type { CriTransport } from '../../../src/cri/transport.ts';
import type { Caller } from '../../../src/embedded/runtime/calls/caller.ts';
import { RuntimeCore, type RuntimeSettings } from '../../../src/embedded/runtime/runtime-core.ts';
import { GRPC_CODES, RuntimeError } from '../../../src/embedded/runtime/runtime-error.ts';
import { seededIds } from '../../../src/embedded/runtime/inventory/ids.ts';
import type { MemoryFiles } from './memory-files.ts';
import type { ThreadLife } from './simulated-thread.ts';
import { newOwner, Queue, type Owner, type VirtualTime } from './virtual-time.ts';

/** The current faults of the runtime. */
export interface RuntimeWeather {
  /** The runtime does not listen on its socket. */
  down: boolean;
  /** The latency of a call, each way. */
  typicalMs: number;
  /** The shares of calls that fail without effect, fail after their effect, or are never answered. */
  failing: { readonly method: CriMethodName | '*'; readonly how: 'before' | 'after' | 'lost'; readonly rate: number }[];
  events: { readonly lost: number; readonly doubled: number; readonly delayMs: number };
}

export interface CallSeen {
  readonly method: CriMethodName;
  readonly request: Uint8Array;
  readonly life: ThreadLife;
}

/** Watches the calls on their way into the runtime and back. */
export interface CallWatcher {
  began(call: CallSeen): void;
  ended(call: CallSeen, outcome: CriOutcome<Uint8Array>): void;
  /** The caller died before the answer. */
  cut(call: CallSeen): void;
}

/** A test switch: replaces the runtime's answer to the agent. */
export type TwistOutcome = (method: CriMethodName, outcome: CriOutcome<Uint8Array>) => CriOutcome<Uint8Array>;

interface Flight {
  settle(outcome: CriOutcome<Uint8Array>): void;
}

const nameOf = new Map(Object.entries(criMethods).map(([name, { path }]) => [path, name as CriMethodName]));
const unavailable = (detail: string): CriOutcome<never> => ({ ok: false, fault: { code: 'UNAVAILABLE', detail } });

/** The embedded runtime on the virtual clock, and its clients. The runtime outlives the agent. */
export class SimulatedRuntime {
  readonly core: RuntimeCore;
  readonly weather: RuntimeWeather = {
    down: false,
    typicalMs: 0.3,
    failing: [],
    events: { lost: 0, doubled: 0, delayMs: 0 },
  };
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #owner: Owner = newOwner('runtime');
  readonly #watcher: CallWatcher;
  readonly #twist: TwistOutcome;
  readonly #eventsAreOff: boolean;
  readonly #flights = new Set<Flight>();
  readonly #streams = new Set<(fault: CriFault) => void>();

  constructor(
    time: VirtualTime,
    options: {
      readonly seed: number;
      readonly files: MemoryFiles;
      readonly settings: RuntimeSettings;
      readonly random: Random;
      readonly watcher: CallWatcher;
      readonly twist: TwistOutcome;
    },
  ) {
    this.#time = time;
    this.#random = options.random;
    this.#watcher = options.watcher;
    this.#twist = options.twist;
    this.#eventsAreOff = options.settings.events === 'off';
    this.core = new RuntimeCore(
      { clock: time.clockOf(this.#owner), nextId: seededIds(options.seed), files: options.files },
      options.settings,
    );
  }

  /** Ends the runtime's process. Calls that it had begun still take effect, and containers keep running. */
  goDown(): void {
    this.weather.down = true;
    for (const flight of this.#flights) flight.settle(unavailable('the connection was closed'));
    this.cutStreams();
  }

  comeUp(): void {
    this.weather.down = false;
  }

  cutStreams(): void {
    for (const cut of this.#streams) cut({ code: 'UNAVAILABLE', detail: 'the stream was cut' });
  }

  /** The client for one incarnation of the gateway's thread. */
  transportFor(life: ThreadLife): CriTransport {
    let closeStream = (): void => {};
    return {
      unary: (path, request, timeoutMs) => {
        const method = nameOf.get(path);
        if (method === undefined) throw new Error(`no such call: ${path}`);
        return this.#unary({ method, request, life }, timeoutMs);
      },
      containerEvents: (listener) => {
        closeStream();
        closeStream = this.#containerEvents(life, listener);
        return closeStream;
      },
      close() {},
    };
  }

  #unary(call: CallSeen, timeoutMs: number | undefined): Promise<CriOutcome<Uint8Array>> {
    const { life, method } = call;
    const time = this.#time;
    this.#watcher.began(call);
    return new Promise((resolve) => {
      const leaving: (() => void)[] = [];
      let gone = false;
      const leave = (): void => {
        gone = true;
        for (const each of leaving.splice(0)) each();
      };
      let over = false;
      const flight: Flight = {
        settle: (outcome) => {
          if (over) return;
          over = true;
          this.#flights.delete(flight);
          if (deadline !== undefined) deadline.run = undefined;
          time.in(this.#way(), life.owner, {
            label: `${method} ${outcome.ok ? 'ok' : outcome.fault.code}`,
            run: () => {
              const told = this.#twist(method, outcome);
              this.#watcher.ended(call, told);
              resolve(told);
            },
          });
          leave();
        },
      };
      this.#flights.add(flight);
      const late = (): void =>
        flight.settle({ ok: false, fault: { code: 'DEADLINE_EXCEEDED', detail: 'no answer in time' } });
      const deadline =
        timeoutMs === undefined ? undefined : time.in(timeoutMs, life.owner, { label: `${method} late`, run: late });
      life.whenOver.push(() => {
        if (over) return;
        over = true;
        this.#flights.delete(flight);
        this.#watcher.cut(call);
        leave();
      });
      const caller: Caller = { whenGone: (left) => (gone ? left() : void leaving.push(left)) };
      time.in(this.#way(), this.#owner, { label: method, run: () => this.#serve(call, caller, flight) });
    });
  }

  #serve({ method, request }: CallSeen, caller: Caller, flight: Flight): void {
    if (this.weather.down) return flight.settle(unavailable('connection refused'));
    const failing = this.weather.failing.find(
      (rule) => (rule.method === '*' || rule.method === method) && this.#random() < rule.rate,
    );
    if (failing?.how === 'before') {
      return flight.settle({ ok: false, fault: { code: 'UNKNOWN', detail: `${method} was made to fail` } });
    }
    const answer = async (): Promise<void> => {
      const outcome = await this.#answer(method, request, caller);
      if (failing === undefined) flight.settle(outcome);
      else if (failing.how === 'after') flight.settle(unavailable(`the answer to ${method} was lost`));
    };
    void answer();
  }

  async #answer(name: CriMethodName, request: Uint8Array, caller: Caller): Promise<CriOutcome<Uint8Array>> {
    // The table pairs each method with its own codecs; only the union over all methods loses sight of that.
    const method = criMethods[name] as CriMethod<unknown, unknown>;
    try {
      const answer = await this.#ask(name, method.request.decode(request), caller);
      // The runtime returns lists as encoded bytes, which it caches.
      const bytes = answer instanceof Uint8Array ? new Uint8Array(answer) : method.response.encode(answer).finish();
      return { ok: true, value: bytes };
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      return { ok: false, fault: { code: criFaultCode(GRPC_CODES[error.code]), detail: error.message } };
    }
  }

  #ask(name: CriMethodName, request: unknown, caller: Caller): unknown {
    const { core } = this;
    const encoded: Partial<Record<CriMethodName, string>> = {
      ListContainers: 'listContainersEncoded',
      ListPodSandbox: 'listPodSandboxEncoded',
    };
    const method = encoded[name] ?? name.charAt(0).toLowerCase() + name.slice(1);
    // The runtime's methods are named after the calls, and so typed where they are defined.
    const service = (method in core ? core : core.images) as unknown as Record<
      string,
      (request: unknown, caller: Caller) => unknown
    >;
    const call = service[method];
    if (call === undefined) throw new RuntimeError('Unimplemented', name);
    return call.call(service, request, caller);
  }

  #containerEvents(
    life: ThreadLife,
    listener: { event(bytes: Uint8Array): void; ended(fault: CriFault): void },
  ): () => void {
    const queue = new Queue();
    const onWay = (label: string, delayMs: number, run: () => void): void => {
      this.#time.at(queue.after(this.#time.now + this.#way() + delayMs), life.owner, {
        label,
        run: () => (over ? undefined : run()),
      });
    };
    let over = false;
    let broken = false;
    let unsubscribe: () => void = () => {};
    const cut = (fault: CriFault): void => {
      broken = true;
      unsubscribe();
      this.#streams.delete(cut);
      onWay('stream ended', 0, () => {
        over = true;
        listener.ended(fault);
      });
    };
    this.#streams.add(cut);
    const close = (): void => {
      over = true;
      unsubscribe();
      this.#streams.delete(cut);
    };
    life.whenOver.push(close);
    this.#time.in(this.#way(), this.#owner, {
      label: 'open stream',
      run: () => {
        if (over || broken) return;
        if (this.weather.down) return cut({ code: 'UNAVAILABLE', detail: 'connection refused' });
        if (this.#eventsAreOff) return cut({ code: 'UNIMPLEMENTED', detail: 'this runtime sends no events' });
        unsubscribe = this.core.getContainerEvents((happened) => {
          const { lost, doubled, delayMs } = this.weather.events;
          if (lost > 0 && this.#random() < lost) return;
          const bytes = ContainerEventResponse.encode(happened).finish();
          const times = doubled > 0 && this.#random() < doubled ? 2 : 1;
          for (let sent = 0; sent < times; sent++)
            onWay('event', delayMs * this.#random(), () => listener.event(bytes));
        });
      },
    });
    return close;
  }

  #way(): number {
    return this.#time.spread(this.weather.typicalMs);
  }
}
