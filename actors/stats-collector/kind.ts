import { gatesOf } from '../../src/config/feature-gates.ts';
import { criClient } from '../../src/cri/client.ts';
import { recordedPodEventObject } from '../../src/kube/event.ts';
import { hostReader } from '../../src/host/host-reader.ts';
import { readMachineFacts } from '../../src/host/machine-facts.ts';
import { readMachineShape } from '../../src/host/machine-shape.ts';
import { realHost } from '../../src/stats/stats-host.ts';
import { criGatewayClient } from '../cri-gateway/client.ts';
import { CRI_GATEWAY } from '../cri-gateway/protocol.ts';
import { eventsOf } from '../event-recorder/client.ts';
import { JOB_POOL } from '../job-pool/protocol.ts';
import { StatsCollector } from './actor.ts';
import { statsMetrics } from './metrics.ts';
import { measuredDriverVolumes, walkInJobPool, walkWithDrivers } from './walk-volumes.ts';
import { agentKind, SMALL_MAILBOX } from '../../src/agent/kind.ts';
import type { StatsCollectorProtocol } from './protocol.ts';

/** The actor that measures the node, its pods and their containers. */
export const kind = agentKind<StatsCollectorProtocol>({
  runsOn: 'probes',
  standsOn: [CRI_GATEWAY, JOB_POOL],
  mailbox: SMALL_MAILBOX,
  messageTypes: {
    'cadvisor-metrics': true,
    'disk-devices': true,
    'folders-walked': true,
    'node-memory': true,
    'node-stats': true,
    'pod-stats': true,
    'resource-metrics': true,
    summary: true,
    'summary-text': true,
  },
  make({ settings, node, metrics: families }) {
    const { machineId, systemUuid, bootId, kernelVersion, osImage, size, swapBytes } = readMachineFacts(
      hostReader,
      node.rootDir,
    );
    const machine = {
      labels: { machine_id: machineId, system_uuid: systemUuid, boot_id: bootId },
      kernelVersion,
      osVersion: osImage,
      logicalCores: hostReader.logicalCores,
      memoryBytes: size && Number(size.memoryBytes),
      swapBytes: Number(swapBytes),
      shape: readMachineShape(hostReader),
    };
    const metrics = statsMetrics(families);
    return (context) => {
      const record = eventsOf(context, settings);
      return new StatsCollector(context, {
        host: realHost,
        cri: criClient(criGatewayClient(context, settings.config.runtimeRequestTimeout)),
        node,
        machine,
        configured: { runtime: settings.flags?.['runtime-cgroups'], misc: settings.config.systemCgroups },
        metrics,
        walk: walkWithDrivers(walkInJobPool(context), measuredDriverVolumes(context)),
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
    };
  },
});
