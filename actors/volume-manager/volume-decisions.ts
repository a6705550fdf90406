import type { PodUid } from '../../src/kube/ids.ts';
import { canonicalJson } from '../../src/kube/text/canonical-json.ts';
import { objectKey } from '../../src/volumes/plan/object-data.ts';
import type { VolumeCount } from './metrics.ts';
import {
  countVolumes,
  driverVolumes,
  fresh,
  isDevice,
  wordsOfFailure,
  isFetched,
  isMounted,
  isRefreshed,
  madeVolumes,
  uses,
  type MadeVolume,
  type Volume,
} from './volume-record.ts';
import type { VolumeFailed, VolumeNoted } from './protocol.ts';
import type { LackOfVolume } from '../../src/volumes/plan/foreign-volumes.ts';
import type { DriverVolume } from '../../src/stats/driver-volumes.ts';
import type { VolumeOutcome } from '../../src/volumes/disk/set-up-volume.ts';
import { isForeign, objectsOf, type PodVolumes, type VolumePlan } from '../../src/volumes/plan/volume-plan.ts';

const BACK_OFF_MS = 500;
const LONGEST_BACK_OFF_MS = 122_000;

export type VolumeEffect =
  | {
      readonly type: 'set-up';
      readonly pod: PodVolumes;
      readonly plan: VolumePlan;
      /** The version of what is in it already. */
      readonly written: string | undefined;
    }
  /** `foreign`: drivers may have made some of its volumes, and take them away first. */
  | { readonly type: 'tear-down'; readonly podUid: PodUid; readonly foreign: boolean }
  /** Nothing of the pod can be done before that (monotonic). */
  | { readonly type: 'look-again'; readonly podUid: PodUid; readonly at: number }
  /** Every volume of the pod is there. */
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
      readonly reason: VolumeNoted['reason'];
      readonly message: string;
    }
  /** Whoever waits for the pod's volumes need not wait any longer. */
  | { readonly type: 'wait-failed'; readonly podUid: PodUid; readonly message: string };

interface PodRecord {
  pod: PodVolumes | undefined;
  readonly volumes: Map<string, Volume>;
  /** `leaving`: its volumes are to go as soon as nothing is under way. */
  stage: 'wanted' | 'leaving' | 'tearing-down';
  /** Wanted again while it was leaving. */
  next: PodVolumes | undefined;
}

/**
 * Which volumes are wanted and which there are. `decide` functions say what is to be done about a pod: an operation a volume
 * at a time, the volumes of all pods beside each other, and after a failure more and more rarely. Mutated in place: a change
 * touches the pods it is about, never all of them. All instants are monotonic.
 */
export class VolumeDecisions {
  readonly #pods = new Map<PodUid, PodRecord>();
  readonly #users = new Map<string, Set<PodUid>>();

  /** The pod wants these volumes, with their content as it is now. */
  want(uid: PodUid, pod: PodVolumes, now: number): readonly VolumeEffect[] {
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

  /** The pod's volumes are to go. */
  leave(uid: PodUid, now: number): readonly VolumeEffect[] {
    const record = this.#record(uid);
    record.next = undefined;
    if (record.stage !== 'wanted') return [];
    record.stage = 'leaving';
    return this.#reconcile(uid, record, now);
  }

  objectsChanged(keys: readonly string[] | 'any', now: number): readonly VolumeEffect[] {
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
        // What was missing may have come.
        volume.failures = volume.notBefore = 0;
      }
      effects.push(...this.#reconcile(uid, record, now));
    }
    return effects;
  }

