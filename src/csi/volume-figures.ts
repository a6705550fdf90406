import type { DriverFigures } from '../stats/pod-disk.ts';
import type { CsiNode } from './csi-client.ts';
import type { NodeGetVolumeStatsResponse } from './gen/csi.ts';
import { NodeGetVolumeStatsRequest, VolumeUsage_Unit } from './gen/csi.ts';
import { publishedPath, stagingPlace, type CsiPlace } from './volume-places.ts';
import { stagedOf, type FoundVolume } from './volume-work.ts';

/**
 * Returns the usage of a pod's volume as its driver reports it; `undefined` when the driver does not report it. Never
 * rejects.
 */
export async function volumeFigures(
  node: Pick<CsiNode, 'capabilities' | 'stats'>,
  found: FoundVolume,
  place: CsiPlace,
): Promise<DriverFigures | undefined> {
  const { record } = found;
  if (record === undefined) return undefined;
  const capabilities = await node.capabilities();
  if (!capabilities.ok || !capabilities.value.has('GET_VOLUME_STATS')) return undefined;
  const stages = record.volumeLifecycleMode === 'Persistent' && capabilities.value.has('STAGE_UNSTAGE_VOLUME');
  const answer = await node.stats(
    NodeGetVolumeStatsRequest.fromPartial({
      volumeId: record.volumeHandle,
      volumePath: publishedPath(place, found.podUid, found),
      stagingTargetPath: stages ? stagingPlace(place, stagedOf(record, found)).path : '',
    }),
  );
  if (!answer.ok) return undefined;
  const condition = capabilities.value.has('VOLUME_CONDITION') ? answer.value.volumeCondition : undefined;
  const figures = figuresOf(answer.value);
  if (condition === undefined) return { figures };
  return { figures, isAbnormal: condition.abnormal, ...(condition.message && { condition: condition.message }) };
}

/** Returns figures by unit. If a unit comes twice, the last one counts, as in the kubelet. */
export function figuresOf({ usage }: Pick<NodeGetVolumeStatsResponse, 'usage'>): DriverFigures['figures'] {
  let figures: DriverFigures['figures'] = {};
  for (const { unit, available, total, used } of usage) {
    const [left, all, taken] = [Number(available), Number(total), Number(used)];
    if (unit === VolumeUsage_Unit.BYTES) {
      figures = { ...figures, availableBytes: left, capacityBytes: all, usedBytes: taken };
    } else if (unit === VolumeUsage_Unit.INODES) {
      figures = { ...figures, inodesFree: left, inodes: all, inodesUsed: taken };
    }
  }
  return figures;
}
