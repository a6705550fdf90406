import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { hostAddress, type HostProtocol } from '../../src/actor/host-protocol.ts';
import { Transferring, type Address } from '../../src/actor/message.ts';
import type { CriFault, CriOutcome } from '../../src/cri/fault.ts';
import { StatusRequest, StatusResponse, VersionRequest, VersionResponse } from '../../src/cri/gen/api.ts';
import { criMethods } from '../../src/cri/methods.ts';
import type { OperationMetrics } from '../../src/cri/operation-metrics.ts';
import type { CriTransport } from '../../src/cri/transport.ts';
import { assertNever } from '../../src/kube/assert-never.ts';
import type {
  ContainerEventMessage,
  CriCall,
  CriGatewayCommand,
  CriGatewayProtocol,
  CriGatewayQuestion,
  RuntimeCheck,
  RuntimeHealth,
} from './protocol.ts';
import { afterCheck, CallSchedule, scheduled, singleFlightKey, type LaneLimits, type ScheduledCall } from './state.ts';

/** Calls under way on the transport. It outlives an incarnation of the gateway, so that the next one can fence them. */
export type CallsUnderWay = Map<number, { readonly call: ScheduledCall; readonly settled: Promise<unknown> }>;

export interface CriGatewayDeps {
  readonly transport: CriTransport;
  readonly underWay: CallsUnderWay;
  readonly limits: LaneLimits;
  readonly metrics: OperationMetrics;
  /** Who is told of the runtime's health, beside every pod worker on `podThreads`. */
  readonly listeners: readonly Address[];
  readonly podThreads: readonly string[];
}

const CHECK_EVERY_MS = 5_000;
/** While the runtime is down it is looked for more often: pods wait. */
const CHECK_DOWN_MS = 500;
const CHECK_TIMEOUT_MS = 10_000;
const REOPEN_STREAM_MS = 1_000;
/** Answers larger than this move between threads instead of being copied. */
const TRANSFER_FROM_BYTES = 16_384;

/** The fan-in of every call to the container runtime. */
export class CriGateway implements Actor<CriGatewayProtocol> {
  readonly #context: ActorContext<CriGatewayProtocol>;
  readonly #deps: CriGatewayDeps;
  readonly #schedule: CallSchedule;
  readonly #waiting = new Map<
    number,
    { readonly call: CriCall; readonly resolve: (outcome: CriOutcome<Uint8Array>) => void }
  >();
  readonly #flights = new Map<string, Promise<CriOutcome<Uint8Array>>>();
  #health: RuntimeHealth = { state: 'connecting' };
  #closeStream: () => void = () => {};
  #lastCall: number;

  constructor(context: ActorContext<CriGatewayProtocol>, deps: CriGatewayDeps) {
    this.#context = context;
    this.#deps = deps;
    this.#schedule = new CallSchedule(deps.limits);
    // Numbers of an earlier incarnation's calls are still in `underWay`.
    this.#lastCall = Math.max(0, ...deps.underWay.keys());
  }

  start(): void {
    for (const { call, settled } of this.#deps.underWay.values()) {
      this.#schedule.adopt(call);
      this.#context.supervise(settled.then(() => this.#context.self.tell({ type: 'call-settled', call: call.id })));
    }
    this.#check();
    this.#openStream();
  }

  stop(): void {
    this.#closeStream();
  }

  tell(command: CriGatewayCommand): void {
    switch (command.type) {
      case 'call-settled':
        return this.#dispatch(this.#schedule.settled(command.call));
      case 'check-runtime':
        return this.#check();
      case 'runtime-checked':
        return this.#checked(command.outcome);
      case 'open-event-stream':
        return this.#openStream();
      case 'event-stream-ended':
        return this.#streamEnded(command.fault);
      default:
        return assertNever(command, 'CRI gateway command');
    }
  }

  ask(question: CriGatewayQuestion): unknown {
    switch (question.type) {
      case 'call':
        return this.#call(question).then(asAnswer);
      case 'runtime-health':
        return this.#health;
      default:
        return assertNever(question, 'CRI gateway question');
    }
  }

  // ---- calls ---------------------------------------------------------------------------------------------------------

