import { elapsedMs, later, type MonotonicMs } from '../../src/actor/clock.ts';
import { podWorker } from '../pod-worker/protocol.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { CriByteCall, CriClient } from '../../src/cri/client.ts';
import type { CriFault, CriOutcome } from '../../src/cri/fault.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { podUid as asPodUid, type PodUid } from '../../src/kube/ids.ts';
import { EarliestTimer } from './earliest-timer.ts';
import { PodLists } from './list-delta.ts';
import { inspect, resultFromEvent } from './inspect.ts';
import type { PlegMetrics } from './metrics.ts';
import type {
  Inspected,
  Inspection,
  Listing,
  ObservedPod,
  PlegHealth,
  PlegProtocol,
  PlegQuestion,
  PodStatusObserved,
  RuntimePodName,
  RuntimePodNotice,
} from './protocol.ts';
import { emptyStatus, PodRecords, type Change } from './pod-records.ts';
import { StatusWaiters } from './status-waiters.ts';
import { dutyOf } from '../health-monitor/client.ts';
import type { Duty, DutyAttempt } from '../../src/health/duty.ts';

export interface PlegDeps {
  readonly cri: CriClient;
  /** The same calls with encoded answers: lists are compared before they are decoded. */
  readonly criBytes: CriByteCall;
  readonly metrics: PlegMetrics;
}

const RELIST_EVERY_MS = 1_000;
/** With a live event stream, the relist only catches changes that no event reported. */
const SAFETY_RELIST_EVERY_MS = 10_000;
/** Minimum gap between two relists, however many callers wait for one. */
const RELIST_GAP_MS = 50;
/** PLEG counts as unhealthy when its last relist is older than this. */
const HEALTHY_WITHIN_MS = 180_000;

/** Keeps revisions within one clock tick distinct. A double represents the sums exactly for centuries of uptime. */
const REVISION_STEP = 2 ** -10;

/** No pod has this UID: a question for this UID waits for the next relist only. */
const NO_POD = asPodUid('');

/** Observes pod changes in the runtime and reports them to the pod workers. */
export class Pleg implements Actor<PlegProtocol> {
  readonly #context: ActorContext<PlegProtocol>;
  readonly #relisting: Duty;
  readonly #deps: PlegDeps;
  readonly #records = new PodRecords();
  readonly #waiters = new StatusWaiters();
  readonly #lists = new PodLists();
  /** Pods with changes that would mislead their workers until the rest of the pod is inspected. */
  readonly #unreported = new Map<PodUid, RuntimePodName>();
  #stream: 'live' | 'broken' | 'unsupported' = 'broken';
  #relistStartedAt: MonotonicMs | undefined;
  #relistAttempt: DutyAttempt | undefined;
  /** `true` when a caller needs a relist that begins after the one under way. */
  #relistAgain = false;
  readonly #timer: EarliestTimer;
  #relistEndedAt: MonotonicMs = Number.NEGATIVE_INFINITY;
  #relistFault: CriFault['code'] | undefined;
  #revision = 0;

