import type { ActorContext, Caller } from '../../src/actor/actor.ts';
import { answerOr } from '../../src/actor/messages/answer-or.ts';
import { CSI_PLUGIN, type DriverVolume, withDriverVolumes } from '../../src/stats/driver-volumes.ts';
import type { DriverFigures, PodDisk } from '../../src/stats/pod-disk.ts';
import type { PodFolders } from '../../src/stats/walk-pod.ts';
import { driverFiguresClient } from '../csi-manager/client.ts';
import { JOB_POOL } from '../job-pool/protocol.ts';
import { driverVolumesClient } from '../volume-manager/client.ts';

export type MeasuredVolume = DriverVolume & { readonly measured?: DriverFigures | undefined };

type Walk = (pods: readonly PodFolders[]) => Promise<readonly PodDisk[] | undefined>;

/** A pod with a million files takes this long on a slow disk. */
const WALK_WITHIN_MS = 120_000;

/** Walks the files of pods and asks the drivers of their volumes at the same time. */
export const walkWithDrivers =
  (walk: Walk, drivers: (podUids: readonly string[]) => Promise<readonly MeasuredVolume[]>): Walk =>
  async (pods) => {
    const [walked, volumes] = await Promise.all([walk(pods), drivers(pods.map(({ uid }) => uid))]);
    if (volumes.length === 0) return walked;
    const byPod = Map.groupBy(volumes, ({ podUid }) => podUid);
    return walked?.map((disk) => withDriverVolumes(disk, byPod.get(disk.uid) ?? []));
  };

/** Walks in the job pool. A lost walk is repeated when its pods are due again. */
export function walkInJobPool(context: Pick<ActorContext, 'ref'>): Walk {
  const pool = context.ref(JOB_POOL);
  return (pods) =>
    answerOr(
      pool
        .ask({ type: 'walk-pods', pods }, { deadlineMs: WALK_WITHIN_MS })
        .then((outcome) => (outcome.ok ? outcome.value : undefined)),
      () => undefined,
    );
}

/** The pods' driver volumes, with the figures of their drivers. */
export function measuredDriverVolumes(
  context: Pick<Caller, 'ref'>,
): (podUids: readonly string[]) => Promise<readonly MeasuredVolume[]> {
  const volumesOf = driverVolumesClient(context);
  const figuresOf = driverFiguresClient(context);
  return async (podUids) => {
    const found = await volumesOf(podUids);
    const ofDrivers = found.filter(({ plugin }) => plugin === CSI_PLUGIN);
    // Most nodes have no driver volumes.
    const figures =
      ofDrivers.length === 0 ? [] : await figuresOf(ofDrivers.map(({ podUid, specName }) => ({ podUid, specName })));
    const measured = new Map(ofDrivers.map((volume, index) => [volume, figures[index]]));
    return found.map((volume) => ({ ...volume, measured: measured.get(volume) }));
  };
}
