import type { DriverVolumeCalls } from '../../src/volumes/plan/driver-volume-calls.ts';
import type { VolumeOutcome } from '../../src/volumes/disk/set-up-volume.ts';
import type { DriverVolumePlan, PodVolumes } from '../../src/volumes/plan/volume-plan.ts';
import type { VolumeOrder } from '../../src/volumes/disk/volume-executor.ts';
import { pluginName } from './metrics.ts';

export interface DriverVolumeParts {
  readonly rootDir: string;
  readonly foreign: DriverVolumeCalls;
  readonly carryOut: (order: VolumeOrder) => Promise<VolumeOutcome>;
  /** Logs a problem of this host. */
  readonly warn: (text: string) => void;
}

/** Makes a driver's volume, or a local volume when the claim is bound to one of this host. */
export async function mountDriverVolume(
  pod: PodVolumes,
  plan: DriverVolumePlan,
  { rootDir, foreign, carryOut, warn }: DriverVolumeParts,
): Promise<VolumeOutcome> {
  const made = await foreign.make(pod, plan);
  if (!made.ok) return made;
  const grown = made.type !== 'plan' && made.grown === true ? { grown: true as const } : {};
  const { podUid: uid, fsGroup, fsGroupChangePolicy } = pod;
  if (made.type === 'plan') {
    const owner = { podUid: uid, fsGroupChangePolicy, ...(fsGroup === undefined ? {} : { fsGroup }) };
    const outcome = await carryOut({ type: 'set-up', rootDir, pod: owner, plan: made.plan, fetched: [] });
    if (!outcome.ok) return outcome;
    const plugin = pluginName(made.plan, undefined);
    return made.plan.type === 'host-path' ? { ...outcome, plugin, path: made.plan.path } : { ...outcome, plugin };
  }
  if (made.type === 'device') {
    const mapped = await carryOut({ type: 'map-device', rootDir, podUid: uid, volume: made.volume });
    if (mapped.ok && mapped.warning !== undefined) warn(mapped.warning);
    if (!mapped.ok) return mapped;
    const plugin = made.driver === undefined ? 'kubernetes.io/local-volume' : `kubernetes.io/csi:${made.driver}`;
    return { ...mapped, plugin, ...grown, ...(made.refresh === true ? { refresh: true } : {}) };
  }
  const { path, place, driver, refresh = false } = made;
  const plugin = driver === undefined ? {} : { plugin: `kubernetes.io/csi:${driver}` };
  const mounted = { ok: true, path, ...plugin, ...grown, ...(refresh ? { refresh } : {}) } as const;
  if (place === undefined || fsGroup === undefined) return mounted;
  const owned = await carryOut({
    type: 'own-volume',
    rootDir,
    podUid: uid,
    place,
    gid: fsGroup,
    policy: fsGroupChangePolicy,
  });
  return owned.ok ? mounted : owned;
}
