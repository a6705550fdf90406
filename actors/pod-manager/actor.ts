import { POD_SOURCE_HTTP } from '../pod-source-http/protocol.ts';
import { POD_SOURCE_FILE } from '../pod-source-file/protocol.ts';
import { POD_SOURCE_API } from '../pod-source-api/protocol.ts';
import type { AddressOf, Listener } from '../../src/actor/messages/message.ts';
import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { ChildSpec } from '../../src/actor/supervision/child.ts';
import { within } from '../../src/actor/in-time.ts';
import { answerOr } from '../../src/actor/messages/answer-or.ts';
import { describeError } from '../../src/actor/fault.ts';
import { hostAddress } from '../../src/actor/messages/host-protocol.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import { podEventObject, type RecordEvent } from '../../src/kube/event.ts';
import { podKey, type Pod } from '../../src/kube/pod.ts';
import type { AdmissionNode } from '../../src/node/admission/admission.ts';
import type { AdmissionRules } from '../../src/node/admission/pod-admission.ts';
import type { PodSource } from '../../src/pod/source/pod-source-change.ts';
import type { RuntimeHealth } from '../cri-gateway/protocol.ts';
import { EVICTION_MANAGER } from '../eviction-manager/protocol.ts';
import { MIRROR_PODS } from '../mirror-pods/protocol.ts';
import { OBJECT_CACHE } from '../object-cache/protocol.ts';
import { NODE_ADDRESSES } from '../node-addresses/protocol.ts';
import { NODE_STATUS } from '../node-status/protocol.ts';
import { podWorker, type PodWorkerCommand, type PodWorkerInit } from '../pod-worker/protocol.ts';
import { PROBE_MANAGER } from '../probe-manager/protocol.ts';
import { STATUS_MANAGER } from '../status-manager/protocol.ts';
import type { EvictPod, EvictionFacts, PodManagerProtocol, PodManagerQuestion, PodsOnNode } from './protocol.ts';
import { podsOnNode } from './pods-on-node.ts';
import { surveyHosts } from './survey-hosts.ts';
import type { Allocations } from './checkpoints/allocations.ts';
import type { PodManagerEffect } from './effects.ts';
import type { PodManagerMetrics } from './metrics.ts';
import { evictionFacts } from './admission/eviction-facts.ts';
import { Records } from './checkpoints/checkpoints.ts';
import { PodDecisions } from './pod-decisions.ts';
import type { ServerReads } from './server/server-reads.ts';
import { SyncSequence } from './sync-sequence.ts';

export interface PodManagerDeps {
  /** The pod sources of this agent. */
  readonly sources: readonly PodSource[];
  /** The node as known before its API object is read. `undefined`: every pod is admitted. */
  readonly node?: AdmissionNode;
  /** Admission rules beside the node's own properties. */
  readonly rules?: AdmissionRules;
  readonly recordEvent: RecordEvent;
  /** `undefined` when the agent has no API server. */
  readonly server?: ServerReads;
  /** `undefined` when nothing is counted. */
  readonly metrics?: PodManagerMetrics;
  readonly podThreads: readonly string[];
  /** Returns the thread of a pod's worker. */
  readonly threadOf: (uid: PodUid) => string;
  /** Stores the allocated resources of resized pods, and the victims of preemptions. */
  readonly allocations: Allocations;
  /** How a pod's worker is supervised. */
  readonly workerRule: Pick<ChildSpec, 'restart' | 'stopWithinMs'>;
}

/** The actor behind each pod source. */
const podSources: Readonly<Record<PodSource, AddressOf<Listener<{ readonly type: 'send-all' }>>>> = {
  file: POD_SOURCE_FILE,
  http: POD_SOURCE_HTTP,
  api: POD_SOURCE_API,
};

const SURVEY_AGAIN_MS = 100;
/** Interval between surveys of node and workers: a notice may have been lost. */
const SURVEY_EVERY_MS = 30_000;
/** Interval at which workers that remove their pods are sent the instruction again. */
const REPEAT_ENDS_MS = 5_000;
/** Minimum gap between two requests to a source to send everything: a source may send many parts. */
const ASK_SOURCE_EVERY_MS = 1_000;
/** Longer than a name resolution that hangs. */
const ADDRESSES_WITHIN_MS = 5_000;
const NODE_WITHIN_MS = 10_000;
const NODE_AGAIN_MS = 1_000;
/** Delay before the server is asked again for an object that it did not answer for. */
const SERVER_AGAIN_MS = 1_000;