  constructor(context: ActorContext<PlegProtocol>, deps: PlegDeps) {
    this.#context = context;
    this.#relisting = dutyOf(context, {
      work: 'list pods and containers of the runtime',
      follows: 'pods keep their last status, and changes are acted on late',
    });
    this.#deps = deps;
    this.#timer = new EarliestTimer(context.clock, () => context.self.tell({ type: 'relist' }));
  }

  start(): void {
    this.#deps.metrics.heldBy(() => this.#records.held());
    this.#relist();
  }

  tell(command: PlegProtocol['command']): void {
    switch (command.type) {
      case 'relist':
        return this.#relist();
      case 'listed':
        return this.#listed(command.at, command.outcome);
      case 'inspected':
        return this.#inspected(command.inspection, command.outcome);
      case 'container-event':
        return this.#event(command.event);
      case 'event-stream-changed':
        return this.#streamChanged(command.stream);
      case 'runtime-health-changed':
        return command.health.state === 'up' ? this.#relistSoon() : undefined;
      default:
        return assertNever(command, 'PLEG command');
    }
  }

  ask(question: PlegQuestion): unknown {
    switch (question.type) {
      case 'pod-status':
        return question.touched === undefined
          ? this.#statusNewerThan(question.podUid, question.newerThan)
          : this.#statusOfTouched({ ...question.touched, podUid: question.podUid }, question.newerThan);
      case 'runtime-pods':
        return this.#runtimePods(question.newerThan);
      case 'running-logs':
        return this.#records.runningLogs();
      case 'pleg-health':
        return this.#health();
      default:
        return assertNever(question, 'PLEG question');
    }
  }

  // ---- relist
  // --------------------------------------------------------------------------------------------------------

  /** Relists as soon as the gap permits. A relist under way does not count: it may show an earlier state. */
  #relistSoon(): void {
    if (this.#relistStartedAt !== undefined) this.#relistAgain = true;
    else
      this.#timer.within(
        Math.max(0, elapsedMs(this.#context.clock.monotonic(), later(this.#relistEndedAt, RELIST_GAP_MS))),
      );
  }

  #relist(): void {
    if (this.#relistStartedAt !== undefined) return;
    const { clock, self } = this.#context;
    const at = clock.monotonic();
    this.#relistStartedAt = at;
    this.#relistAttempt = this.#relisting.attempt('a list of pods and containers');
    this.#deps.metrics.relistStarted(clock.now());
    const lists = Promise.all([
      this.#deps.criBytes('ListPodSandbox', new Uint8Array(), {}),
      this.#deps.criBytes('ListContainers', new Uint8Array(), {}),
    ]);
    const listed = lists.then(([sandboxes, containers]) =>
      self.tell({ type: 'listed', at, outcome: listing(sandboxes, containers) }),
    );
    this.#context.supervise(listed);
  }

  #listed(at: MonotonicMs, outcome: Listing): void {
    const { clock } = this.#context;
    const again = this.#relistAgain;
    this.#relistAgain = false;
    this.#relistStartedAt = undefined;
    this.#relistEndedAt = clock.monotonic();
    const fault = outcome.ok ? this.#compared(at, outcome) : outcome.fault;
    this.#relistEnded(fault);
    if (fault === undefined) this.#deps.metrics.relisted(elapsedMs(at, this.#relistEndedAt) / 1000, clock.now());
    if (fault !== undefined || this.#stream !== 'live') this.#timer.within(RELIST_EVERY_MS);
    else this.#timer.within(SAFETY_RELIST_EVERY_MS);
    if (again || (fault === undefined && this.#waiters.relistWanted)) this.#relistSoon();
  }

  #relistEnded(fault: CriFault | undefined): void {
    this.#deps.metrics.relistEnded();
    if (fault === undefined) this.#relistAttempt?.worked();
    else this.#relistAttempt?.failed(fault.detail);
    if (fault !== undefined) {
      const { log } = this.#context;
      // The CRI gateway reports a runtime that is down. Only PLEG notices a runtime that answers with invalid data.
      const level = fault.code === 'DATA_LOSS' && this.#relistFault !== fault.code ? 'warn' : 'debug';
      log[level]({ ...fault }, 'relist failed; keeping the last observed state and relisting again');
    }
    this.#relistFault = fault?.code;
  }

  #compared(at: MonotonicMs, lists: Extract<Listing, { ok: true }>): CriFault | undefined {
    const delta = this.#lists.delta({ ...lists, at }, this.#records.inDoubt);
    if ('code' in delta) return delta;
    const inspections = this.#records.toInspect(delta);
    this.#waiters.relisted(at, inspections, this.#records);
    for (const inspection of inspections) this.#inspect({ ...inspection, at: this.#context.clock.monotonic() });
    for (const pod of this.#unreported.values()) this.#notifyWorker(pod);
    return undefined;
  }

  #inspect(inspection: Inspection): void {
    const { self } = this.#context;
    const inspected = inspect(this.#deps.cri, inspection);
    this.#context.supervise(inspected.then((outcome) => self.tell({ type: 'inspected', inspection, outcome })));
  }

  #inspected(inspection: Inspection, outcome: Inspected): void {
    const { podUid } = inspection;
    this.#records.inspectionEnded(inspection);
    const change = outcome.ok ? this.#records.take({ ...inspection, ...outcome }, 'inspection') : 'none';
    this.#waiters.inspected(podUid, outcome.ok ? undefined : outcome.fault, this.#records);
    this.#changed(inspection, change);
    if (!outcome.ok) this.#timer.within(RELIST_EVERY_MS);
    else if (this.#waiters.relistWanted) this.#relistSoon();
  }

  // ---- answers
  // -------------------------------------------------------------------------------------------------------

  #statusNewerThan(podUid: PodUid, newerThan: MonotonicMs): Promise<CriOutcome<ObservedPod>> {
    return new Promise((resolve) => {
      const waiter = {
        newerThan,
        answer: (outcome: CriOutcome<Omit<ObservedPod, 'revision'>>): void =>
          resolve(outcome.ok ? { ok: true, value: this.#stamped(outcome.value) } : outcome),
      };
      const answered = this.#waiters.ask(podUid, waiter, this.#records);
      // A relist under way, or a failed one, schedules the next relist when it ends.
      if (!answered && this.#relistStartedAt === undefined && this.#relistFault === undefined) {
        if (this.#waiters.relistWanted) this.#relistSoon();
      }
    });
  }

  async #statusOfTouched(touched: Omit<Inspection, 'at'>, newerThan: MonotonicMs): Promise<CriOutcome<ObservedPod>> {
    const { podUid } = touched;
    const at = this.#context.clock.monotonic();
    const outcome = await inspect(this.#deps.cri, { ...touched, at });
    this.#deps.metrics.podInspected(elapsedMs(at, this.#context.clock.monotonic()) / 1000);
    if (!outcome.ok) return outcome;
    const result = { ...touched, at, sandboxes: outcome.sandboxes, containers: outcome.containers };
    this.#notifyManager(result, this.#records.take(result, 'inspection'));
    if (!this.#mayNotify(podUid)) {
      // The touched things are not the whole pod. The rest must be observed, or it would count as missing.
      const whole = await this.#statusNewerThan(podUid, this.#waiters.knownAsOf(podUid));
      if (!whole.ok) return whole;
    }
    const status = this.#records.status(podUid) ?? emptyStatus(touched);
    // The inspection began after the question, so the answer is newer than `newerThan`, even within one clock tick.
    return { ok: true, value: this.#stamped({ status, observedAt: at === newerThan ? at + REVISION_STEP : at }) };
  }

  #stamped(pod: Omit<ObservedPod, 'revision'>): ObservedPod {
    // Larger than any revision of an earlier incarnation too: all incarnations share the process's monotonic clock.
    this.#revision = Math.max(this.#revision + REVISION_STEP, this.#context.clock.monotonic());
    return { ...pod, revision: this.#revision };
  }

  #runtimePods(newerThan: MonotonicMs): readonly RuntimePodName[] | Promise<readonly RuntimePodName[]> {
    if (this.#waiters.relistedAt > newerThan) return this.#records.names;
    return this.#statusNewerThan(NO_POD, newerThan).then(() => this.#records.names);
  }

  #health(): PlegHealth {
    const now = this.#context.clock.monotonic();
    const { relistedAt } = this.#waiters;
    const lastRelistAgeMs = Number.isFinite(relistedAt) ? now - relistedAt : undefined;
    return {
      healthy: lastRelistAgeMs !== undefined && lastRelistAgeMs <= HEALTHY_WITHIN_MS,
      lastRelistAgeMs,
      currentRelistAgeMs: this.#relistStartedAt === undefined ? undefined : now - this.#relistStartedAt,
    };
  }

  // ---- changes
  // -------------------------------------------------------------------------------------------------------

  #streamChanged(stream: 'live' | 'broken' | 'unsupported'): void {
    this.#stream = stream;
    // Events before the stream was live, or while it was broken, are lost.
    this.#relistSoon();
  }

  #event(bytes: Uint8Array): void {
    // PLEG may have restarted after the gateway reported the live stream.
    if (this.#stream !== 'live') this.#streamChanged('live');
    const result = resultFromEvent(bytes, this.#context.clock);
    if (result === 'not-ours') return;
    if (result === 'unclear') return this.#relistSoon();
    this.#changed(result, this.#records.take(result, 'event'));
  }

  #changed({ podUid, name, namespace }: RuntimePodName, change: Change): void {
    this.#notifyManager({ podUid, name, namespace }, change);
    if (change !== 'none') this.#unreported.set(podUid, { podUid, name, namespace });
    const unreported = this.#unreported.get(podUid);
    if (unreported !== undefined) this.#notifyWorker(unreported);
  }

  /**
   * Returns `false` while the runtime holds, or may hold, something the status lacks: the worker would create it a
   * second time.
   */
  #mayNotify(podUid: PodUid): boolean {
    return Number.isFinite(this.#waiters.relistedAt) && this.#records.isWhole(podUid);
  }

  #notifyWorker(pod: RuntimePodName): void {
    const { podUid } = pod;
    if (!this.#mayNotify(podUid)) return;
    this.#unreported.delete(podUid);
    // An event describes one sandbox at one moment. The whole pod is known only as of the last relist.
    const observed = {
      status: this.#records.status(podUid) ?? emptyStatus(pod),
      observedAt: this.#waiters.knownAsOf(podUid),
    };
    const message: PodStatusObserved = { type: 'pod-status-observed', ...this.#stamped(observed) };
    this.#context.traced(podUid).ref(podWorker(podUid)).tell(message);
  }

  #notifyManager({ podUid, name, namespace }: RuntimePodName, change: Change): void {
    if (change === 'appeared') this.#sendToManager({ type: 'runtime-pod-appeared', podUid, name, namespace });
    else if (change === 'vanished') this.#sendToManager({ type: 'runtime-pod-vanished', podUid });
  }

  #sendToManager(notice: RuntimePodNotice): void {
    this.#context.ref(POD_MANAGER).tell(notice);
  }
}

function listing(sandboxes: CriOutcome<Uint8Array>, containers: CriOutcome<Uint8Array>): Listing {
  if (!sandboxes.ok) return sandboxes;
  if (!containers.ok) return containers;
  return { ok: true, sandboxes: sandboxes.value, containers: containers.value };
}
