import { podWorker } from '../pod-worker/protocol.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { CriByteCall, CriClient } from '../../src/cri/client.ts';
import type { CriFault, CriOutcome } from '../../src/cri/fault.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { podUid as asPodUid, type PodUid } from '../../src/kube/ids.ts';
import { EarliestTimer } from './earliest-timer.ts';
import { PodLists } from './list-delta.ts';
import { lookAt, lookFromEvent } from './look.ts';
import type { PlegMetrics } from './metrics.ts';
import type {
  Inspected,
  Inspection,
  Listing,
  ObservedPod,
  PlegCommand,
  PlegHealth,
  PlegProtocol,
  PlegQuestion,
  PodStatusObserved,
  RuntimePodName,
  RuntimePodNotice,
} from './protocol.ts';
import { emptyStatus, PodRecords, type Change } from './pod-records.ts';
import { StatusWaiters } from './status-waiters.ts';

export interface PlegDeps {
  readonly cri: CriClient;
  /** The same calls as bytes: lists are compared before they are decoded. */
  readonly criBytes: CriByteCall;
  readonly metrics: PlegMetrics;
}

const RELIST_EVERY_MS = 1_000;
/** With a live event stream the relist is only there to catch what an event did not tell. */
const SAFETY_RELIST_EVERY_MS = 10_000;
/** However much somebody waits for a relist, this much lies between two of them. */
const RELIST_GAP_MS = 50;
/** A relist older than this means that PLEG is not healthy. */
const HEALTHY_WITHIN_MS = 180_000;

/** Keeps revisions apart that are given within one tick of the clock; a double holds it for centuries of uptime. */
const REVISION_STEP = 2 ** -10;

/** No pod has this UID: whoever waits for it waits for the next relist alone. */
const NO_POD = asPodUid('');

/** Finds out what the runtime does to pods, and tells their workers. */
export class Pleg implements Actor<PlegProtocol> {
  readonly #context: ActorContext<PlegProtocol>;
  readonly #deps: PlegDeps;
  readonly #records = new PodRecords();
  readonly #waiters = new StatusWaiters();
  readonly #lists = new PodLists();
  /** Pods with news that would mislead their workers until more of the pod is known. */
  readonly #untold = new Map<PodUid, RuntimePodName>();
  #stream: 'live' | 'broken' | 'unsupported' = 'broken';
  #relistStartedAt: number | undefined;
  /** Somebody needs a relist that is begun later than the one under way. */
  #relistAgain = false;
  readonly #timer: EarliestTimer;
  #relistEndedAt = Number.NEGATIVE_INFINITY;
  #relistFault: CriFault['code'] | undefined;
  #revision = 0;

  constructor(context: ActorContext<PlegProtocol>, deps: PlegDeps) {
    this.#context = context;
    this.#deps = deps;
    this.#timer = new EarliestTimer(context.clock, () => context.self.tell({ type: 'relist' }));
  }

  start(): void {
    this.#deps.metrics.heldBy(() => this.#records.held());
    this.#relist();
  }

