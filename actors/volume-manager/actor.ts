import { later, elapsedMs, type MonotonicMs } from '../../src/actor/clock.ts';
import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { hostAddress } from '../../src/actor/messages/host-protocol.ts';
import { jitter } from '../../src/actor/random.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { podUid, type PodUid } from '../../src/kube/ids.ts';
import type { DriverVolume } from '../../src/stats/driver-volumes.ts';
import type { VolumeOrder } from '../../src/volumes/disk/volume-executor.ts';
import type { ObjectSource } from '../../src/volumes/plan/object-source.ts';
import type { VolumeOutcome } from '../../src/volumes/disk/set-up-volume.ts';
import { isForeign, type PodVolumes, type VolumePlan } from '../../src/volumes/plan/volume-plan.ts';
import type { DriverVolumeCalls } from '../../src/volumes/plan/driver-volume-calls.ts';
import { JOB_POOL } from '../job-pool/protocol.ts';
import { podWorker } from '../pod-worker/protocol.ts';
import { fetchSources } from './fetch-sources.ts';
import { OrderQueue } from './order-queue.ts';
import type { VolumeManagerProtocol, VolumeManagerQuestion, VolumesAnswer } from './protocol.ts';
import { pluginName, type StorageOperation, type VolumeMetrics } from './metrics.ts';
import { mountDriverVolume } from './mount-driver-volume.ts';
import { describeOrders } from './describe-orders.ts';
import { isDevice } from './volume-record.ts';
import { VolumeDecisions, type VolumeEffect } from './volume-decisions.ts';
import { WritesUnderWay } from './writes-under-way.ts';
import { answerOr } from '../../src/actor/messages/answer-or.ts';
import { dutyOf } from '../health-monitor/client.ts';
import type { Duty } from '../../src/health/duty.ts';

export interface VolumeManagerDeps {
  readonly rootDir: string;
  readonly objects: (context: ActorContext<VolumeManagerProtocol>) => ObjectSource;
  /** Makes the volumes of storage drivers. */
  readonly foreign: (context: ActorContext<VolumeManagerProtocol>) => DriverVolumeCalls;
  /** `undefined` when nothing is counted. */
  readonly metrics?: VolumeMetrics;
  /** How often the sources of volumes are checked without a notice of a change. */
  readonly syncFrequencyMs: number;
  /** Threads whose pod workers are asked to repeat their messages to an earlier incarnation. */
  readonly podThreads: readonly string[];
  /**
   * How long all content is held at the start: an earlier incarnation may have answered container starts that go on.
   * `undefined`: as long as a start may take.
   */
  readonly heldAtStartMs?: number;
}

/** How long a pod waits for its volumes before the wait fails (kubelet: 2m3s). */
const WAIT_MS = 123_000;
/** Longer than the runtime takes for a start: the calls that create and start a container, and their wait for a turn. */
const HOLD_MS = 600_000;
/** Longer than any hanging order may take. */
const JOB_WITHIN_MS = 300_000;

/** Makes the volumes of pods, keeps their content up to date, and removes them. */
export class VolumeManager implements Actor<VolumeManagerProtocol> {
  readonly #context: ActorContext<VolumeManagerProtocol>;
  readonly #work: Duty;
  readonly #deps: VolumeManagerDeps;
  readonly #state: VolumeDecisions;
  readonly #objects: ObjectSource;
  readonly #foreign: DriverVolumeCalls;
  readonly #orders: OrderQueue;
  readonly #mounting = new Map<PodUid, Map<number, (answer: VolumesAnswer) => void>>();
  readonly #unmounting = new Map<PodUid, ((answer: VolumesAnswer) => void)[]>();
  readonly #timers = new Map<PodUid, { readonly at: MonotonicMs; readonly cancel: () => void }>();
  readonly #warned = new Set<string>();
  readonly #writing = new WritesUnderWay();
  #waits = 0;

