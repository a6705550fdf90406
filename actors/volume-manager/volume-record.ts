import type { MonotonicMs } from '../../src/actor/clock.ts';
import type { DriverVolume } from '../../src/stats/driver-volumes.ts';
import type { MissingForVolume } from '../../src/volumes/plan/driver-volume-calls.ts';
import { objectKey } from '../../src/volumes/plan/object-data.ts';
import type { VolumeOutcome } from '../../src/volumes/disk/set-up-volume.ts';
import { isForeign, type PodVolumes, type VolumePlan } from '../../src/volumes/plan/volume-plan.ts';
import type { VolumeFailed } from './protocol.ts';
import { pluginName, type VolumeCount } from './metrics.ts';

/** The record of one volume of a pod. Mutated in place. */
export interface Volume {
  plan: VolumePlan;
  mounted: boolean;
  /** `true` if the content may be outdated. */
  stale: boolean;
  working: boolean;
  failures: number;
  /** Monotonic. */
  notBefore: MonotonicMs;
  /** The version of the content written last. */
  written: string | undefined;
  /** The path, when it does not follow from the pod alone. */
  path: string | undefined;
  /** The plugin, when it does not follow from the plan. */
  plugin: string | undefined;
  /** `true` if older versions of the content were kept for a start, and are still to be removed. */
  kept: boolean;
  /** `true` if the mounted volume is set up again at intervals. */
  refreshes: boolean;
  /** The resource that was missing in the last try, with the message about it. */
  lack: { readonly of: MissingForVolume; readonly message: string } | undefined;
}

export interface PodOfVolumes {
  readonly stage: 'wanted' | 'leaving' | 'tearing-down';
  readonly volumes: ReadonlyMap<string, Volume>;
}

export interface MadeVolume {
  readonly plugin: string;
  readonly isDevice: boolean;
}

/** Returns what made the mounted volumes. */
export const madeVolumes = (volumes: Iterable<Volume>): readonly MadeVolume[] =>
  [...volumes].flatMap(({ plan, plugin, mounted }) =>
    mounted ? [{ plugin: pluginName(plan, plugin), isDevice: isDevice(plan) }] : [],
  );

/** Counts the wanted and the mounted volumes, by plugin. */
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

/** Returns the mounted volumes with a driver or a PersistentVolume: their paths show the plugin. */
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

/** `undefined` for a path elsewhere on the host, of which nothing is measured. */
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
  kept: false,
  refreshes: isRefreshed(plan),
  lack: undefined,
});

export const isMounted = ({ volumes }: Pick<PodOfVolumes, 'volumes'>): boolean =>
  [...volumes.values()].every(({ mounted }) => mounted);

export const isDevice = (plan: VolumePlan): boolean => plan.type === 'claim' && plan.asDevice;

/** Returns `true` if the content of a mounted volume may change. */
export const isRefreshed = ({ type }: VolumePlan): boolean => type === 'files';

const FETCHED: ReadonlySet<string> = new Set(['object', 'token', 'trust-bundle', 'certificate']);

/** Returns `true` if the content comes from a source that others may change. */
export const isFetched = (plan: VolumePlan): boolean =>
  plan.type === 'files' && plan.sources.some(({ type }) => FETCHED.has(type));

export const uses = (plan: VolumePlan, changed: ReadonlySet<string> | 'any'): boolean =>
  plan.type === 'files' &&
  plan.sources.some((source) => source.type === 'object' && (changed === 'any' || changed.has(objectKey(source.ref))));

/** Returns the event text for a volume that could not be made. */
export function failureText(
  plan: VolumePlan,
  { growing }: Extract<VolumeOutcome, { ok: false }>,
): readonly [reason: VolumeFailed['reason'], step: string] {
  if (growing === true) return ['FileSystemResizeFailed', 'MountVolume.NodeExpandVolume'];
  return isDevice(plan) ? ['FailedMapVolume', 'MapVolume.MapPodDevice'] : ['FailedMount', 'MountVolume.SetUp'];
}
