import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { CriOutcome } from '../../src/cri/fault.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { RecordEvent } from '../../src/kube/event.ts';
import { hostNetworkPodIps } from '../../src/pod/status/pod-ips.ts';
import { planVolumes } from '../../src/volumes/plan/plan-volumes.ts';
import { CONTAINER_MANAGER } from '../container-manager/protocol.ts';
import { PLEG, type ObservedPod } from '../pleg/protocol.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import { PROBE_MANAGER, type PodProbeResults } from '../probe-manager/protocol.ts';
import { STATUS_MANAGER } from '../status-manager/protocol.ts';
import { readActuated } from './act/actuated-resources.ts';
import { act } from './act/act.ts';
import { CgroupCheck } from './act/ensure-cgroup.ts';
import { TerminationMessages, withTerminationMessages } from './act/read-termination-messages.ts';
import { WorkerCount } from './count/worker-count.ts';
import { namesOf } from './decide/pod-of.ts';
import type { PodWorkerMetrics } from './metrics.ts';
import { PodEvents } from './pod-events.ts';
import type { PodWorkerInit, PodWorkerProtocol, Touched } from './protocol.ts';
import { removeDead, removePod, unmountAll } from './act/remove-pod.ts';
import { SyncAttempt } from './act/sync-attempt.ts';
import { decide, initialState } from './state.ts';
import type { NodeTools, PodWorkerTools } from './tools.ts';
import type { Effect, NodeSettings, PodWorkerState } from './worker-state.ts';
import { stopEverything } from './act/stop-pod.ts';
import { readUnfinishedHook, wipeStaleHookNote } from './act/post-start.ts';
import { answerOr } from '../../src/actor/messages/answer-or.ts';

export interface PodWorkerDeps {
  readonly init: PodWorkerInit;
  readonly settings: NodeSettings;
  readonly tools: NodeTools;
  /** The thread's counts. `undefined` when nothing is counted. */
  readonly metrics?: PodWorkerMetrics | undefined;
  readonly recordEvent: RecordEvent;
}

/** How long PLEG may take to answer: a relist of a slow runtime, and a margin. */
const OBSERVE_WITHIN_MS = 120_000;
const PREVIOUS_STATUS_WITHIN_MS = 5_000;
/** A worker without a pod asks for it after this time. */
const ASK_FOR_POD_MS = 5_000;
/**
 * The pod may have been sent before the worker existed. The first request waits only long enough to be sure of that.
 */
const FIRST_ASK_FOR_POD_MS = 500;
/** Keeps statuses within one clock tick in order. */
const VERSION_STEP = 2 ** -10;
/** A timer cannot hold longer waits; these are checked again before they end. */
const LONGEST_WAIT_MS = 600_000;

/** Starts one pod, keeps it as wanted, and removes it. */
export class PodWorker implements Actor<PodWorkerProtocol> {
  readonly #context: ActorContext<PodWorkerProtocol>;
  readonly #deps: PodWorkerDeps;
  readonly #tools: PodWorkerTools;
  #state: PodWorkerState;
  readonly #terminationMessages: TerminationMessages;
  readonly #cgroup: CgroupCheck;
  #attempt: SyncAttempt | undefined;
  readonly #count: WorkerCount;
  #cancelSync: () => void = () => {};
  #cancelRepeat: () => void = () => {};
  #statusVersion = Number.NEGATIVE_INFINITY;

