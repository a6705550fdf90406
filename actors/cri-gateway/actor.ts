import { elapsedMs } from '../../src/actor/clock.ts';
import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { hostAddress } from '../../src/actor/messages/host-protocol.ts';
import type { AddressOf, Listener } from '../../src/actor/messages/message.ts';
import { PLEG } from '../pleg/protocol.ts';
import type { CriFault } from '../../src/cri/fault.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { checkRuntime } from './check-runtime.ts';
import { asAnswer, CallRunner, type CallRunnerDeps } from './call-runner.ts';
import type {
  ContainerEventMessage,
  CriGatewayProtocol,
  CriGatewayQuestion,
  RuntimeCheck,
  RuntimeHealth,
  RuntimeHealthChanged,
} from './protocol.ts';
import { afterCheck } from './call-schedule.ts';
import { dutyOf } from '../health-monitor/client.ts';
import type { Duty } from '../../src/health/duty.ts';

export interface CriGatewayDeps extends CallRunnerDeps {
  /** The actors that receive changes of the runtime's health, beside every pod worker on `podThreads`. */
  readonly listeners: readonly AddressOf<Listener<RuntimeHealthChanged>>[];
  readonly podThreads: readonly string[];
}

const CHECK_EVERY_MS = 5_000;
/** While the runtime is down, checks are more frequent: pods wait. */
const CHECK_DOWN_MS = 500;
const REOPEN_STREAM_MS = 1_000;
/** The single path of every call to the container runtime. */
export class CriGateway implements Actor<CriGatewayProtocol> {
  readonly #context: ActorContext<CriGatewayProtocol>;
  readonly #reach: Duty;
  readonly #deps: CriGatewayDeps;
  readonly #calls: CallRunner;
  #health: RuntimeHealth = { state: 'connecting' };
  #closeStream: () => void = () => {};
  #streamUnsupported = false;

  constructor(context: ActorContext<CriGatewayProtocol>, deps: CriGatewayDeps) {
    this.#context = context;
    this.#reach = dutyOf(context, {
      work: 'reach the container runtime',
      follows: 'pods keep their last status, and nothing starts or stops',
      isLoggedByActor: true,
    });
    this.#deps = deps;
    this.#calls = new CallRunner(context, deps, () => this.#suspect());
  }

  start(): void {
    this.#calls.adoptAll();
    this.#check();
    // An earlier incarnation may have reported a live stream. Events between that stream and the new one are lost.
    this.#tellPleg({ type: 'event-stream-changed', stream: 'broken' });
    this.#openStream();
  }

  /**
   * Waits for calls that create something, within this actor's time to stop. A runtime that loses its client in the
   * middle of a start leaves a failed container, and the next agent counts a restart. Kills continue in the runtime
   * without a waiting client.
   */
  async stop(): Promise<void> {
    this.#closeStream();
    const creating = [...this.#deps.underWay.values()].filter(({ call }) => call.effect === 'creates');
    await Promise.all(creating.map(({ settled }) => settled));
  }

  tell(command: CriGatewayProtocol['command']): void {
    switch (command.type) {
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
        return this.#calls.call(question).then(asAnswer);
      case 'runtime-health':
        return this.#health;
      default:
        return assertNever(question, 'CRI gateway question');
    }
  }

  // ---- health
  // --------------------------------------------------------------------------------------------------------

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
    this.#context.supervise(
      checkRuntime(this.#deps.transport).then((outcome) => self.tell({ type: 'runtime-checked', outcome })),
    );
  }

  #checked(outcome: RuntimeCheck): void {
    this.#checkUnderWay = false;
    const { clock, log } = this.#context;
    const { health, changed } = afterCheck(this.#health, outcome, clock.monotonic());
    const before = this.#health;
    this.#health = health;
    if (health.state === 'down') this.#reach.failed(health.fault.detail);
    else if (health.state === 'up') this.#reach.worked();
    this.#cancelCheck = clock.after(health.state === 'up' ? CHECK_EVERY_MS : CHECK_DOWN_MS, () =>
      this.#context.self.tell({ type: 'check-runtime' }),
    );
    if (!changed) return;
    if (health.state === 'down')
      log.error(
        { ...health.fault },
        'the container runtime does not answer; pods keep their last status, and the runtime is checked again every 0.5 s',
      );
    else if (health.state === 'up') {
      const downForMs = before.state === 'down' ? Math.round(elapsedMs(before.since, clock.monotonic())) : undefined;
      log.info({ ...health.runtime, downForMs }, 'the container runtime answers');
      // The runtime may have come back as another version.
      if (before.state === 'down' && this.#streamUnsupported) this.#openStream();
    }
    this.#announce(health);
  }

  #announce(health: RuntimeHealth): void {
    const command = { type: 'runtime-health-changed', health } as const;
    for (const address of this.#deps.listeners) this.#context.ref(address).tell(command);
    for (const thread of this.#deps.podThreads) {
      this.#context.ref(hostAddress(thread)).tell({ type: 'broadcast', kind: 'pod-worker', command });
    }
  }

  // ---- events
  // --------------------------------------------------------------------------------------------------------

  #openStream(): void {
    let live = false;
    this.#streamUnsupported = false;
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
      this.#streamUnsupported = true;
      this.#tellPleg({ type: 'event-stream-changed', stream: 'unsupported' });
      return;
    }
    this.#tellPleg({ type: 'event-stream-changed', stream: 'broken' });
    this.#context.clock.after(REOPEN_STREAM_MS, () => this.#context.self.tell({ type: 'open-event-stream' }));
  }

  #tellPleg(message: ContainerEventMessage): void {
    this.#context.ref(PLEG).tell(message);
  }
}