  tell(command: PlegCommand): void {
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

  // ---- relist --------------------------------------------------------------------------------------------------------

  /** As soon as may be. A relist that is already under way does not count: it may have seen the time before. */
  #relistSoon(): void {
    if (this.#relistStartedAt !== undefined) this.#relistAgain = true;
    else this.#timer.within(Math.max(0, this.#relistEndedAt + RELIST_GAP_MS - this.#context.clock.monotonic()));
  }

  #relist(): void {
    if (this.#relistStartedAt !== undefined) return;
    const { clock, self } = this.#context;
    const at = clock.monotonic();
    this.#relistStartedAt = at;
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

  #listed(at: number, outcome: Listing): void {
    const { clock } = this.#context;
    const again = this.#relistAgain;
    this.#relistAgain = false;
    this.#relistStartedAt = undefined;
    this.#relistEndedAt = clock.monotonic();
    const fault = outcome.ok ? this.#compared(at, outcome) : outcome.fault;
    this.#relistEnded(fault);
    if (fault === undefined) this.#deps.metrics.relisted((this.#relistEndedAt - at) / 1000, clock.now());
    if (fault !== undefined || this.#stream !== 'live') this.#timer.within(RELIST_EVERY_MS);
    else this.#timer.within(SAFETY_RELIST_EVERY_MS);
    if (again || (fault === undefined && this.#waiters.relistWanted)) this.#relistSoon();
  }

  #relistEnded(fault: CriFault | undefined): void {
    this.#deps.metrics.relistEnded();
    if (fault !== undefined) {
      const { log } = this.#context;
      // The gateway tells of a runtime that is down; that one answers nonsense, only we notice.
      const level = fault.code === 'DATA_LOSS' && this.#relistFault !== fault.code ? 'warn' : 'debug';
      log[level]({ ...fault }, 'relist failed; what was seen before still holds');
    }
    this.#relistFault = fault?.code;
  }

  #compared(at: number, lists: Extract<Listing, { ok: true }>): CriFault | undefined {
    const delta = this.#lists.delta({ ...lists, at }, this.#records.inDoubt);
    if ('code' in delta) return delta;
    const looks = this.#records.toInspect(delta);
    this.#waiters.relisted(at, looks, this.#records);
    for (const look of looks) this.#inspect({ ...look, at: this.#context.clock.monotonic() });
    for (const pod of this.#untold.values()) this.#tellWorker(pod);
    return undefined;
  }

  #inspect(inspection: Inspection): void {
    const { self } = this.#context;
    const inspected = lookAt(this.#deps.cri, inspection);
    this.#context.supervise(inspected.then((outcome) => self.tell({ type: 'inspected', inspection, outcome })));
  }

  #inspected(inspection: Inspection, outcome: Inspected): void {
    const { podUid } = inspection;
    this.#records.lookEnded(inspection);
    const change = outcome.ok ? this.#records.take({ ...inspection, ...outcome }, 'look') : 'none';
    this.#waiters.looked(podUid, outcome.ok ? undefined : outcome.fault, this.#records);
    this.#changed(inspection, change);
    if (!outcome.ok) this.#timer.within(RELIST_EVERY_MS);
    else if (this.#waiters.relistWanted) this.#relistSoon();
  }

  // ---- answers -------------------------------------------------------------------------------------------------------

  #statusNewerThan(podUid: PodUid, newerThan: number): Promise<CriOutcome<ObservedPod>> {
    return new Promise((resolve) => {
      const waiter = {
        newerThan,
        answer: (outcome: CriOutcome<Omit<ObservedPod, 'revision'>>): void =>
          resolve(outcome.ok ? { ok: true, value: this.#stamped(outcome.value) } : outcome),
      };
      const answered = this.#waiters.ask(podUid, waiter, this.#records);
      // After a relist under way, or one that failed, the next is arranged there.
      if (!answered && this.#relistStartedAt === undefined && this.#relistFault === undefined) {
        if (this.#waiters.relistWanted) this.#relistSoon();
      }
    });
  }

  async #statusOfTouched(touched: Omit<Inspection, 'at'>, newerThan: number): Promise<CriOutcome<ObservedPod>> {
    const { podUid } = touched;
    const at = this.#context.clock.monotonic();
    const outcome = await lookAt(this.#deps.cri, { ...touched, at });
    this.#deps.metrics.lookedAtPod((this.#context.clock.monotonic() - at) / 1000);
    if (!outcome.ok) return outcome;
    const look = { ...touched, at, sandboxes: outcome.sandboxes, containers: outcome.containers };
    this.#notifyManager(look, this.#records.take(look, 'look'));
    if (!this.#mayTell(podUid)) {
      // What was touched is not the whole pod: the rest must be seen, or it would pass for missing.
      const whole = await this.#statusNewerThan(podUid, this.#waiters.knownAsOf(podUid));
      if (!whole.ok) return whole;
    }
    const status = this.#records.status(podUid) ?? emptyStatus(touched);
    // Asked after `newerThan`, so looked at after it, even within one tick of the clock.
    return { ok: true, value: this.#stamped({ status, observedAt: at === newerThan ? at + REVISION_STEP : at }) };
  }

  #stamped(pod: Omit<ObservedPod, 'revision'>): ObservedPod {
    // Larger than any that an earlier incarnation gave, too: the scale is the process's own.
    this.#revision = Math.max(this.#revision + REVISION_STEP, this.#context.clock.monotonic());
    return { ...pod, revision: this.#revision };
  }

  #runtimePods(newerThan: number): readonly RuntimePodName[] | Promise<readonly RuntimePodName[]> {
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

  // ---- changes -------------------------------------------------------------------------------------------------------

  #streamChanged(stream: 'live' | 'broken' | 'unsupported'): void {
    this.#stream = stream;
    // What happened before the stream was live, or while it was broken, nobody told.
    this.#relistSoon();
  }

  #event(bytes: Uint8Array): void {
    // PLEG itself may have been restarted since the stream was said to be live.
    if (this.#stream !== 'live') this.#streamChanged('live');
    const look = lookFromEvent(bytes, this.#context.clock);
    if (look === 'not-ours') return;
    if (look === 'unclear') return this.#relistSoon();
    this.#changed(look, this.#records.take(look, 'event'));
  }

  #changed({ podUid, name, namespace }: RuntimePodName, change: Change): void {
    this.#notifyManager({ podUid, name, namespace }, change);
    if (change !== 'none') this.#untold.set(podUid, { podUid, name, namespace });
    const untold = this.#untold.get(podUid);
    if (untold !== undefined) this.#tellWorker(untold);
  }

  /** A status that lacks what the runtime is known to hold, or may hold, would have its worker make it a second time. */
  #mayTell(podUid: PodUid): boolean {
    return Number.isFinite(this.#waiters.relistedAt) && this.#records.isWhole(podUid);
  }

  #tellWorker(pod: RuntimePodName): void {
    const { podUid } = pod;
    if (!this.#mayTell(podUid)) return;
    this.#untold.delete(podUid);
    // An event tells of one moment of one sandbox: as a whole, the pod is known as of the last relist.
    const observed = {
      status: this.#records.status(podUid) ?? emptyStatus(pod),
      observedAt: this.#waiters.knownAsOf(podUid),
    };
    const message: PodStatusObserved = { type: 'pod-status-observed', ...this.#stamped(observed) };
    this.#context.traced(podUid).ref(podWorker(podUid)).tell(message);
  }

  #notifyManager({ podUid, name, namespace }: RuntimePodName, change: Change): void {
    if (change === 'appeared') this.#tellManager({ type: 'runtime-pod-appeared', podUid, name, namespace });
    else if (change === 'vanished') this.#tellManager({ type: 'runtime-pod-vanished', podUid });
  }

  #tellManager(notice: RuntimePodNotice): void {
    this.#context.ref(POD_MANAGER).tell(notice);
  }
}

function listing(sandboxes: CriOutcome<Uint8Array>, containers: CriOutcome<Uint8Array>): Listing {
  if (!sandboxes.ok) return sandboxes;
  if (!containers.ok) return containers;
  return { ok: true, sandboxes: sandboxes.value, containers: containers.value };
}
