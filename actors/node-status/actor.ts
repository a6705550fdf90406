import { elapsedMs, type MonotonicMs } from '../../src/actor/clock.ts';
import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { jitter } from '../../src/actor/random.ts';
import type { AddressOf, Listener } from '../../src/actor/messages/message.ts';
import type { ApiCall } from '../../src/api/api-client.ts';
import { isAlreadyExists } from '../../src/api/api-request.ts';
import type { ReflectorInterruption } from '../../src/api/reflector/reflector-state.ts';
import type { CriClient } from '../../src/cri/client.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { canonicalJson } from '../../src/kube/text/canonical-json.ts';
import type { ContainerImage, Node } from '../../src/kube/node.ts';
import type { NodeHost } from './node-host.ts';
import { findNodeAddresses } from '../../src/node/object/find-node-addresses.ts';
import { KnownAddresses, type ObservedAddresses } from '../../src/node/object/known-addresses.ts';
import type { AddressResult } from '../../src/node/object/node-addresses.ts';
import { hasRebooted } from '../../src/node/object/node-status.ts';
import { apiTime } from '../../src/pod/values/api-time.ts';
import { outcomeOf } from './call-api.ts';
import { RuntimeFollower } from './follow-runtime.ts';
import { cordonEvents, eventsOfStatus, type NodeEvent } from './node-events.ts';
import type { StartupMetrics } from './metrics.ts';
import { nodeReflector, type NodeReflector } from './node-reflector.ts';
import { Observations } from './observations.ts';
import type { NodeAddressesObserved } from '../node-addresses/protocol.ts';
import type { KnownNode, NodeObserved, NodeStatusProtocol, NodeStatusQuestion } from './protocol.ts';
import {
  afterCall,
  initialState,
  nextCall,
  seen,
  whenDue,
  type NodeCall,
  type NodeStatusSettings,
  type NodeStatusState,
} from './state.ts';
import { dutyOf, judgeCall } from '../health-monitor/client.ts';
import type { Duty, DutyAttempt } from '../../src/health/duty.ts';

export interface NodeStatusDeps {
  readonly call: ApiCall;
  readonly count?: (what: ReflectorInterruption) => void;
  readonly cri: CriClient;
  readonly host: NodeHost;
  readonly settings: NodeStatusSettings;
  /** The actors that receive the node object whenever it changes. */
  readonly listeners: readonly AddressOf<Listener<NodeObserved>>[];
  /** The actors that receive the node's addresses whenever they change. */
  readonly addressListeners: readonly AddressOf<Listener<NodeAddressesObserved>>[];
  readonly recordEvent: (event: NodeEvent) => void;
  /** Events about the machine, recorded when the agent starts. */
  readonly startWarnings?: readonly NodeEvent[];
  /** Absent when metrics are not collected. */
  readonly startup?: StartupMetrics;
}

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') ?? false;

const JITTER = 0.04;
/** The machine's facts are read less often: they seldom change. */
const MACHINE_EVERY_MS = 300_000;
/** A source that has not answered for this long is not waited for. */
const PATIENCE_MS = 5_000;

/** Registers this node and keeps its status up to date. */
export class NodeStatusActor implements Actor<NodeStatusProtocol> {
  readonly #context: ActorContext<NodeStatusProtocol>;
  readonly #updates: Duty;
  #attempt: DutyAttempt | undefined;
  readonly #deps: NodeStatusDeps;
  readonly #startedAt: MonotonicMs;
  #state: NodeStatusState;
  #call: NodeCall | undefined;
  readonly #seen: Observations;
  #machineReadAt: MonotonicMs;
  #isInspecting = false;
  readonly #runtime: RuntimeFollower;
  readonly #object: NodeReflector;
  readonly #addresses: KnownAddresses;
  #announced = '';
  #rebootTold = false;
  #following = false;
  #cancelTry: () => void = () => {};

