import { later, type MonotonicMs } from '../../src/actor/clock.ts';
import type { PodUid } from '../../src/kube/ids.ts';
import { canonicalJson } from '../../src/kube/text/canonical-json.ts';
import { objectKey } from '../../src/volumes/plan/object-data.ts';
import { ContentHolds } from './content-holds.ts';
import type { VolumeCount } from './metrics.ts';
import {
  countVolumes,
  driverVolumes,
  fresh,
  isDevice,
  failureText,
  isFetched,
  isMounted,
  isRefreshed,
  madeVolumes,
  uses,
  type MadeVolume,
  type Volume,
} from './volume-record.ts';
import type { VolumeFailed, VolumeManagerReport, VolumeSucceeded } from './protocol.ts';
import type { MissingForVolume } from '../../src/volumes/plan/driver-volume-calls.ts';
import type { DriverVolume } from '../../src/stats/driver-volumes.ts';
import type { VolumeOutcome } from '../../src/volumes/disk/set-up-volume.ts';
import { isForeign, objectsOf, type PodVolumes, type VolumePlan } from '../../src/volumes/plan/volume-plan.ts';
import { backOffMs } from '../../src/actor/back-off.ts';

const BACK_OFF = { initialMs: 500, maxMs: 122_000 };

export type VolumeEffect =
  | {
      readonly type: 'set-up';
      readonly pod: PodVolumes;
      readonly plan: VolumePlan;
      /** The version of the content already written. */
      readonly written: string | undefined;
    }
  /** `foreign`: drivers may have made some of the volumes, and remove these first. */
  | { readonly type: 'tear-down'; readonly podUid: PodUid; readonly foreign: boolean }
  /** Nothing of the pod can be done before this monotonic instant. */
  | { readonly type: 'check-again'; readonly podUid: PodUid; readonly at: MonotonicMs }
  /** Every volume of the pod is mounted. */
  | { readonly type: 'all-mounted'; readonly podUid: PodUid }
  | { readonly type: 'torn-down'; readonly podUid: PodUid; readonly outcome: VolumeOutcome }
  | {
      readonly type: 'failed';
      readonly podUid: PodUid;
      readonly reason: VolumeFailed['reason'];
      readonly message: string;
    }
  | {
      readonly type: 'noted';
      readonly podUid: PodUid;
      readonly reason: VolumeSucceeded['reason'];
      readonly message: string;
    }
  /** The wait for the pod's volumes has failed. */
  | { readonly type: 'wait-failed'; readonly podUid: PodUid; readonly message: string };

type SetUpEnd = Extract<VolumeManagerReport, { type: 'volume-set-up' }>;

interface PodRecord {
  pod: PodVolumes | undefined;
  readonly volumes: Map<string, Volume>;
  /** `leaving`: the volumes are removed as soon as no operation is under way. */
  stage: 'wanted' | 'leaving' | 'tearing-down';
  /** Present when the pod became wanted again while it was leaving. */
  next: PodVolumes | undefined;
}

/**
 * The wanted and the present volumes. `decide` functions return the next operations of a pod. A volume has one
 * operation at a time, different volumes run side by side, and failures back off. Mutated in place: a change touches
 * only its own pods. All instants are monotonic.
 */
export class VolumeDecisions {
  readonly #pods = new Map<PodUid, PodRecord>();
  readonly #users = new Map<string, Set<PodUid>>();
  readonly #starts: ContentHolds;

  /** `keptUntil`: until then the content of all pods is kept. Starts that began before this life may be under way. */
  constructor(keptUntil: MonotonicMs = 0) {
    this.#starts = new ContentHolds(keptUntil);
  }

  /** A container start has been given the pod's volumes: until then no refresh removes a version of their content. */
  hold(uid: PodUid, container: string, until: MonotonicMs): void {
    this.#starts.hold(uid, container, until);
  }

  /** The runtime has answered the start. */
  release(uid: PodUid, container: string, now: MonotonicMs): readonly VolumeEffect[] {
    this.#starts.release(uid, container);
    return this.due(uid, now);
  }

  keepsContent(uid: PodUid, now: MonotonicMs): boolean {
    return this.#starts.heldUntil(uid, now) !== undefined;
  }

  /** The pod wants these volumes, with their current content. */
  want(uid: PodUid, pod: PodVolumes, now: MonotonicMs): readonly VolumeEffect[] {
    const record = this.#record(uid);
    if (record.stage !== 'wanted') {
      record.next = pod;
      return [];
    }
    this.#use(uid, record.pod, pod);
    record.pod = pod;
    for (const plan of pod.volumes) {
      const known = record.volumes.get(plan.name);
      if (known === undefined) record.volumes.set(plan.name, fresh(plan));
      else {
        if (canonicalJson(known.plan) !== canonicalJson(plan)) known.failures = known.notBefore = 0;
        known.plan = plan;
        if (known.refreshes) {
          known.stale = true;
          if (known.failures === 0) known.notBefore = 0;
        }
      }
    }
    return this.#reconcile(uid, record, now);
  }

