import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { CriByteCall, CriClient } from '../../src/cri/client.ts';
import type { CriOutcome } from '../../src/cri/fault.ts';
import { ContainerEventResponse, ContainerEventType } from '../../src/cri/gen/api.ts';
import { RawList } from '../../src/cri/raw-list.ts';
import { assertNever } from '../../src/kube/assert-never.ts';
import { containerId, podUid as asPodUid, sandboxId, type PodUid } from '../../src/kube/ids.ts';
import { runtimeContainer, runtimeSandbox } from '../../src/pod/runtime-status-from-cri.ts';
import { listedContainer, listedSandbox, lookAt } from './look.ts';
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
import { emptyStatus, PodRecords, type Change, type Look, type ToInspect } from './state.ts';
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
/** Somebody waits for a status newer than the last relist: the next one comes sooner. */
const RELIST_ASKED_MS = 50;
/** A relist older than this means that PLEG is not healthy. */
const HEALTHY_WITHIN_MS = 180_000;

/** Keeps revisions apart that are given within one tick of the clock. */
const REVISION_STEP = 2 ** -16;

/** Finds out what the runtime does to pods, and tells their workers. */
export class Pleg implements Actor<PlegProtocol> {
  readonly #context: ActorContext<PlegProtocol>;
  readonly #deps: PlegDeps;
  readonly #records = new PodRecords();
  readonly #waiters = new StatusWaiters();
  readonly #sandboxList = new RawList();
  readonly #containerList = new RawList();
  /** Looks that failed: they are tried again with the next relist, which by itself would see nothing new. */
  #failedLooks: ToInspect[] = [];
  #stream: 'live' | 'broken' | 'unsupported' = 'broken';
  #relistStartedAt: number | undefined;
  #revision = 0;
  #cancelRelist: () => void = () => {};

  constructor(context: ActorContext<PlegProtocol>, deps: PlegDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  start(): void {
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
        return this.#event(ContainerEventResponse.decode(command.event));
      case 'event-stream-changed':
        this.#stream = command.stream;
        // What happened before the stream was live, or while it was broken, nobody told.
        return this.#relistWithin(0);
      case 'runtime-health-changed':
        return command.health.state === 'up' ? this.#relistWithin(0) : undefined;
      default:
        return assertNever(command, 'PLEG command');
    }
  }

  ask(question: PlegQuestion): unknown {
    switch (question.type) {
      case 'pod-status':
        return question.touched === undefined
          ? this.#statusNewerThan(question.podUid, question.newerThan)
          : this.#statusOfTouched({ ...question.touched, podUid: question.podUid });
      case 'runtime-pods':
        return this.#runtimePods();
      case 'pleg-health':
        return this.#health();
      default:
        return assertNever(question, 'PLEG question');
    }
  }

  // ---- relist --------------------------------------------------------------------------------------------------------