  setUp(
    uid: PodUid,
    { name, outcome, version }: { name: string; outcome: VolumeOutcome; version?: string },
    { now, refreshAt }: { readonly now: number; readonly refreshAt: number },
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
      volume.refreshes = isRefreshed(volume.plan) || outcome.refresh === true;
      // What is fetched may change without a word. What changed while it was written is looked at at once.
      if (!volume.stale && (isFetched(volume.plan) || outcome.refresh === true)) {
        volume.stale = true;
        volume.notBefore = refreshAt;
      }
      const note = (reason: VolumeNoted['reason'], step: string): void =>
        void effects.push({ type: 'noted', podUid: uid, reason, message: `${step} succeeded for volume "${name}"` });
      if (isNew && isDevice(volume.plan)) note('SuccessfulMountVolume', 'MapVolume.MapPodDevice');
      if (outcome.grown === true) note('FileSystemResizeSuccessful', 'MountVolume.NodeExpandVolume');
      if (isNew && record.stage === 'wanted' && isMounted(record)) effects.push({ type: 'all-mounted', podUid: uid });
    } else {
      volume.stale = true;
      volume.written = undefined;
      volume.notBefore = now + Math.min(LONGEST_BACK_OFF_MS, BACK_OFF_MS * 2 ** volume.failures);
      volume.failures += 1;
      volume.lack = outcome.lacks === undefined ? undefined : { of: outcome.lacks, message: outcome.message };
      if (record.stage === 'wanted' && volume.lack?.of === 'claim' && !volume.mounted) {
        // Not a word of mounting, which has not begun; and nobody waits for what only others can put right.
        effects.push({ type: 'wait-failed', podUid: uid, message: this.notMounted(uid) });
        return [...effects, ...this.#reconcile(uid, record, now)];
      }
      const [reason, step] = wordsOfFailure(volume.plan, outcome);
      const message = `${step} failed for volume "${name}" : ${outcome.message}`;
      if (record.stage === 'wanted') effects.push({ type: 'failed', podUid: uid, reason, message });
    }
    return [...effects, ...this.#reconcile(uid, record, now)];
  }

  tornDown(uid: PodUid, outcome: VolumeOutcome, now: number): readonly VolumeEffect[] {
    const record = this.#pods.get(uid);
    if (record === undefined) return [];
    const told: VolumeEffect = { type: 'torn-down', podUid: uid, outcome };
    const { next } = record;
    this.#use(uid, record.pod, undefined);
    this.#pods.delete(uid);
    return next === undefined ? [told] : [told, ...this.want(uid, next, now)];
  }

  /** A moment at which something of the pod may be done again. */
  due(uid: PodUid, now: number): readonly VolumeEffect[] {
    const record = this.#pods.get(uid);
    return record === undefined ? [] : this.#reconcile(uid, record, now);
  }

  isMounted(uid: PodUid): boolean {
    const record = this.#pods.get(uid);
    return record !== undefined && record.stage === 'wanted' && record.next === undefined && isMounted(record);
  }

  /** Where those volumes of a pod are whose place does not follow from the pod alone, by name. */
  pathsOf(uid: PodUid): Readonly<Record<string, string>> | undefined {
    const found = [...(this.#pods.get(uid)?.volumes ?? [])].flatMap(([name, { path }]) =>
      path === undefined ? [] : [[name, path] as const],
    );
    return found.length === 0 ? undefined : Object.fromEntries(found);
  }

  /** Volumes of drivers and of PersistentVolumes that are there. */
  driverVolumesOf(uid: PodUid): readonly DriverVolume[] {
    const record = this.#pods.get(uid);
    return record?.pod === undefined ? [] : driverVolumes(record.pod, record.volumes);
  }

  /** What made the volumes of a pod that are there. */
  madeFor(uid: PodUid): readonly MadeVolume[] {
    return madeVolumes(this.#pods.get(uid)?.volumes.values() ?? []);
  }

  /** Looks at all pods: for whoever looks at metrics, and nobody else. */
  counts(): readonly VolumeCount[] {
    return countVolumes(this.#pods.values());
  }

  /** Why the wait for a pod's volumes has come to nothing; the words of the kubelet. */
  notMounted(uid: PodUid): string {
    const missing = [...(this.#pods.get(uid)?.volumes ?? [])].filter(([, { mounted }]) => !mounted);
    const named = (isMeant: (lack: LackOfVolume | undefined) => boolean): string =>
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

  #reconcile(uid: PodUid, record: PodRecord, now: number): readonly VolumeEffect[] {
    const { pod } = record;
    switch (record.stage) {
      case 'tearing-down':
        return [];
      case 'leaving': {
        for (const { working } of record.volumes.values()) if (working) return [];
        record.stage = 'tearing-down';
        // Of a pod that an earlier incarnation knew nobody can tell.
        const foreign = pod === undefined || [...record.volumes.values()].some(({ plan }) => isForeign(plan));
        return [{ type: 'tear-down', podUid: uid, foreign }];
      }
      case 'wanted': {
        const effects: VolumeEffect[] = [];
        let next = Number.POSITIVE_INFINITY;
        for (const volume of record.volumes.values()) {
          if (volume.working || (volume.mounted && !volume.stale) || pod === undefined) continue;
          if (volume.notBefore > now) {
            next = Math.min(next, volume.notBefore);
            continue;
          }
          volume.working = true;
          volume.stale = false;
          effects.push({ type: 'set-up', pod, plan: volume.plan, written: volume.written });
        }
        if (next < Number.POSITIVE_INFINITY) effects.push({ type: 'look-again', podUid: uid, at: next });
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