  constructor(context: ActorContext<NodeStatusProtocol>, deps: NodeStatusDeps) {
    this.#context = context;
    this.#updates = dutyOf(context, {
      work: 'update the node object',
      follows: 'the cluster sees old conditions and addresses of this node',
    });
    this.#deps = deps;
    this.#state = initialState(deps.settings);
    this.#startedAt = context.clock.monotonic();
    this.#seen = new Observations(deps.host.machine());
    const { cri, settings } = deps;
    this.#runtime = new RuntimeFollower({ context, cri, maxImages: settings.maxImages, seen: this.#seen });
    this.#object = nodeReflector(context, {
      nodeName: settings.registration.nodeName,
      call: deps.call,
      count: deps.count,
    });
    this.#addresses = new KnownAddresses((observed) => {
      for (const listener of deps.addressListeners)
        context.ref(listener).tell({ type: 'node-addresses-observed', ...observed });
    });
    this.#machineReadAt = this.#startedAt;
  }

  start(): void {
    if (!this.#context.restarted) {
      this.#deps.recordEvent({ type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' });
      for (const warning of this.#deps.startWarnings ?? []) this.#deps.recordEvent(warning);
    }
    this.#runtime.ask();
    this.#context.clock.after(PATIENCE_MS, () => this.#context.self.tell({ type: 'retry-due' }));
    this.#startRound();
  }

  stop(): void {
    this.#object.end();
  }

  tell(command: NodeStatusProtocol['command']): void {
    switch (command.type) {
      case 'status-due':
        return this.#startRound();
      case 'node-inspected':
        this.#isInspecting = false;
        this.#seen.inspected(command.images);
        this.#state = whenDue(this.#state);
        return this.#goOn();
      case 'addresses-found':
        return this.#addressesFound(command.found);
      case 'runtime-health-changed':
        this.#runtime.healthChanged(command.health);
        return this.#goOn();
      case 'pleg-health-read':
        this.#runtime.plegRelisted(command.problem);
        return this.#goOn();
      case 'watch-events':
      case 'watch-ended':
        return this.#object.received(command);
      case 'node-object-observed':
        return this.#nodeSeen(command.node);
      case 'runtime-described':
        this.#seen.runtime = { ...this.#seen.runtime, ...command.description };
        this.#seen.listed(command.images);
        return this.#goOn();
      case 'api-health-changed':
        if (command.health.state !== 'up') return;
        this.#object.serverUp();
        this.#state = { ...whenDue(this.#state), notBefore: 0 };
        return this.#goOn();
      case 'pressures-observed':
        this.#seen.pressures = command.pressures;
        return this.#goOn();
      case 'volumes-in-use-changed':
        // Controllers wait for this list: volumes are attached and detached according to it.
        this.#seen.volumesInUse = command.volumes;
        this.#state = { ...this.#state, due: true };
        return this.#goOn();
      case 'node-problem':
        this.#seen.reported(command.source, command.severity, command.text);
        return this.#goOn();
      case 'call-ended':
        return this.#callEnded(command);
      case 'retry-due':
        return this.#goOn();
      default:
        return assertNever(command, 'node status command');
    }
  }

  ask(question: NodeStatusQuestion): Node | undefined | Promise<ObservedAddresses | KnownNode> {
    switch (question.type) {
      case 'node-object':
        return this.#state.node;
      case 'node-addresses':
        return this.#addresses.latest();
      case 'known-node':
        return this.#addresses.latest().then((observed) => ({ ...observed, node: this.#state.node }));
      default:
        return assertNever(question, 'node status question');
    }
  }

  // ---- inspecting the node
  // -------------------------------------------------------------------------------------------------------

  #startRound(): void {
    const { clock, random, self } = this.#context;
    clock.after(jitter(this.#deps.settings.updateFrequencyMs, JITTER, random), () => self.tell({ type: 'status-due' }));
    if (elapsedMs(this.#machineReadAt, clock.monotonic()) >= MACHINE_EVERY_MS) {
      this.#seen.machine = this.#deps.host.machine();
      this.#machineReadAt = clock.monotonic();
    }
    this.#addresses.reportAgain();
    this.#runtime.askAgain();
    this.#runtime.askPleg();
    // The last inspection still hangs: known facts are reported without its result.
    if (this.#isInspecting) {
      this.#state = whenDue(this.#state);
      return this.#goOn();
    }
    this.#isInspecting = true;
    this.#context.supervise(this.#inspectNode().then((images) => self.tell({ type: 'node-inspected', images })));
  }

  /** Addresses are reported as soon as they are found: pods wait for them, and the runtime may be away. */
  async #inspectNode(): Promise<readonly ContainerImage[] | undefined> {
    const { clock, self } = this.#context;
    const { host, settings } = this.#deps;
    const [images] = await Promise.all([
      this.#runtime.imagesIfDue(),
      findNodeAddresses(host, clock, settings.registration).then((found) =>
        self.tell({ type: 'addresses-found', found }),
      ),
    ]);
    return images;
  }

  #addressesFound(found: AddressResult): void {
    const problem = this.#seen.addressesFound(found);
    if (problem !== undefined)
      this.#context.log.warn({}, `the node has no address to publish: ${problem}; retrying at the next status update`);
    this.#reportAddresses();
  }

  /** Reports the addresses of the Node object, also those of a cloud provider; without an object, the host's own. */
  #reportAddresses(): void {
    const { node } = this.#state;
    if (node !== undefined) this.#addresses.observed({ addresses: node.status?.addresses ?? [], from: 'node' });
    else if (this.#seen.hostAddresses !== undefined)
      this.#addresses.observed({ addresses: this.#seen.hostAddresses, from: 'host' });
  }

  // ---- reporting
  // -----------------------------------------------------------------------------------------------------

  #goOn(): void {
    const { clock, self } = this.#context;
    const now = clock.monotonic();
    const { next, call } = nextCall(this.#state, {
      settings: this.#deps.settings,
      observed: this.#seen.at(now),
      known: this.#seen.enough || now - this.#startedAt >= PATIENCE_MS,
      now,
      time: apiTime(clock.now()),
    });
    this.#state = next;
    if (call !== undefined) return this.#make(call);
    this.#cancelTry();
    const waitMs = next.notBefore - now;
    if (!next.busy && waitMs > 0) this.#cancelTry = clock.after(waitMs, () => self.tell({ type: 'retry-due' }));
  }

  #make(call: NodeCall): void {
    this.#call = call;
    const { self, clock } = this.#context;
    if (call.type === 'create') this.#deps.startup?.triesToRegister(clock.now());
    this.#attempt = this.#updates.attempt(`the ${call.type} of the Node`);
    const ended = outcomeOf(call, this.#deps).then((outcome) =>
      self.tell(
        outcome.ok
          ? { type: 'call-ended', answer: outcome.value, fault: undefined }
          : { type: 'call-ended', answer: undefined, fault: outcome.fault },
      ),
    );
    this.#context.supervise(ended);
  }

  #callEnded({ answer, fault }: Extract<NodeStatusProtocol['command'], { type: 'call-ended' }>): void {
    const call = this.#call;
    this.#call = undefined;
    if (call === undefined) return;
    const { clock, random, log } = this.#context;
    const { settings, recordEvent } = this.#deps;
    const before = this.#state;
    this.#state = afterCall(before, { call, answer, fault, now: clock.monotonic(), chance: random() }, settings);
    // An existing node object is no failure: a restarted agent finds its node registered.
    const isNews = fault !== undefined && !(call.type === 'create' && isAlreadyExists(fault));
    judgeCall(this.#updates, isNews ? fault : undefined);
    // After the judgement: a call that hung and failed stays one trouble.
    this.#attempt?.dropped();
    if (answer !== undefined) {
      if (call.type === 'create') this.#deps.startup?.registered(clock.now());
      if (isReady(answer)) this.#deps.startup?.ready(clock.now());
      if (call.type === 'create') log.info({ node: settings.registration.nodeName }, 'the node is registered');
      this.#reportReboot(answer, call);
      for (const event of eventsOfStatus(call, { before: before.node, answer })) recordEvent(event);
    }
    if (this.#state.step === 'keep' && !this.#following) {
      this.#following = true;
      this.#object.begin();
    }
    this.#changedFrom(before.node);
    this.#goOn();
  }

  /** The node object arrives by calls and by the watch: a version older than the known one is ignored. */
  #nodeSeen(node: Node | undefined): void {
    const before = this.#state.node;
    this.#state = seen(this.#state, node, this.#deps.settings);
    this.#changedFrom(before);
    this.#goOn();
  }

  #changedFrom(before: Node | undefined): void {
    const { node } = this.#state;
    if (node !== before) this.#reportAddresses();
    if (node === undefined || node === before) return;
    for (const event of cordonEvents(before, node)) this.#deps.recordEvent(event);
    this.#announce(node);
  }

  #reportReboot(answer: Node, call: NodeCall): void {
    if (this.#rebootTold || call.type !== 'get' || !hasRebooted(answer, this.#seen.machine)) return;
    this.#rebootTold = true;
    const message = `Node ${answer.metadata.name} has been rebooted, boot id: ${this.#seen.machine.bootId}`;
    this.#deps.recordEvent({ type: 'Warning', reason: 'Rebooted', message });
  }

  /** A change of heartbeats alone is not announced. */
  #announce(node: Node): void {
    const { resourceVersion: _, ...metadata } = node.metadata;
    const { conditions: _conditions, ...status } = node.status ?? {};
    const news = canonicalJson({ metadata, spec: node.spec, status });
    if (news === this.#announced) return;
    this.#announced = news;
    for (const listener of this.#deps.listeners) this.#context.ref(listener).tell({ type: 'node-observed', node });
  }
}
