import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { jitter } from '../../src/actor/random.ts';
import type { Address } from '../../src/actor/message.ts';
import type { ApiClient } from '../../src/api/api-client.ts';
import { nodePath, nodesPath } from '../../src/api/api-path.ts';
import type { ApiOutcome } from '../../src/api/api-request.ts';
import type { CriClient } from '../../src/cri/client.ts';
import { assertNever } from '../../src/kube/assert-never.ts';
import { canonicalJson } from '../../src/kube/canonical-json.ts';
import type { Node } from '../../src/kube/node.ts';
import type { NodeHost } from '../../src/node/node-host.ts';
import { hasRebooted } from '../../src/node/node-status.ts';
import { plegProblem, RUNTIME_SILENT_MS } from '../../src/node/runtime-state.ts';
import { apiTime } from '../../src/pod/api-time.ts';
import { CRI_GATEWAY, type CriGatewayProtocol, type RuntimeHealth } from '../cri-gateway/protocol.ts';
import { PLEG, type PlegProtocol } from '../pleg/protocol.ts';
import { describeRuntime, findAddresses, listImages } from './look-around.ts';
import { eventsOfStatus, type NodeEvent } from './node-events.ts';
import { Observations } from './observations.ts';
import type { NodeLook, NodeObserved, NodeStatusCommand, NodeStatusProtocol, NodeStatusQuestion } from './protocol.ts';
import {
  afterCall,
  initialState,
  nextCall,
  whenDue,
  type NodeCall,
  type NodeStatusSettings,
  type NodeStatusState,
} from './state.ts';

export interface NodeStatusDeps {
  readonly api: ApiClient;
  readonly cri: CriClient;
  readonly host: NodeHost;
  readonly settings: NodeStatusSettings;
  /** Who is told the node's object whenever it is another. */
  readonly listeners: readonly Address[];
  readonly recordEvent: (event: NodeEvent) => void;
}

interface NodeListener {
  readonly command: NodeObserved;
  readonly question: never;
  readonly answers: Readonly<Record<string, never>>;
}

const JITTER = 0.04;
/** Images and the machine's size are looked at more rarely: they seldom change, and cost more. */
const IMAGES_EVERY_MS = 30_000;
const MACHINE_EVERY_MS = 300_000;
const IMAGES_AT_START_MS = 1_000;
/** Who has not said anything for so long is not waited for. */
const PATIENCE_MS = 5_000;

/** Registers this node and keeps its status. */
export class NodeStatusActor implements Actor<NodeStatusProtocol> {
  readonly #context: ActorContext<NodeStatusProtocol>;
  readonly #deps: NodeStatusDeps;
  readonly #startedAt: number;
  #state: NodeStatusState;
  #call: NodeCall | undefined;
  readonly #seen: Observations;
  #machineReadAt: number;
  #looking = false;
  #imagesListedAt: number | undefined;
  #announced = '';
  #rebootTold = false;
  #cancelTry: () => void = () => {};

  constructor(context: ActorContext<NodeStatusProtocol>, deps: NodeStatusDeps) {
    this.#context = context;
    this.#deps = deps;
    this.#state = initialState(deps.settings);
    this.#startedAt = context.clock.monotonic();
    this.#seen = new Observations(deps.host.machine());
    this.#machineReadAt = this.#startedAt;
  }

  start(): void {
    if (!this.#context.restarted) {
      this.#deps.recordEvent({ type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' });
    }
    this.#askForRuntime();
    this.#context.clock.after(PATIENCE_MS, () => this.#context.self.tell({ type: 'try-again' }));
    this.#startRound();
  }

  tell(command: NodeStatusCommand): void {
    switch (command.type) {
      case 'status-due':
        return this.#startRound();
      case 'looked':
        this.#looking = false;
        this.#looked(command.look);
        return this.#goOn();
      case 'runtime-health-changed':
        return this.#runtimeChanged(command.health);
      case 'runtime-described':
        this.#seen.runtime = { ...this.#seen.runtime, ...command.description };
        this.#seen.listed(command.images);
        return this.#goOn();
      case 'api-health-changed':
        if (command.health.state !== 'up') return;
        this.#state = { ...whenDue(this.#state), notBefore: 0 };
        return this.#goOn();
      case 'pressures-observed':
        this.#seen.pressures = command.pressures;
        return this.#goOn();
      case 'volumes-in-use-changed':
        // Controllers wait for it: a volume is attached, and detached, by what is said here.
        this.#seen.volumesInUse = command.volumes;
        this.#state = { ...this.#state, due: true };
        return this.#goOn();
      case 'node-problem':
        this.#seen.said(command.source, command.severity, command.text);
        return this.#goOn();
      case 'call-ended':
        return this.#callEnded(command);
      case 'try-again':
        return this.#goOn();
      default:
        return assertNever(command, 'node status command');
    }
  }