/** Keeps the desired pods of this node and gives each pod a worker. */
export class PodManager implements Actor<PodManagerProtocol> {
  readonly #context: ActorContext<PodManagerProtocol>;
  readonly #deps: PodManagerDeps;
  readonly #state: PodDecisions;
  readonly #records: Records;
  readonly #whenEmpty: (() => void)[] = [];
  /** Callers that wait for the end of a pod. */
  readonly #whenEnded = new Map<PodUid, (() => void)[]>();
  #statusesTidied = false;
  #surveyed = false;
  /**
   * Pods that start before the node's addresses are known would lack them for good, in their environment. So the first
   * survey waits for the answer, if there is one.
   */
  #nodeAsked: Promise<void> = Promise.resolve();
  readonly #doubtsLogged = new Set<PodUid>();
  readonly #askedSources = new Map<PodSource, number>();
  readonly #syncSequence = new SyncSequence();
  #health: RuntimeHealth = { state: 'connecting' };
  /** As of the runtime's last answer: the runtime's name does not change while the runtime is away. */
  #runtime: Pick<PodWorkerInit, 'runtimeName' | 'networkNotReady'> = { runtimeName: '', networkNotReady: '' };

  constructor(context: ActorContext<PodManagerProtocol>, deps: PodManagerDeps) {
    this.#context = context;
    this.#deps = deps;
    this.#records = new Records(deps.allocations, context.log);
    this.#state = new PodDecisions(deps.sources, deps.node, {
      savedAllocation: (uid) => deps.allocations.read(uid),
      savedVictims: (uid) => deps.allocations.readVictims(uid),
      ...(deps.rules && { rules: deps.rules }),
    });
  }

  start(): void {
    const { podThreads, metrics } = this.#deps;
    metrics?.of(this.#state);
    this.#context.onThreadUp((thread) => {
      if (podThreads.includes(thread)) this.#context.self.tell({ type: 'thread-started', thread });
    });
    this.#nodeAsked = this.#deps.node === undefined ? this.#askForAddresses() : this.#askForNode();
    this.#context.supervise(this.#nodeAsked);
    this.#context.supervise(this.#survey());
    this.#repeatTerminationsLater();
    // Pods that arrive before the node's pressures are known are admitted.
    this.#context.ref(EVICTION_MANAGER).tell({ type: 'report-pressures' });
    for (const source of this.#deps.sources) {
      this.#context.ref(podSources[source]).tell({ type: 'send-all' });
    }
  }

  tell(command: PodManagerProtocol['command']): void {
    if (command.type === 'survey') this.#context.supervise(this.#survey());
    if (command.type === 'node-surveyed') this.#statusesTidied = false;
    if (command.type === 'resend-due') {
      this.#repeatTerminationsLater();
      this.#records.retryWrites((uid) => this.#state.workers.has(uid));
    }
    if (command.type === 'runtime-health-changed') this.#runtimeChanged(command.health);
    // The settings the worker started with may be outdated.
    if (command.type === 'worker-restarted' && this.#health.state === 'up') {
      const worker = this.#context.ref(podWorker(command.podUid));
      worker.tell({ type: 'runtime-health-changed', health: this.#health });
    }
    if (command.type === 'sequence-reported' && !this.#syncSequence.hasMissed(command)) return;
    const effects = this.#state.decide(command, this.#deps.threadOf);
    this.#deps.metrics?.decided(command, effects, this.#state);
    for (const effect of effects) this.#perform(effect);
    if (command.type === 'pod-terminated') {
      this.#ended(command.podUid);
      const { podUid } = command;
      if (this.#deps.server !== undefined) this.#context.ref(OBJECT_CACHE).tell({ type: 'forget-pod', podUid });
      if (command.removed) this.#syncSequence.forget(command.podUid);
    }
    if (this.#state.isEmpty) for (const gone of this.#whenEmpty.splice(0)) gone();
    if (this.#state.knowsAll && !this.#statusesTidied) this.#tidyStatuses();
    if (this.#state.knowsAll && command.type === 'report-mirror-pods') this.#sentAllMirrors();
  }

  /**
   * The API may still show pods whose worker reported their removal to an earlier pod manager. No other report of these
   * will follow.
   */
  #tidyStatuses(): void {
    this.#statusesTidied = true;
    const kept = new Set([...this.#state.desired.keys(), ...this.#state.workers.keys(), ...this.#state.doubted]);
    this.#context.ref(STATUS_MANAGER).tell({ type: 'forget-others', kept });
    this.#context.ref(PROBE_MANAGER).tell({ type: 'forget-others', kept });
    this.#sentAllMirrors();
  }

  #sentAllMirrors(): void {
    if (this.#deps.sources.includes('api')) {
      this.#context.ref(MIRROR_PODS).tell({ type: 'snapshot-complete' });
    }
  }

  #allPods(): readonly Pod[] {
    const going = [...this.#state.workers].flatMap(([uid, { pod }]) =>
      pod === undefined || this.#state.desired.has(uid) ? [] : [pod],
    );
    return [...this.#state.desired.values(), ...going];
  }

  ask(
    question: PodManagerQuestion,
  ): readonly Pod[] | Pod | PodsOnNode | EvictionFacts | undefined | Promise<'all-removed' | 'ended'> {
    switch (question.type) {
      case 'all-pods':
        return this.#allPods();
      case 'pods-on-node':
        return podsOnNode(this.#state);
      case 'pod-by-name':
        return this.#allPods().find(
          ({ metadata }) => metadata.namespace === question.namespace && metadata.name === question.name,
        );
      case 'evict-pod':
        return this.#evict(question);
      case 'eviction-facts':
        return evictionFacts({
          workers: this.#state.workers,
          of: question.of,
          complete: this.#state.surveyed,
          pressures: this.#state.nodeAdmission.pressures,
        });
      case 'remove-all-pods':
        return new Promise((resolve) => {
          this.#whenEmpty.push(() => resolve('all-removed'));
          this.tell({ type: 'drain' });
        });
      default:
        return assertNever(question, 'pod manager question');
    }
  }

  #evict(question: EvictPod): Promise<'ended'> {
    const { podUid: uid } = question;
    const worker = this.#state.workers.get(uid);
    if (worker?.pod === undefined || worker.stage === 'ended') return Promise.resolve('ended');
    return new Promise((resolve) => {
      this.#whenEnded.set(uid, [...(this.#whenEnded.get(uid) ?? []), () => resolve('ended')]);
      this.tell(question);
    });
  }

  #ended(uid: PodUid): void {
    for (const ended of this.#whenEnded.get(uid) ?? []) ended();
    this.#whenEnded.delete(uid);
  }

  #repeatTerminationsLater(): void {
    this.#context.clock.after(REPEAT_ENDS_MS, () => this.#context.self.tell({ type: 'resend-due' }));
  }

  #askSource(source: PodSource): void {
    const now = this.#context.clock.monotonic();
    if (now - (this.#askedSources.get(source) ?? Number.NEGATIVE_INFINITY) < ASK_SOURCE_EVERY_MS) return;
    this.#askedSources.set(source, now);
    this.#context.ref(podSources[source]).tell({ type: 'send-all' });
  }

  #perform(effect: PodManagerEffect): void {
    if (effect.type === 'ask-source') return this.#askSource(effect.source);
    if (effect.type === 'read-node') return this.#context.supervise(this.#readNode());
    const { uid } = effect;
    // Work for a pod can be traced from here on: the trace is the pod's UID.
    const context = this.#context.traced(uid);
    switch (effect.type) {
      case 'start-worker': {
        const init: PodWorkerInit = {
          podUid: uid,
          history: effect.history,
          handedOverAt: context.clock.now(),
          ...this.#runtime,
        };
        const spec: ChildSpec = { address: podWorker(uid), init, ...this.#deps.workerRule };
        return context.ref(hostAddress(this.#deps.threadOf(uid))).tell({ type: 'start-actor', spec });
      }
      case 'tell-worker':
        return context.ref(podWorker(uid)).tell(this.#instruction(effect));
      case 'forget-status': {
        const until = { version: this.#context.clock.monotonic(), ...(effect.stays && { stays: true as const }) };
        // The next worker registers the pod's probes with the probe manager.
        if (effect.stays !== true) context.ref(PROBE_MANAGER).tell({ type: 'forget-pod', podUid: uid });
        return context.ref(STATUS_MANAGER).tell({ type: 'forget-pod', podUid: uid, ...until });
      }
      case 'tell-status':
        return context.ref(STATUS_MANAGER).tell(effect.command);
      case 'tell-mirrors':
        return context.ref(MIRROR_PODS).tell(effect.command);
      case 'keep-allocation':
        return this.#records.keep(uid, effect.allocation);
      case 'resize-asked':
        return;
      case 'keep-victims':
        return this.#records.keepVictims(uid, effect.victims);
      case 'await-victims':
        context.clock.after(effect.withinMs, () => context.self.tell({ type: 'preemption-overdue', podUid: uid }));
        return;
      case 'read-pod':
        return context.supervise(this.#readPod(effect));
      case 'record-event':
        return this.#deps.recordEvent({ object: podEventObject(effect.pod), ...effect.event });
      case 'tell-rejection': {
        const { pod, rejection } = effect;
        context.log.warn(
          { pod: podKey(pod), reason: rejection.reason },
          `pod rejected, none of its containers will run: ${rejection.message}`,
        );
        return this.#deps.recordEvent({ object: podEventObject(pod), type: 'Warning', ...rejection });
      }
      default:
        return assertNever(effect, 'pod manager effect');
    }
  }

  /** The instruction with its number. A pod is sent with the node's addresses, so that a lost notice of them does no harm. */
  #instruction(effect: Extract<PodManagerEffect, { type: 'tell-worker' }>): PodWorkerCommand {
    const command = this.#syncSequence.numbered(effect, this.#context.clock);
    return command.type === 'sync-pod' ? { ...command, hostIps: this.#state.hostIps } : command;
  }

  /** Asks for the node as observed before this incarnation. Later changes are sent as they happen. */
  async #askForNode(): Promise<void> {
    const nodeStatus = this.#context.ref(NODE_STATUS);
    try {
      const { node, ...observed } = await nodeStatus.ask({ type: 'known-node' }, { deadlineMs: NODE_WITHIN_MS });
      this.#context.self.tell({ type: 'node-addresses-observed', ...observed });
      if (node !== undefined) this.#context.self.tell({ type: 'node-observed', node });
    } catch {
      this.#context.clock.after(NODE_AGAIN_MS, () => this.#context.supervise(this.#askForNode()));
    }
  }

  /** The addresses of a node without an API server. Without an answer, a later notice brings them. */
  async #askForAddresses(): Promise<void> {
    const asked = this.#context.ref(NODE_ADDRESSES).ask({ type: 'node-addresses' }, { deadlineMs: NODE_WITHIN_MS });
    const observed = await answerOr(asked, () => undefined);
    if (observed !== undefined) this.#context.self.tell({ type: 'node-addresses-observed', ...observed });
  }

  /** Reads the Node object from the server, however long the server is away: the judgement waits for it. */
  async #readNode(): Promise<void> {
    const node = await this.#deps.server?.node();
    if (node !== 'unknown') return this.#context.self.tell({ type: 'node-read', node });
    this.#context.clock.after(SERVER_AGAIN_MS, () => this.#context.supervise(this.#readNode()));
  }

  async #readPod({ uid, namespace, name }: Extract<PodManagerEffect, { type: 'read-pod' }>): Promise<void> {
    const server = (await this.#deps.server?.pod({ uid, namespace, name })) ?? 'has-no-pod';
    if (server === 'unknown')
      return void this.#context.clock.after(SERVER_AGAIN_MS, () =>
        this.#context.supervise(this.#readPod({ type: 'read-pod', uid, namespace, name })),
      );
    if (server === 'has-no-pod') this.#doubtsLogged.delete(uid);
    else if (!this.#doubtsLogged.has(uid)) {
      this.#doubtsLogged.add(uid);
      this.#context.log.warn(
        { pod: `${namespace}/${name}`, podUid: uid },
        'the API server has a pod that its list did not bring; leaving its containers as they are, asking every 30 s',
      );
    }
    this.#context.self.tell({ type: 'pod-read', podUid: uid, server });
  }

  #runtimeChanged(health: RuntimeHealth): void {
    this.#health = health;
    if (health.state !== 'up') return;
    const { name, networkNotReady } = health.runtime;
    this.#runtime = { runtimeName: name, networkNotReady };
  }

  /**
   * Surveys the pods in the runtime, the runtime's state, and the workers that outlived an earlier incarnation. Retries
   * until all answer.
   */
  async #survey(): Promise<void> {
    const { clock } = this.#context;
    const workersBefore = [...this.#state.workers.keys()];
    // Effects that an earlier manager began may have finished after PLEG last looked.
    const newerThan = this.#surveyed ? Number.NEGATIVE_INFINITY : clock.monotonic();
    try {
      const [found] = await Promise.all([
        surveyHosts(this.#context, { podThreads: this.#deps.podThreads, newerThan }),
        ...(this.#surveyed ? [] : [within(clock, ADDRESSES_WITHIN_MS, this.#nodeAsked)]),
      ]);
      const { health, runtimePods, workers } = found;
      this.#context.self.tell({ type: 'runtime-health-changed', health });
      this.#context.self.tell({ type: 'node-surveyed', runtimePods, workers, workersBefore });
      this.#surveyed = true;
      clock.after(SURVEY_EVERY_MS, () => this.#context.self.tell({ type: 'survey' }));
    } catch (reason) {
      this.#context.log.debug(
        { err: describeError(reason) },
        'cannot list the pods of the runtime and the pod workers; retrying',
      );
      clock.after(this.#surveyed ? SURVEY_EVERY_MS : SURVEY_AGAIN_MS, () =>
        this.#context.self.tell({ type: 'survey' }),
      );
    }
  }
}