  #call(call: CriCall): Promise<CriOutcome<Uint8Array>> {
    const key = singleFlightKey(call);
    if (key === undefined) return this.#schedulePassage(call);
    const flying = this.#flights.get(key);
    // A shared answer is copied: its first asker may have moved the bytes to another thread.
    if (flying !== undefined) return flying.then(copied);
    const flight = this.#schedulePassage(call).finally(() => this.#flights.delete(key));
    this.#flights.set(key, flight);
    return flight.then(copied);
  }

  #schedulePassage(call: CriCall): Promise<CriOutcome<Uint8Array>> {
    return new Promise((resolve) => {
      const id = ++this.#lastCall;
      this.#waiting.set(id, { call, resolve });
      this.#dispatch(this.#schedule.offer(scheduled(id, call)));
    });
  }

  #dispatch(calls: readonly ScheduledCall[]): void {
    for (const call of calls) this.#send(call);
  }

  #send(entry: ScheduledCall): void {
    const waiting = this.#waiting.get(entry.id);
    if (waiting === undefined) return;
    this.#waiting.delete(entry.id);
    const { call, resolve } = waiting;
    const { clock, self } = this.#context;
    const { underWay, transport, metrics } = this.#deps;
    const began = clock.monotonic();
    const settled = transport.unary(criMethods[call.method].path, call.request, call.timeoutMs).then((outcome) => {
      underWay.delete(entry.id);
      metrics.observe(call.method, (clock.monotonic() - began) / 1000, outcome.ok ? 'ok' : 'error');
      self.tell({ type: 'call-settled', call: entry.id });
      // The runtime is first missed where it is used: look at it now rather than at the next round.
      if (!outcome.ok && outcome.fault.code === 'UNAVAILABLE') this.#suspect();
      resolve(outcome);
    });
    underWay.set(entry.id, { call: entry, settled });
    this.#context.supervise(settled);
  }

  // ---- health --------------------------------------------------------------------------------------------------------

  #suspect(): void {
    if (this.#health.state === 'up') this.#context.self.tell({ type: 'check-runtime' });
  }

  #checkUnderWay = false;
  #cancelCheck: () => void = () => {};

  #check(): void {
    if (this.#checkUnderWay) return;
    this.#checkUnderWay = true;
    this.#cancelCheck();
    const { self } = this.#context;
    this.#context.supervise(this.#lookAtRuntime().then((outcome) => self.tell({ type: 'runtime-checked', outcome })));
  }

  async #lookAtRuntime(): Promise<RuntimeCheck> {
    const { transport } = this.#deps;
    const status = await transport.unary(
      criMethods.Status.path,
      StatusRequest.encode({ verbose: false }).finish(),
      CHECK_TIMEOUT_MS,
    );
    if (!status.ok) return status;
    const version = await transport.unary(
      criMethods.Version.path,
      VersionRequest.encode({ version: 'v1' }).finish(),
      CHECK_TIMEOUT_MS,
    );
    if (!version.ok) return version;
    return {
      ok: true,
      facts: runtimeFacts(StatusResponse.decode(status.value), VersionResponse.decode(version.value)),
    };
  }

  #checked(outcome: RuntimeCheck): void {
    this.#checkUnderWay = false;
    const { clock, log } = this.#context;
    const { health, changed } = afterCheck(this.#health, outcome, clock.now());
    const before = this.#health;
    this.#health = health;
    this.#cancelCheck = clock.after(health.state === 'up' ? CHECK_EVERY_MS : CHECK_DOWN_MS, () =>
      this.#context.self.tell({ type: 'check-runtime' }),
    );
    if (!changed) return;
    if (health.state === 'down')
      log.error({ ...health.fault }, 'the container runtime is down; pods keep their status');
    else if (health.state === 'up') {
      const downForMs = before.state === 'down' ? Math.round(clock.now() - before.since) : undefined;
      log.info({ ...health.runtime, downForMs }, 'the container runtime answers');
    }
    this.#announce(health);
  }

  #announce(health: RuntimeHealth): void {
    const command = { type: 'runtime-health-changed', health } as const;
    for (const address of this.#deps.listeners) this.#context.ref(address).tell(command);
    for (const thread of this.#deps.podThreads) {
      this.#context.ref<HostProtocol>(hostAddress(thread)).tell({ type: 'tell-all', kind: 'pod-worker', command });
    }
  }

  // ---- events --------------------------------------------------------------------------------------------------------

  #openStream(): void {
    let live = false;
    this.#closeStream = this.#deps.transport.containerEvents({
      event: (event) => {
        if (!this.#context.alive()) return;
        if (!live) this.#tellPleg({ type: 'event-stream-changed', stream: 'live' });
        live = true;
        this.#tellPleg({ type: 'container-event', event });
      },
      ended: (fault) => this.#context.self.tell({ type: 'event-stream-ended', fault }),
    });
  }

  #streamEnded(fault: CriFault): void {
    if (fault.code === 'UNIMPLEMENTED') {
      this.#tellPleg({ type: 'event-stream-changed', stream: 'unsupported' });
      return;
    }
    this.#tellPleg({ type: 'event-stream-changed', stream: 'broken' });
    this.#context.clock.after(REOPEN_STREAM_MS, () => this.#context.self.tell({ type: 'open-event-stream' }));
  }

  #tellPleg(message: ContainerEventMessage): void {
    this.#context.ref('pleg').tell(message);
  }
}

function runtimeFacts(status: StatusResponse, version: VersionResponse) {
  const condition = (type: string) => status.status?.conditions.find((each) => each.type === type);
  const network = condition('NetworkReady');
  return {
    name: version.runtimeName,
    version: version.runtimeVersion,
    runtimeReady: condition('RuntimeReady')?.status === true,
    networkNotReady: network?.status === true ? '' : (network?.message ?? 'the runtime says nothing of its network'),
  };
}

const copied = (outcome: CriOutcome<Uint8Array>): CriOutcome<Uint8Array> =>
  outcome.ok ? { ok: true, value: outcome.value.slice() } : outcome;

function asAnswer(outcome: CriOutcome<Uint8Array>): CriOutcome<Uint8Array> | Transferring<CriOutcome<Uint8Array>> {
  if (!outcome.ok || outcome.value.byteLength < TRANSFER_FROM_BYTES) return outcome;
  return new Transferring(outcome, [outcome.value.buffer as ArrayBuffer]);
}