  ask(question: NodeStatusQuestion): Node | undefined {
    switch (question.type) {
      case 'node-object':
        return this.#state.node;
      default:
        return assertNever(question.type, 'node status question');
    }
  }

  // ---- looking -------------------------------------------------------------------------------------------------------

  #startRound(): void {
    const { clock, random, self } = this.#context;
    clock.after(jitter(this.#deps.settings.updateFrequencyMs, JITTER, random), () => self.tell({ type: 'status-due' }));
    this.#state = whenDue(this.#state);
    if (clock.monotonic() - this.#machineReadAt >= MACHINE_EVERY_MS) {
      this.#seen.machine = this.#deps.host.machine();
      this.#machineReadAt = clock.monotonic();
    }
    if (this.#seen.runtime.name !== '' && !this.#seen.runtime.answers) this.#askForRuntime();
    // The last look still hangs: what is known goes out without it.
    if (this.#looking) return this.#goOn();
    this.#looking = true;
    this.#context.supervise(this.#lookAround().then((look) => self.tell({ type: 'looked', look })));
  }

  async #lookAround(): Promise<NodeLook> {
    const { clock } = this.#context;
    const { host, settings } = this.#deps;
    const isDue = clock.monotonic() - (this.#imagesListedAt ?? 0) >= IMAGES_EVERY_MS;
    const existing = this.#state.node?.status?.addresses ?? [];
    const [images, addresses, pleg] = await Promise.all([
      isDue && this.#seen.runtime.answers ? this.#listImages(PATIENCE_MS) : undefined,
      findAddresses(host, settings.registration, { clock, existing }),
      this.#plegProblem(),
    ]);
    return { images, ...addresses, plegProblem: pleg };
  }

  async #plegProblem(): Promise<string | undefined> {
    try {
      const health = await this.#context
        .ref<PlegProtocol>(PLEG)
        .ask({ type: 'pleg-health' }, { deadlineMs: PATIENCE_MS });
      return plegProblem(health.healthy, health.lastRelistAgeMs);
    } catch {
      // It is being started again. If it stays away, its thread or the agent is replaced.
      return undefined;
    }
  }

  #looked(look: NodeLook): void {
    const problem = this.#seen.looked(look);
    if (problem !== undefined) this.#context.log.warn({}, `the node has no address to publish: ${problem}`);
  }

  // ---- the runtime ---------------------------------------------------------------------------------------------------

  /** Its changes are told; how it is at the start has to be asked. */
  #askForRuntime(): void {
    const asked = this.#context
      .ref<CriGatewayProtocol>(CRI_GATEWAY)
      .ask({ type: 'runtime-health' }, { deadlineMs: PATIENCE_MS })
      .then((health) => this.#context.self.tell({ type: 'runtime-health-changed', health }))
      // A gateway that starts anew tells its health by itself.
      .catch(() => {});
    this.#context.supervise(asked);
  }

  #runtimeChanged(health: RuntimeHealth): void {
    const { clock, self } = this.#context;
    if (health.state === 'connecting') return;
    const now = clock.monotonic();
    if (health.state === 'down') {
      if (this.#seen.runtime.answers) {
        this.#seen.runtime = { ...this.#seen.runtime, answers: false, lastAnswerAt: now };
        clock.after(RUNTIME_SILENT_MS, () => self.tell({ type: 'try-again' }));
      }
      return this.#goOn();
    }
    const { name, version } = health.runtime;
    this.#seen.runtime = { ...this.#seen.runtime, name, version };
    this.#describeRuntime();
  }