  /** The pod's volumes are to be removed. */
  leave(uid: PodUid, now: MonotonicMs): readonly VolumeEffect[] {
    const record = this.#record(uid);
    record.next = undefined;
    if (record.stage !== 'wanted') return [];
    record.stage = 'leaving';
    return this.#reconcile(uid, record, now);
  }

  objectsChanged(keys: readonly string[] | 'any', now: MonotonicMs): readonly VolumeEffect[] {
    const touched = new Map<PodUid, ReadonlySet<string> | 'any'>();
    if (keys === 'any') for (const uid of this.#pods.keys()) touched.set(uid, 'any');
    else {
      const changed = new Set(keys);
      for (const key of changed) for (const uid of this.#users.get(key) ?? []) touched.set(uid, changed);
    }
    const effects: VolumeEffect[] = [];
    for (const [uid, changed] of touched) {
      const record = this.#pods.get(uid);
      if (record === undefined) continue;
      for (const volume of record.volumes.values()) {
        if (!uses(volume.plan, changed)) continue;
        volume.stale = true;
        // A missing source may have appeared.
        volume.failures = volume.notBefore = 0;
      }
      effects.push(...this.#reconcile(uid, record, now));
    }
    return effects;
  }

  setUp(
    uid: PodUid,
    { name, outcome, version, unwritten }: Pick<SetUpEnd, 'name' | 'outcome' | 'version' | 'unwritten'>,
    { now, refreshAt }: { readonly now: MonotonicMs; readonly refreshAt: MonotonicMs },
  ): readonly VolumeEffect[] {
    const record = this.#pods.get(uid);
    const volume = record?.volumes.get(name);
    if (record === undefined || volume === undefined) return [];
    volume.working = false;
    const effects: VolumeEffect[] = [];
    if (outcome.ok) {
      const isNew = !volume.mounted;
      volume.mounted = true;
      volume.failures = 0;
      volume.notBefore = 0;
      volume.written = version;
      volume.lack = undefined;
      volume.path = outcome.path;
      volume.plugin = outcome.plugin;
      if (unwritten !== true) volume.kept = outcome.kept === true;
      volume.refreshes = isRefreshed(volume.plan) || outcome.refresh === true;
      // Fetched content may change without a notice. Content that changed while it was written is checked at once.
      if (!volume.stale && (isFetched(volume.plan) || outcome.refresh === true)) {
        volume.stale = true;
        volume.notBefore = refreshAt;
      }
      const note = (reason: VolumeSucceeded['reason'], step: string): void =>
        void effects.push({ type: 'noted', podUid: uid, reason, message: `${step} succeeded for volume "${name}"` });
      if (isNew && isDevice(volume.plan)) note('SuccessfulMountVolume', 'MapVolume.MapPodDevice');
      if (outcome.grown === true) note('FileSystemResizeSuccessful', 'MountVolume.NodeExpandVolume');
      if (isNew && record.stage === 'wanted' && isMounted(record)) effects.push({ type: 'all-mounted', podUid: uid });
    } else {
      volume.stale = true;
      volume.written = undefined;
      volume.failures += 1;
      volume.notBefore = later(now, backOffMs(volume.failures, BACK_OFF));
      volume.lack = outcome.lacks === undefined ? undefined : { of: outcome.lacks, message: outcome.message };
      if (record.stage === 'wanted' && volume.lack?.of === 'claim' && !volume.mounted) {
        // Mounting has not begun, so no event reports it. The wait ends: only others can resolve the cause.
        effects.push({ type: 'wait-failed', podUid: uid, message: this.notMounted(uid) });
        return [...effects, ...this.#reconcile(uid, record, now)];
      }
      const [reason, step] = failureText(volume.plan, outcome);
      const message = `${step} failed for volume "${name}" : ${outcome.message}`;
      if (record.stage === 'wanted') effects.push({ type: 'failed', podUid: uid, reason, message });
    }
    return [...effects, ...this.#reconcile(uid, record, now)];
  }

  tornDown(uid: PodUid, outcome: VolumeOutcome, now: MonotonicMs): readonly VolumeEffect[] {
    const record = this.#pods.get(uid);
    if (record === undefined) return [];
    const told: VolumeEffect = { type: 'torn-down', podUid: uid, outcome };
    const { next } = record;
    this.#use(uid, record.pod, undefined);
    this.#pods.delete(uid);
    this.#starts.forget(uid);
    return next === undefined ? [told] : [told, ...this.want(uid, next, now)];
  }

  /** The time of the pod's next operation has come. */
  due(uid: PodUid, now: MonotonicMs): readonly VolumeEffect[] {
    const record = this.#pods.get(uid);
    return record === undefined ? [] : this.#reconcile(uid, record, now);
  }

  isMounted(uid: PodUid): boolean {
    const record = this.#pods.get(uid);
    return record !== undefined && record.stage === 'wanted' && record.next === undefined && isMounted(record);
  }

  /** Returns, by name, the paths of a pod's volumes whose path does not follow from the pod alone. */
  pathsOf(uid: PodUid): Readonly<Record<string, string>> | undefined {
    const found = [...(this.#pods.get(uid)?.volumes ?? [])].flatMap(([name, { path }]) =>
      path === undefined ? [] : [[name, path] as const],
    );
    return found.length === 0 ? undefined : Object.fromEntries(found);
  }

  /** Returns the mounted volumes with a driver or a PersistentVolume. */
  driverVolumesOf(uid: PodUid): readonly DriverVolume[] {
    const record = this.#pods.get(uid);
    return record?.pod === undefined ? [] : driverVolumes(record.pod, record.volumes);
  }

  /** Returns what made the mounted volumes of a pod. */
  madeFor(uid: PodUid): readonly MadeVolume[] {
    return madeVolumes(this.#pods.get(uid)?.volumes.values() ?? []);
  }

  /** Visits all pods: called only at scrape time. */
  counts(): readonly VolumeCount[] {
    return countVolumes(this.#pods.values());
  }

  /** Returns why the wait for a pod's volumes has failed, in the kubelet's words. */
  notMounted(uid: PodUid): string {
    const missing = [...(this.#pods.get(uid)?.volumes ?? [])].filter(([, { mounted }]) => !mounted);
    const named = (isMeant: (lack: MissingForVolume | undefined) => boolean): string =>
      missing
        .flatMap(([name, { lack }]) => (isMeant(lack?.of) ? [name] : []))
        .toSorted()
        .join(' ');
    const said = missing.flatMap(([, { lack }]) => (lack?.of === 'claim' ? [lack.message] : []));
    const why = said.length === 0 ? 'context deadline exceeded' : said.toSorted().join('; ');
    const unattached = named((lack) => lack === 'attachment');
    const unprocessed = named((lack) => lack === 'claim');
    return `unmounted volumes=[${named(() => true)}], unattached volumes=[${unattached}], failed to process volumes=[${unprocessed}]: ${why}`;
  }

  get podUids(): Iterable<PodUid> {
    return this.#pods.keys();
  }

  #record(uid: PodUid): PodRecord {
    let record = this.#pods.get(uid);
    if (record === undefined) {
      record = { pod: undefined, volumes: new Map(), stage: 'wanted', next: undefined };
      this.#pods.set(uid, record);
    }
    return record;
  }

  #reconcile(uid: PodUid, record: PodRecord, now: MonotonicMs): readonly VolumeEffect[] {
    const { pod } = record;
    switch (record.stage) {
      case 'tearing-down':
        return [];
      case 'leaving': {
        for (const { working } of record.volumes.values()) if (working) return [];
        record.stage = 'tearing-down';
        // For a pod of an earlier incarnation this is unknown.
        const foreign = pod === undefined || [...record.volumes.values()].some(({ plan }) => isForeign(plan));
        return [{ type: 'tear-down', podUid: uid, foreign }];
      }
      case 'wanted': {
        const effects: VolumeEffect[] = [];
        let next = Number.POSITIVE_INFINITY;
        const keptUntil = this.#starts.heldUntil(uid, now);
        for (const volume of record.volumes.values()) {
          if (volume.kept && keptUntil === undefined) {
            // Unchanged content is written again for the removal that it includes.
            volume.kept = false;
            volume.stale = true;
            volume.written = undefined;
            if (volume.failures === 0) volume.notBefore = 0;
          } else if (volume.kept && keptUntil !== undefined) next = Math.min(next, keptUntil);
          if (volume.working || (volume.mounted && !volume.stale) || pod === undefined) continue;
          if (volume.notBefore > now) {
            next = Math.min(next, volume.notBefore);
            continue;
          }
          volume.working = true;
          volume.stale = false;
          effects.push({ type: 'set-up', pod, plan: volume.plan, written: volume.written });
        }
        if (next < Number.POSITIVE_INFINITY) effects.push({ type: 'check-again', podUid: uid, at: next });
        return effects;
      }
      default:
        return record.stage satisfies never;
    }
  }

  #use(uid: PodUid, before: PodVolumes | undefined, after: PodVolumes | undefined): void {
    if (before === after) return;
    for (const ref of before === undefined ? [] : objectsOf(before)) {
      const users = this.#users.get(objectKey(ref));
      if (users?.delete(uid) === true && users.size === 0) this.#users.delete(objectKey(ref));
    }
    for (const ref of after === undefined ? [] : objectsOf(after)) {
      const key = objectKey(ref);
      const users = this.#users.get(key);
      if (users === undefined) this.#users.set(key, new Set([uid]));
      else users.add(uid);
    }
  }
}