  #relistWithin(delayMs: number): void {
    this.#cancelRelist();
    this.#cancelRelist = this.#context.clock.after(delayMs, () => this.#context.self.tell({ type: 'relist' }));
  }

  #relist(): void {
    if (this.#relistStartedAt !== undefined) return;
    const at = this.#context.clock.monotonic();
    this.#relistStartedAt = at;
    const lists = Promise.all([
      this.#deps.criBytes('ListPodSandbox', new Uint8Array(), {}),
      this.#deps.criBytes('ListContainers', new Uint8Array(), {}),
    ]);
    const listed = lists.then(([sandboxes, containers]) => {
      const outcome = listing(sandboxes, containers);
      this.#context.self.tell({ type: 'listed', at, outcome });
    });
    this.#context.supervise(listed);
  }

  #listed(at: number, outcome: Listing): void {
    const { clock, log } = this.#context;
    this.#relistStartedAt = undefined;
    this.#relistWithin(this.#stream === 'live' ? SAFETY_RELIST_EVERY_MS : RELIST_EVERY_MS);
    if (!outcome.ok) {
      log.debug({ ...outcome.fault }, 'relist failed; what was seen before still holds');
      return;
    }
    this.#deps.metrics.relisted((clock.monotonic() - at) / 1000, clock.now());
    const sandboxes = this.#sandboxList.compare(outcome.sandboxes);
    const containers = this.#containerList.compare(outcome.containers);
    const wanted = this.#records.toInspect({
      sandboxes: sandboxes.changed.flatMap((entry) => listedSandbox(entry.bytes) ?? []),
      containers: containers.changed.flatMap((entry) => listedContainer(entry.bytes) ?? []),
      vanished: [...sandboxes.vanished, ...containers.vanished],
    });
    const before = this.#waiters.relistedAt;
    for (const inspect of [...this.#failedLooks.splice(0), ...wanted]) {
      this.#waiters.inspecting(inspect.podUid, before);
      const inspection = { ...inspect, at };
      const looked = this.#look(inspection, (outcome) =>
        this.#context.self.tell({ type: 'inspected', inspection, outcome }),
      );
      this.#context.supervise(looked);
    }
    this.#waiters.relisted(at, this.#records);
    if (this.#waiters.anybody) this.#relistWithin(RELIST_ASKED_MS);
  }

  #inspected(inspection: Inspection, outcome: Inspected): void {
    const { podUid } = inspection;
    if (outcome.ok) this.#take({ ...inspection, ...outcome });
    else
      this.#failedLooks.push({
        ...inspection,
        sandboxes: [...inspection.sandboxes],
        containers: [...inspection.containers],
      });
    this.#waiters.inspected(podUid, this.#records);
  }

  async #look(inspection: Inspection, then: (outcome: Inspected) => void): Promise<void> {
    then(await lookAt(this.#deps.cri, inspection));
  }

  // ---- answers -------------------------------------------------------------------------------------------------------

  #statusNewerThan(podUid: PodUid, newerThan: number): Promise<CriOutcome<ObservedPod>> {
    return new Promise((resolve) => {
      const answer = (pod: Omit<ObservedPod, 'revision'>): void => resolve({ ok: true, value: this.#stamped(pod) });
      const answered = this.#waiters.ask(podUid, { newerThan, answer }, this.#records);
      if (!answered && this.#relistStartedAt === undefined) this.#relistWithin(0);
    });
  }

  async #statusOfTouched(touched: Omit<Inspection, 'at'>): Promise<CriOutcome<ObservedPod>> {
    const { podUid } = touched;
    const at = this.#context.clock.monotonic();
    const outcome = await lookAt(this.#deps.cri, { ...touched, at });
    if (!outcome.ok) return outcome;
    const look = { ...touched, at, sandboxes: outcome.sandboxes, containers: outcome.containers };
    this.#notifyManager(look, this.#records.take(look));
    return {
      ok: true,
      value: this.#stamped({ status: this.#records.status(podUid) ?? emptyStatus(touched), observedAt: at }),
    };
  }

  #stamped(pod: Omit<ObservedPod, 'revision'>): ObservedPod {
    // Larger than any that an earlier incarnation gave, too: the scale is the process's own.
    this.#revision = Math.max(this.#revision + REVISION_STEP, this.#context.clock.monotonic());
    return { ...pod, revision: this.#revision };
  }

  #runtimePods(): readonly RuntimePodName[] | Promise<readonly RuntimePodName[]> {
    if (Number.isFinite(this.#waiters.relistedAt)) return this.#records.names;
    return this.#statusNewerThan(asPodUid(''), Number.NEGATIVE_INFINITY).then(() => this.#records.names);
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

  #event(event: ContainerEventResponse): void {
    const { podSandboxStatus, containersStatuses } = event;
    const metadata = podSandboxStatus?.metadata;
    if (podSandboxStatus === undefined || metadata === undefined) return this.#relistWithin(0);
    const { clock } = this.#context;
    // The runtime stamps events with wall time; an event that was long under way must not pass for news.
    const at = clock.monotonic() - Math.max(0, clock.now() - Number(event.createdAt / 1000n) / 1000);
    const deleted = event.containerEventType === ContainerEventType.CONTAINER_DELETED_EVENT;
    const sandbox = sandboxId(podSandboxStatus.id);
    const sandboxGone = deleted && event.containerId === sandbox;
    const containers = containersStatuses.map(
      (status) => [containerId(status.id), runtimeContainer(status, sandbox)] as const,
    );
    const gone = deleted && !sandboxGone ? [[containerId(event.containerId), undefined] as const] : [];
    this.#take({
      podUid: asPodUid(metadata.uid),
      name: metadata.name,
      namespace: metadata.namespace,
      at,
      sandboxes: [[sandbox, sandboxGone ? undefined : runtimeSandbox(podSandboxStatus)]],
      containers: [...containers.filter(([id]) => !deleted || id !== event.containerId), ...gone],
    });
  }

  #take(look: Look): void {
    const change = this.#records.take(look);
    this.#notifyManager(look, change);
    if (change === 'none') return;
    const { podUid } = look;
    const message: PodStatusObserved = {
      type: 'pod-status-observed',
      ...this.#stamped({ status: this.#records.status(podUid) ?? emptyStatus(look), observedAt: look.at }),
    };
    this.#context.ref(`pod-worker/${podUid}`).tell(message);
  }

  #notifyManager({ podUid, name, namespace }: RuntimePodName, change: Change): void {
    if (change === 'appeared') this.#tellManager({ type: 'runtime-pod-appeared', podUid, name, namespace });
    else if (change === 'vanished') this.#tellManager({ type: 'runtime-pod-vanished', podUid });
  }

  #tellManager(notice: RuntimePodNotice): void {
    this.#context.ref('pod-manager').tell(notice);
  }
}

function listing(sandboxes: CriOutcome<Uint8Array>, containers: CriOutcome<Uint8Array>): Listing {
  if (!sandboxes.ok) return sandboxes;
  if (!containers.ok) return containers;
  return { ok: true, sandboxes: sandboxes.value, containers: containers.value };
}
