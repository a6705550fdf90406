import type { DriverVolume } from '../../src/stats/driver-volumes.ts';
import type { LackOfVolume } from '../../src/volumes/plan/foreign-volumes.ts';
import { objectKey } from '../../src/volumes/plan/object-data.ts';
import type { VolumeOutcome } from '../../src/volumes/disk/set-up-volume.ts';
import { isForeign, type PodVolumes, type VolumePlan } from '../../src/volumes/plan/volume-plan.ts';
import type { VolumeFailed } from './protocol.ts';
import { pluginName, type VolumeCount } from './metrics.ts';

/** One volume of a pod, as the manager knows it. Mutated in place. */
export interface Volume {
  plan: VolumePlan;
  mounted: boolean;
  /** Its content may not be what it should be. */
  stale: boolean;
  working: boolean;
  failures: number;
  /** Monotonic. */
  notBefore: number;
  /** The version of the content that is in it. */
  written: string | undefined;
  /** Where it is, if that does not follow from the pod alone. */
  path: string | undefined;
  /** What made it, where that does not follow from the plan. */
  plugin: string | undefined;
  /** It is to be set up again from time to time although it is there. */
  refreshes: boolean;
  /** What it could not be made for, and in whose words, when it was tried last. */
  lack: { readonly of: LackOfVolume; readonly message: string } | undefined;
}

export interface PodOfVolumes {
  readonly stage: 'wanted' | 'leaving' | 'tearing-down';
  readonly volumes: ReadonlyMap<string, Volume>;
}

export interface MadeVolume {
  readonly plugin: string;
  readonly isDevice: boolean;
}

/** What made the volumes that are there. */
export const madeVolumes = (volumes: Iterable<Volume>): readonly MadeVolume[] =>
  [...volumes].flatMap(({ plan, plugin, mounted }) =>
    mounted ? [{ plugin: pluginName(plan, plugin), isDevice: isDevice(plan) }] : [],
  );

/** How many are wanted and how many there are, by what makes them. */
export function countVolumes(pods: Iterable<PodOfVolumes>): readonly VolumeCount[] {
  const counted = new Map<string, VolumeCount>();
  const count = (plugin: string, state: VolumeCount['state']): void => {
    const before = counted.get(`${plugin} ${state}`)?.count ?? 0;
    counted.set(`${plugin} ${state}`, { plugin, state, count: before + 1 });
  };
  for (const { stage, volumes } of pods) {
    for (const { plan, plugin, mounted } of volumes.values()) {
      if (stage === 'wanted') count(pluginName(plan, plugin), 'desired_state_of_world');
      if (mounted) count(pluginName(plan, plugin), 'actual_state_of_world');
    }
  }
  return [...counted.values()];
}

/** Volumes of drivers and of PersistentVolumes that are there: where they lie says whose they are. */
export const driverVolumes = (
  { podUid, namespace }: PodVolumes,
  volumes: Iterable<readonly [name: string, volume: Pick<Volume, 'plan' | 'path'>]>,
): readonly DriverVolume[] =>
  [...volumes].flatMap(([name, { plan, path }]) => {
    if (path === undefined || !isForeign(plan)) return [];
    const place = placeOf(path, podUid);
    const claim = plan.type === 'claim' ? { claim: { name: plan.claim, namespace } } : {};
    return place === undefined ? [] : [{ podUid, name, ...place, ...claim }];
  });

const PLACE = /\/pods\/([^/]+)\/volume(?:s|Devices)\/([^/]+)\/([^/]+)(?:\/mount)?$/;

/** Undefined for a path elsewhere on the host, of which nothing is measured. */
function placeOf(path: string, uid: string): Pick<DriverVolume, 'plugin' | 'specName'> | undefined {
  const [, podUid, plugin, specName] = PLACE.exec(path) ?? [];
  return podUid === uid && plugin !== undefined && specName !== undefined ? { plugin, specName } : undefined;
}

export const fresh = (plan: VolumePlan): Volume => ({
  plan,
  mounted: false,
  stale: false,
  working: false,
  failures: 0,
  notBefore: 0,
  written: undefined,
  path: undefined,
  plugin: undefined,
  refreshes: isRefreshed(plan),
  lack: undefined,
});

export const isMounted = ({ volumes }: Pick<PodOfVolumes, 'volumes'>): boolean =>
  [...volumes.values()].every(({ mounted }) => mounted);

export const isDevice = (plan: VolumePlan): boolean => plan.type === 'claim' && plan.asDevice;

/** Whether the content of a volume may change while it is there. */
export const isRefreshed = ({ type }: VolumePlan): boolean => type === 'files';

const FETCHED: ReadonlySet<string> = new Set(['object', 'token', 'trust-bundle', 'certificate']);

/** Whether it is made of what somebody else may change. */
export const isFetched = (plan: VolumePlan): boolean =>
  plan.type === 'files' && plan.sources.some(({ type }) => FETCHED.has(type));

export const uses = (plan: VolumePlan, changed: ReadonlySet<string> | 'any'): boolean =>
  plan.type === 'files' &&
  plan.sources.some((source) => source.type === 'object' && (changed === 'any' || changed.has(objectKey(source.ref))));

/** What an event says of a volume that could not be made. */
export function wordsOfFailure(
  plan: VolumePlan,
  { growing }: Extract<VolumeOutcome, { ok: false }>,
): readonly [reason: VolumeFailed['reason'], step: string] {
  if (growing === true) return ['FileSystemResizeFailed', 'MountVolume.NodeExpandVolume'];
  return isDevice(plan) ? ['FailedMapVolume', 'MapVolume.MapPodDevice'] : ['FailedMount', 'MountVolume.SetUp'];
}
