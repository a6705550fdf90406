import type { MetricFamilies } from './actor/metric-families.ts';
import { criThroughGateway } from '../actors/cri-gateway/client.ts';
import { eventsThroughRecorder, eventsToLog } from '../actors/event-recorder/client.ts';
import { JOB_POOL, type JobPoolProtocol } from '../actors/job-pool/protocol.ts';
import { driverVolumesThroughManagers, type MeasuredVolume } from '../actors/driver-volumes-through-managers.ts';
import type { StatsCollectorProtocol } from '../actors/stats-collector/protocol.ts';
import { actorKind, type ActorContext, type ActorKind } from './actor/actor.ts';
import { ActorFault } from './actor/fault.ts';
import type { KindConfig } from './agent/kind.ts';
import { apiUse } from './agent/api-settings.ts';
import { gatesOf } from './config/feature-gates.ts';
import { criClient } from './cri/client.ts';
import { recordedPodEventObject } from './kube/event.ts';
import { hostReader } from './node/host-reader.ts';
import { readMachineShape } from './node/machine-shape.ts';
import { readMachineFacts } from './node/machine-facts.ts';
import { withDriverVolumes } from './stats/driver-volumes.ts';
import type { PodDisk, PodFolders } from './stats/walk-pod.ts';

/** A pod with a million files takes this long on a slow disk. */
const WALK_WITHIN_MS = 120_000;

/** The actor that measures the node, its pods and their containers. */
export async function statsCollectorKind({ settings, node }: KindConfig, families: MetricFamilies): Promise<ActorKind> {
  const { StatsCollector } = await import('../actors/stats-collector/actor.ts');
  const { realHost } = await import('./stats/stats-host.ts');
  const { machineId, systemUuid, bootId, size, swapBytes } = readMachineFacts(hostReader, node.rootDir);
  const machine = {
    labels: { machine_id: machineId, system_uuid: systemUuid, boot_id: bootId },
    logicalCores: hostReader.logicalCores,
    memoryBytes: size && Number(size.memoryBytes),
    swapBytes: Number(swapBytes),
    shape: readMachineShape(hostReader),
  };
  const { statsMetrics } = await import('../actors/stats-collector/metrics.ts');
  const metrics = statsMetrics(families);
  return actorKind<StatsCollectorProtocol>({
    mailbox: { capacity: 1_000 },
    make: (context) => {
      const record = apiUse(settings) === 'api' ? eventsThroughRecorder(context) : eventsToLog(context);
      return new StatsCollector(context, {
        host: realHost,
        cri: criClient(criThroughGateway(context, settings.config.runtimeRequestTimeout)),
        node,
        machine,
        metrics,
        walk: walkWithDrivers(walkThroughPool(context), driverVolumesThroughManagers(context)),
        walkEveryMs: settings.config.volumeStatsAggPeriod,
        ...(gatesOf(settings.config)('CSIVolumeHealth') && {
          abnormal: (pod, { name, condition }) =>
            record({
              object: recordedPodEventObject(pod),
              type: 'Warning',
              reason: 'VolumeConditionAbnormal',
              message: `Volume ${name}: ${condition}`,
            }),
        }),
      });
    },
  });
}

type Walk = (pods: readonly PodFolders[]) => Promise<readonly PodDisk[] | undefined>;

/** A walk beside which the drivers of the pods' volumes are asked. */
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
  const pool = context.ref<JobPoolProtocol>(JOB_POOL);
  return async (pods) => {
    try {
      const outcome = await pool.ask({ type: 'walk-pods', pods }, { deadlineMs: WALK_WITHIN_MS });
      return outcome.ok ? outcome.value : undefined;
    } catch (fault) {
      if (!(fault instanceof ActorFault) || fault.code === 'caller-ended') throw fault;
      return undefined;
    }
  };
}