  constructor(context: ActorContext<PodWorkerProtocol>, deps: PodWorkerDeps) {
    const { podUid } = deps.init;
    const events = new PodEvents({ uid: podUid, log: context.log, recordEvent: deps.recordEvent });
    this.#context = context;
    this.#deps = deps;
    this.#state = initialState(deps.init, { monotonic: context.clock.monotonic() }, context.restarted);
    this.#count = new WorkerCount(deps.metrics, context, deps.init);
    this.#tools = {
      ...deps.tools,
      observe: (touched) => this.#askPleg(context.clock.monotonic(), touched),
      reports: {
        event: (event) => events.record(this.#state.phase, event),
        metrics: this.#count.metrics,
        podWeight: (burstableMilliCpu) =>
          context.ref(CONTAINER_MANAGER).tell({ type: 'pod-cgroup-changed', podUid, burstableMilliCpu }),
      },
      stops: { preStopHooks: new Map(), containers: new Map() },
      hostIps: () => this.#state.hostIps,
      hostNetworkIps: () => {
        const { status, hostIps } = this.#state;
        return hostNetworkPodIps(status?.podIPs?.map(({ ip }) => ip) ?? [], hostIps);
      },
    };
    this.#terminationMessages = new TerminationMessages({
      uid: podUid,
      files: deps.tools.host.files,
      node: deps.tools.node,
    });
    this.#cgroup = new CgroupCheck(deps.tools, podUid);
  }

  start(): void {
    const context = this.#context;
    const { podUid } = this.#deps.init;
    if (!this.#state.statusKnown) this.#perform({ type: 'read-previous-status' });
    if (context.restarted) context.ref(POD_MANAGER).tell({ type: 'worker-restarted', podUid });
    this.#askForPodLater(FIRST_ASK_FOR_POD_MS);
  }

  /** The pod manager's instruction may be lost. */
  #askForPodLater(afterMs: number): void {
    this.#context.clock.after(afterMs, () => {
      if (this.#state.phase.type !== 'waiting-for-pod') return;
      const { podUid } = this.#deps.init;
      this.#context.ref(POD_MANAGER).tell({ type: 'worker-restarted', podUid });
      this.#askForPodLater(ASK_FOR_POD_MS);
    });
  }

  /** Later than any status of an earlier incarnation too: all share the process's monotonic clock. */
  #nextStatusVersion(): number {
    this.#statusVersion = Math.max(this.#statusVersion + VERSION_STEP, this.#context.clock.monotonic());
    return this.#statusVersion;
  }

  /** A lost status would not be sent again, since nothing has changed. */
  #repeatLater(): void {
    const { clock, random, self } = this.#context;
    this.#cancelRepeat();
    const delayMs = Math.min(this.#deps.settings.syncFrequencyMs * (1 + random() / 2), LONGEST_WAIT_MS);
    this.#cancelRepeat = clock.after(delayMs, () => self.tell({ type: 'report-status' }));
  }

  #reportAgain(): void {
    const { podUid } = this.#deps.init;
    const { lastSequence } = this.#state;
    wipeStaleHookNote(this.#tools, this.#state);
    if (lastSequence === Number.NEGATIVE_INFINITY) return;
    this.#context.ref(POD_MANAGER).tell({ type: 'sequence-reported', podUid, sequence: lastSequence });
  }

  tell(command: PodWorkerProtocol['command']): void {
    const { clock, random } = this.#context;
    const moment = { now: clock.now(), monotonic: clock.monotonic(), chance: random() };
    const known = withTerminationMessages(this.#terminationMessages, command);
    if (this.#cgroup.isFoundGone(known)) this.tell({ type: 'cgroup-gone' });
    const before = this.#state.status;
    const { next, effects } = decide(this.#state, known, { ...moment, ...this.#deps.settings });
    this.#state = next;
    if (command.type === 'report-status') this.#reportAgain();
    if (command.type === 'sync-pod') this.#count.podReceived();
    for (const effect of effects) {
      if (effect.type === 'publish') this.#count.published(effect, before);
      this.#perform(effect);
    }
  }

  #perform(effect: Effect): void {
    const { clock, self } = this.#context;
    const { podUid } = this.#deps.init;
    switch (effect.type) {
      case 'read-previous-status':
        return this.#context.supervise(this.#readPreviousStatus());
      case 'observe':
        if (effect.afterMs === undefined) return this.#observe(effect.newerThan, effect.touched);
        clock.after(effect.afterMs, () => this.#observe(effect.newerThan, effect.touched));
        return;
      case 'act': {
        const progress = (observed: ObservedPod) => self.tell({ type: 'sandbox-ready', observed });
        this.#attempt = new SyncAttempt(effect, this.#tools, progress);
        const done = act(this.#attempt);
        const ended = this.#count.attempt(effect.pod);
        return this.#context.supervise(
          done.then((result) => self.tell({ type: 'attempt-ended', result: ended(result) })),
        );
      }
      case 'cancel-acting':
        return this.#attempt?.cancel();
      case 'stop-pod': {
        const { target, runtime } = effect;
        const stopped = stopEverything(this.#tools, { pod: target.pod, runtime, graceSeconds: target.graceSeconds });
        const ended = this.#count.stop<Awaited<typeof stopped>>();
        return this.#context.supervise(stopped.then((result) => self.tell({ type: 'stopped', ...ended(result) })));
      }
      case 'remove-pod': {
        const { pod, name, namespace } = effect.target;
        const removed = removePod(this.#tools, { pod, runtime: { ...effect.runtime, uid: podUid, name, namespace } });
        return this.#context.supervise(this.#andReport('pod', removed));
      }
      case 'remove-volumes':
        return this.#context.supervise(this.#andReport('volumes', unmountAll(this.#tools, podUid)));
      case 'remove-dead': {
        const removed = removeDead(this.#tools, { podUid, ...effect });
        return this.#context.supervise(this.#andReport('dead', removed));
      }
      case 'publish': {
        const { name, namespace } = effect.pod.metadata;
        const { status } = effect;
        this.#repeatLater();
        return this.#context.ref(STATUS_MANAGER).tell({
          type: 'pod-status-changed',
          podUid,
          pod: `${namespace}/${name}`,
          status,
          version: this.#nextStatusVersion(),
        });
      }
      case 'unmount-volumes':
        return this.#context.supervise(this.#unmountVolumes());
      case 'want-volumes': {
        const plan = planVolumes(effect.pod, this.#tools.node);
        return plan === undefined ? undefined : this.#tools.volumes.want(plan);
      }
      case 'probe':
        return this.#context.ref(PROBE_MANAGER).tell({ type: 'probe-pod', ...effect.pod });
      case 'forget-probes':
        return this.#context.ref(PROBE_MANAGER).tell({ type: 'forget-pod', podUid });
      case 'tell-event':
        return this.#tools.reports.event(effect.event);
      case 'report-terminated': {
        const { removed, left } = effect;
        const { status } = this.#state;
        const last = {
          ...(left === undefined ? {} : { left }),
          ...(removed && status !== undefined ? { status } : {}),
        };
        this.#context.ref(POD_MANAGER).tell({ type: 'pod-terminated', podUid, removed, ...last });
        return removed ? this.#context.finish() : undefined;
      }
      case 'sync-at':
        this.#cancelSync();
        this.#cancelSync = clock.after(Math.min(Math.max(0, effect.at - clock.monotonic()), LONGEST_WAIT_MS), () =>
          self.tell({ type: 'sync-due' }),
        );
        return;
      default:
        return assertNever(effect, 'pod worker effect');
    }
  }

  async #andReport(what: 'pod' | 'volumes' | 'dead', work: Promise<string | undefined>): Promise<void> {
    this.#context.self.tell({ type: 'removed', what, failed: await work });
  }

  #observe(newerThan: MonotonicMs, touched?: Touched): void {
    const seen = this.#askPleg(newerThan, touched);
    this.#context.supervise(seen.then((outcome) => this.#context.self.tell({ type: 'observed', outcome })));
  }

  async #askPleg(newerThan: MonotonicMs, touched?: Touched): Promise<CriOutcome<ObservedPod>> {
    const { podUid } = this.#deps.init;
    const named = touched === undefined ? {} : { touched: { ...touched, ...this.#podNames() } };
    const question = { type: 'pod-status', podUid, newerThan, ...named } as const;
    return answerOr(this.#context.ref(PLEG).ask(question, { deadlineMs: OBSERVE_WITHIN_MS }), (fault) => ({
      ok: false,
      fault: { code: 'INTERRUPTED', detail: fault.message },
    }));
  }

  /** Unmounts the volumes of an ended pod that stays visible. Failures are retried when the pod is removed. */
  async #unmountVolumes(): Promise<void> {
    const outcome = await this.#tools.volumes.unmount(this.#deps.init.podUid);
    if (!outcome.ok)
      this.#context.log.warn(
        { pod: this.#podName() },
        `cannot unmount the volumes of an ended pod: ${outcome.message}`,
      );
  }

  async #readPreviousStatus(): Promise<void> {
    const { podUid } = this.#deps.init;
    const statusManager = this.#context.ref(STATUS_MANAGER);
    // Without an answer the pod starts without its history.
    const [status, verdicts] = await Promise.all([
      statusManager
        .ask({ type: 'status-of-pod', podUid }, { deadlineMs: PREVIOUS_STATUS_WITHIN_MS })
        .catch(() => undefined),
      this.#probeResults(),
    ]);
    const unfinishedHook = readUnfinishedHook(this.#tools, podUid);
    const actuated = readActuated(this.#tools, podUid);
    this.#context.self.tell({
      type: 'previous-status-read',
      status,
      ...(verdicts === undefined ? {} : { verdicts }),
      ...(unfinishedHook === undefined ? {} : { unfinishedHook }),
      ...(actuated === undefined ? {} : { actuated }),
    });
  }

  async #probeResults(): Promise<PodProbeResults | undefined> {
    const { podUid } = this.#deps.init;
    const probeManager = this.#context.ref(PROBE_MANAGER);
    return probeManager
      .ask({ type: 'results-of-pod', podUid }, { deadlineMs: PREVIOUS_STATUS_WITHIN_MS })
      .catch(() => undefined);
  }

  #podNames(): { readonly name: string; readonly namespace: string } {
    return namesOf(this.#state.phase);
  }

  #podName(): string {
    const { name, namespace } = this.#podNames();
    return `${namespace}/${name}`;
  }
}