  constructor(context: ActorContext<VolumeManagerProtocol>, deps: VolumeManagerDeps) {
    this.#context = context;
    this.#work = dutyOf(context, {
      work: 'set up and remove volumes',
      follows: 'pods wait for their volumes',
      rhythm: 'on-demand',
    });
    this.#deps = deps;
    this.#state = new VolumeDecisions(later(context.clock.monotonic(), deps.heldAtStartMs ?? HOLD_MS));
    this.#objects = deps.objects(context);
    this.#foreign = deps.foreign(context);
    deps.metrics?.countedBy(() => this.#state.counts());
    this.#orders = new OrderQueue((orders) => this.#carryOut(orders));
  }

  start(): void {
    const ask = (thread: string): void =>
      this.#context
        .ref(hostAddress(thread))
        .tell({ type: 'broadcast', kind: 'pod-worker', command: { type: 'report-volumes' } });
    this.#deps.podThreads.forEach(ask);
  }

  tell(command: VolumeManagerProtocol['command']): void {
    const now = this.#context.clock.monotonic();
    switch (command.type) {
      case 'volumes-wanted':
        return this.#want(command.pod);
      case 'objects-changed':
        return this.#perform(this.#state.objectsChanged(command.keys, now));
      case 'content-released':
        return this.#perform(this.#state.release(command.podUid, command.container, now));
      case 'volume-set-up':
        return this.#perform(
          this.#state.setUp(command.podUid, command, { now, refreshAt: later(now, this.#refreshMs()) }),
        );
      case 'pod-torn-down':
        return this.#perform(this.#state.tornDown(command.podUid, command.outcome, now));
      case 'operation-due':
        this.#timers.delete(command.podUid);
        return this.#perform(this.#state.due(command.podUid, now));
      case 'mount-timed-out':
        return this.#waitOver(command.podUid, command.wait);
      default:
        return assertNever(command, 'volume manager command');
    }
  }

  ask(question: VolumeManagerQuestion): Promise<VolumesAnswer> | readonly DriverVolume[] {
    switch (question.type) {
      case 'driver-volumes':
        return question.podUids.flatMap((uid) => this.#state.driverVolumesOf(podUid(uid)));
      case 'mount-volumes':
        return this.#mount(question.pod);
      case 'hold-content':
        return this.#hold(question.podUid, question.container);
      case 'bind-sub-paths': {
        const { podUid: uid, container, binds } = question;
        return this.#orders.add({ type: 'bind-sub-paths', rootDir: this.#deps.rootDir, podUid: uid, container, binds });
      }
      case 'unmount-volumes': {
        const answered = Promise.withResolvers<VolumesAnswer>();
        const uid = question.podUid;
        this.#unmounting.set(uid, [...(this.#unmounting.get(uid) ?? []), answered.resolve]);
        this.#perform(this.#state.leave(uid, this.#context.clock.monotonic()));
        return answered.promise;
      }
      default:
        return assertNever(question, 'question to the volume manager');
    }
  }

  /** Spread out, so that the pods of a node do not refresh all at the same moment for ever. */
  #refreshMs(): number {
    return jitter(this.#deps.syncFrequencyMs, 0.5, this.#context.random);
  }

  #mount(pod: PodVolumes): Promise<VolumesAnswer> {
    const uid = podUid(pod.podUid);
    const answered = Promise.withResolvers<VolumesAnswer>();
    this.#want(pod);
    if (this.#state.isMounted(uid)) answered.resolve(this.#allMounted(uid));
    else {
      const wait = (this.#waits += 1);
      const waiting = this.#mounting.get(uid) ?? new Map<number, (answer: VolumesAnswer) => void>();
      this.#mounting.set(uid, waiting.set(wait, answered.resolve));
      this.#context.clock.after(WAIT_MS, () => this.#context.self.tell({ type: 'mount-timed-out', podUid: uid, wait }));
    }
    return answered.promise;
  }

  /** Writes ordered before the hold may still remove a version, so they end first. */
  async #hold(uid: PodUid, container: string): Promise<VolumesAnswer> {
    this.#state.hold(uid, container, later(this.#context.clock.monotonic(), HOLD_MS));
    await this.#writing.ended(uid);
    return { ok: true };
  }

  #want(pod: PodVolumes): void {
    this.#perform(this.#state.want(podUid(pod.podUid), pod, this.#context.clock.monotonic()));
  }

  #waitOver(uid: PodUid, wait: number): void {
    const waiting = this.#mounting.get(uid);
    const answer = waiting?.get(wait);
    if (waiting === undefined || answer === undefined) return;
    waiting.delete(wait);
    if (waiting.size === 0) this.#mounting.delete(uid);
    answer({ ok: false, message: this.#state.notMounted(uid) });
  }

  #perform(effects: readonly VolumeEffect[]): void {
    for (const effect of effects) this.#performOne(effect);
  }

  #performOne(effect: VolumeEffect): void {
    const { self } = this.#context;
    switch (effect.type) {
      case 'set-up':
        return this.#context.supervise(this.#setUp(effect));
      case 'tear-down': {
        const { podUid: uid } = effect;
        const made = this.#state.madeFor(uid);
        const begun = this.#context.clock.monotonic();
        const gone = this.#tearDown(effect).then((outcome) => {
          // The volumes of a pod are removed together: each has taken as long as all.
          for (const { plugin, isDevice: device } of made)
            this.#operated({ plugin, name: device ? 'unmap_volume' : 'volume_unmount', ok: outcome.ok, begun });
          return self.tell({ type: 'pod-torn-down', podUid: uid, outcome });
        });
        return this.#context.supervise(gone);
      }
      case 'check-again':
        return this.#checkAgain(effect.podUid, effect.at);
      case 'all-mounted':
        for (const answer of this.#mounting.get(effect.podUid)?.values() ?? []) answer(this.#allMounted(effect.podUid));
        this.#mounting.delete(effect.podUid);
        return;
      case 'torn-down': {
        const { podUid: uid, outcome } = effect;
        for (const answer of this.#unmounting.get(uid) ?? []) answer(outcome.ok ? { ok: true } : outcome);
        this.#unmounting.delete(uid);
        this.#timers.get(uid)?.cancel();
        this.#timers.delete(uid);
        return;
      }
      case 'failed':
        return this.#context
          .ref(podWorker(effect.podUid))
          .tell({ type: 'volume-failed', reason: effect.reason, message: effect.message });
      case 'noted':
        return this.#context
          .ref(podWorker(effect.podUid))
          .tell({ type: 'volume-succeeded', reason: effect.reason, message: effect.message });
      case 'wait-failed': {
        const { podUid: uid, message } = effect;
        const waiting = this.#mounting.get(uid);
        if (waiting === undefined) return;
        this.#mounting.delete(uid);
        for (const answer of waiting.values()) answer({ ok: false, message });
        return this.#context.ref(podWorker(uid)).tell({
          type: 'volume-failed',
          reason: 'FailedMount',
          message: `Unable to attach or mount volumes: ${message}`,
        });
      }
      default:
        return assertNever(effect, 'volume manager effect');
    }
  }

  #allMounted(uid: PodUid): VolumesAnswer {
    const paths = this.#state.pathsOf(uid);
    return { ok: true, ...(paths === undefined ? {} : { paths }) };
  }

  async #tearDown({ podUid: uid, foreign }: Extract<VolumeEffect, { type: 'tear-down' }>): Promise<VolumeOutcome> {
    const { rootDir } = this.#deps;
    if (foreign) {
      let gone = await this.#foreign.takeAway(uid);
      if (!gone.ok && gone.isMapped === true) {
        const unmapped = await this.#orders.add({ type: 'unmap-devices', rootDir, podUid: uid });
        gone = unmapped.ok ? await this.#foreign.takeAway(uid) : unmapped;
      }
      if (!gone.ok) return { ok: false, message: gone.message };
    }
    return this.#orders.add({ type: 'tear-down', rootDir, podUid: uid });
  }

  #operated({ begun, ...operation }: Omit<StorageOperation, 'seconds'> & { readonly begun: MonotonicMs }): void {
    const seconds = elapsedMs(begun, this.#context.clock.monotonic()) / 1000;
    this.#deps.metrics?.operated({ ...operation, seconds });
  }

  #madeOne({ plan, outcome, begun }: { plan: VolumePlan; outcome: VolumeOutcome; begun: MonotonicMs }): void {
    // An operation that waits for others has not begun.
    if (!outcome.ok && outcome.lacks !== undefined) return;
    const plugin = pluginName(plan, outcome.ok ? outcome.plugin : undefined);
    this.#operated({ plugin, name: isDevice(plan) ? 'map_volume' : 'volume_mount', ok: outcome.ok, begun });
  }

  async #setUp({ pod, plan, written }: Extract<VolumeEffect, { type: 'set-up' }>): Promise<void> {
    const { self } = this.#context;
    const begun = this.#context.clock.monotonic();
    if (isForeign(plan)) {
      const outcome = await mountDriverVolume(pod, plan, {
        rootDir: this.#deps.rootDir,
        foreign: this.#foreign,
        carryOut: (order) => this.#orders.add(order),
        warn: (text) => this.#warn(text),
      });
      this.#madeOne({ plan, outcome, begun });
      return self.tell({ type: 'volume-set-up', podUid: podUid(pod.podUid), name: plan.name, outcome });
    }
    const { fetched, version } = await fetchSources(this.#objects, pod, plan);
    const { podUid: uid, fsGroup, fsGroupChangePolicy } = pod;
    const done = { type: 'volume-set-up', podUid: podUid(uid), name: plan.name } as const;
    if (version !== undefined && version === written) {
      return self.tell({ ...done, outcome: { ok: true }, version, unwritten: true });
    }
    const keeps = plan.type === 'files' && this.#state.keepsContent(podUid(uid), this.#context.clock.monotonic());
    const order = {
      type: 'set-up',
      rootDir: this.#deps.rootDir,
      pod: { podUid: uid, fsGroupChangePolicy, ...(fsGroup === undefined ? {} : { fsGroup }) },
      plan,
      fetched,
      ...(keeps && { olderVersions: 'keep' as const }),
    } as const;
    const outcome = await this.#writing.add(podUid(uid), this.#orders.add(order));
    if (outcome.ok && outcome.warning !== undefined) this.#warn(outcome.warning);
    this.#madeOne({ plan, outcome, begun });
    self.tell({ ...done, outcome, ...(version === undefined ? {} : { version }) });
  }

  async #carryOut(orders: readonly VolumeOrder[]): Promise<readonly VolumeOutcome[]> {
    const jobs = this.#context.ref(JOB_POOL);
    const attempt = this.#work.attempt(describeOrders(orders));
    const asked = jobs.ask({ type: 'volume-orders', orders }, { deadlineMs: JOB_WITHIN_MS });
    const done = await answerOr(asked, ({ message }) => ({ ok: false as const, problem: message }));
    if (done.ok) {
      // A volume that cannot be set up is reported as an event of its pod.
      attempt.worked();
      return done.value;
    }
    attempt.failed(`${describeOrders(orders)}: ${done.problem}`);
    return orders.map(() => ({ ok: false, message: `the work on it was lost: ${done.problem}` }));
  }

  #checkAgain(uid: PodUid, at: MonotonicMs): void {
    const armed = this.#timers.get(uid);
    if (armed !== undefined && armed.at <= at) return;
    armed?.cancel();
    const { clock, self } = this.#context;
    const cancel = clock.after(Math.max(0, elapsedMs(clock.monotonic(), at)), () =>
      self.tell({ type: 'operation-due', podUid: uid }),
    );
    this.#timers.set(uid, { at, cancel });
  }

  /** Logs a problem of this host once. */
  #warn(text: string): void {
    if (this.#warned.has(text)) return;
    this.#warned.add(text);
    this.#context.log.warn({}, text);
  }
}
