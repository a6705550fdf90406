import type { ActorContext, Caller } from '../../src/actor/actor.ts';
import { answerOr } from '../../src/actor/messages/answer-or.ts';
import { CSI_PLUGIN, type DriverVolume, withDriverVolumes } from '../../src/stats/driver-volumes.ts';
import type { DriverFigures, PodDisk } from '../../src/stats/pod-disk.ts';
import type { PodFolders } from '../../src/stats/walk-pod.ts';
import { driverFiguresThroughManager } from '../csi-manager/client.ts';
import { JOB_POOL } from '../job-pool/protocol.ts';
import { driverVolumesThroughManager } from '../volume-manager/client.ts';

export type MeasuredVolume = DriverVolume & { readonly measured?: DriverFigures | undefined };

type Walk = (pods: readonly PodFolders[]) => Promise<readonly PodDisk[] | undefined>;

/** A pod with a million files takes this long on a slow disk. */
const WALK_WITHIN_MS = 120_000;

/** A walk over the files of pods, beside which the drivers of their volumes are asked. */
export const walkWithDrivers =
  (walk: Walk, drivers: (podUids: readonly string[]) => Promise<readonly MeasuredVolume[]>): Walk =>
  async (pods) => {
    const [walked, volumes] = await Promise.all([walk(pods), drivers(pods.map(({ uid }) => uid))]);
    if (volumes.length === 0) return walked;
    const byPod = Map.groupBy(volumes, ({ podUid }) => podUid);
    return walked?.map((disk) => withDriverVolumes(disk, byPod.get(disk.uid) ?? []));
  };

/** A walk that is lost, with its thread or on the way, is made again when its pods' turn comes. */
export function walkThroughPool(context: Pick<ActorContext, 'ref'>): Walk {
  const pool = context.ref(JOB_POOL);
  return (pods) =>
    answerOr(
      pool
        .ask({ type: 'walk-pods', pods }, { deadlineMs: WALK_WITHIN_MS })
        .then((outcome) => (outcome.ok ? outcome.value : undefined)),
      () => undefined,
    );
}

/** The volumes of pods that drivers stand behind, with what the drivers measure of them. */
export function measuredDriverVolumes(
  context: Pick<Caller, 'ref'>,
): (podUids: readonly string[]) => Promise<readonly MeasuredVolume[]> {
  const volumesOf = driverVolumesThroughManager(context);
  const figuresOf = driverFiguresThroughManager(context);
  return async (podUids) => {
    const found = await volumesOf(podUids);
    const ofDrivers = found.filter(({ plugin }) => plugin === CSI_PLUGIN);
    // Most nodes have none.
    const figures =
      ofDrivers.length === 0 ? [] : await figuresOf(ofDrivers.map(({ podUid, specName }) => ({ podUid, specName })));
    const measured = new Map(ofDrivers.map((volume, index) => [volume, figures[index]]));
    return found.map((volume) => ({ ...volume, measured: measured.get(volume) }));
  };
}