  /** Its health does not say all. What it does not answer now is asked again with the next round. */
  #describeRuntime(): void {
    const { clock, self } = this.#context;
    const first = this.#seen.runtime.lastAnswerAt === undefined;
    const described = async (): Promise<void> => {
      const [description, images] = await Promise.all([
        describeRuntime(this.#deps.cri),
        // The images come with the first status, unless they keep it waiting.
        first ? this.#listImages(IMAGES_AT_START_MS) : undefined,
      ]);
      if (description === undefined || !this.#context.alive()) return;
      this.#seen.runtime = { ...this.#seen.runtime, answers: true, lastAnswerAt: clock.monotonic() };
      self.tell({ type: 'runtime-described', description, images });
    };
    this.#context.supervise(described());
  }

  async #listImages(timeoutMs: number): Promise<NodeLook['images']> {
    const { cri, settings } = this.#deps;
    if (settings.maxImages === 0) return [];
    this.#imagesListedAt = this.#context.clock.monotonic();
    return listImages(cri, { atMost: settings.maxImages, timeoutMs });
  }

  // ---- reporting -----------------------------------------------------------------------------------------------------

  #goOn(): void {
    const { clock, self } = this.#context;
    const now = clock.monotonic();
    const { next, call } = nextCall(this.#state, {
      settings: this.#deps.settings,
      observed: this.#seen.at(now),
      known: this.#knowsEnough(now),
      now,
      time: apiTime(clock.now()),
    });
    this.#state = next;
    if (call !== undefined) return this.#make(call);
    this.#cancelTry();
    const waitMs = next.notBefore - now;
    if (!next.busy && waitMs > 0) this.#cancelTry = clock.after(waitMs, () => self.tell({ type: 'try-again' }));
  }

  #knowsEnough(now: number): boolean {
    const isAllThere = this.#seen.runtime.lastAnswerAt !== undefined && this.#seen.hasLooked;
    return isAllThere || now - this.#startedAt >= PATIENCE_MS;
  }

  #make(call: NodeCall): void {
    this.#call = call;
    const { self } = this.#context;
    const ended = this.#outcomeOf(call).then((outcome) =>
      self.tell(
        outcome.ok
          ? { type: 'call-ended', answer: outcome.value, fault: undefined }
          : { type: 'call-ended', answer: undefined, fault: outcome.fault },
      ),
    );
    this.#context.supervise(ended);
  }

  #outcomeOf(call: NodeCall): Promise<ApiOutcome<Node>> {
    const { api, settings } = this.#deps;
    const { nodeName } = settings.registration;
    switch (call.type) {
      case 'create':
        return api.create(nodesPath, call.node, 'status');
      case 'get':
        return api.get(nodePath(nodeName), 'status');
      case 'patch-node':
        return api.patch(nodePath(nodeName), { type: 'strategic-merge', body: call.patch }, 'status');
      case 'patch-status':
        return api.patch(nodePath(nodeName, 'status'), { type: 'strategic-merge', body: call.patch }, 'status');
      default:
        return assertNever(call, 'call about the node');
    }
  }

  #callEnded({ answer, fault }: Extract<NodeStatusCommand, { type: 'call-ended' }>): void {
    const call = this.#call;
    this.#call = undefined;
    if (call === undefined) return;
    const { clock, random, log } = this.#context;
    const { settings, recordEvent } = this.#deps;
    const before = this.#state;
    this.#state = afterCall(before, { call, answer, fault, now: clock.monotonic(), chance: random() }, settings);
    const { failures, node } = this.#state;
    if (fault !== undefined && (failures === 1 || failures % 20 === 0)) {
      log.warn({ failures, call: call.type }, `the node's object could not be kept: ${fault.message}`);
    }
    if (answer !== undefined) {
      if (call.type === 'create') log.info({ node: settings.registration.nodeName }, 'the node is registered');
      this.#tellOfReboot(answer, call);
      for (const event of eventsOfStatus(call, { before: before.node, answer })) recordEvent(event);
    }
    if (node !== undefined && node !== before.node) this.#announce(node);
    this.#goOn();
  }

  #tellOfReboot(answer: Node, call: NodeCall): void {
    if (this.#rebootTold || call.type !== 'get' || !hasRebooted(answer, this.#seen.machine)) return;
    this.#rebootTold = true;
    const message = `Node ${answer.metadata.name} has been rebooted, boot id: ${this.#seen.machine.bootId}`;
    this.#deps.recordEvent({ type: 'Warning', reason: 'Rebooted', message });
  }

  /** Heartbeats are no news. */
  #announce(node: Node): void {
    const { resourceVersion: _, ...metadata } = node.metadata;
    const { conditions: _conditions, ...status } = node.status ?? {};
    const news = canonicalJson({ metadata, spec: node.spec, status });
    if (news === this.#announced) return;
    this.#announced = news;
    for (const listener of this.#deps.listeners)
      this.#context.ref<NodeListener>(listener).tell({ type: 'node-observed', node });
  }
}
