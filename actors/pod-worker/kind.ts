import { cgroupsOf } from '../../src/agent/thread-cgroups.ts';
import { criClient } from '../../src/cri/client.ts';
import { ownTurns } from '../../src/actor/one-per-turn.ts';
import { fileModeMask } from '../../src/host/exact-modes.ts';
import { podFilesUnder } from '../../src/host/pod-files.ts';
import { legacyLogsDir } from '../../src/pod/values/pod-log-path.ts';
import { criGatewayClient } from '../cri-gateway/client.ts';
import { CRI_GATEWAY } from '../cri-gateway/protocol.ts';
import { eventsOf } from '../event-recorder/client.ts';
import { imageManagerClient } from '../image-manager/client.ts';
import { objectsAddress, objectCacheClient } from '../object-cache/client.ts';
import { PLEG } from '../pleg/protocol.ts';
import { volumeManagerClient } from '../volume-manager/client.ts';
import { PodWorker } from './actor.ts';
import { podWorkerMetrics } from './metrics.ts';
import type { PodWorkerInit, PodWorkerProtocol } from './protocol.ts';
import { agentKind, SMALL_MAILBOX } from '../../src/agent/kind.ts';

/** The actor that starts one pod, keeps it running, and removes it. */
export const kind = agentKind<PodWorkerProtocol>({
  runsOn: 'pods',
  standsOn: [CRI_GATEWAY, PLEG],
  mailbox: SMALL_MAILBOX,
  messageTypes: {
    'attempt-ended': true,
    'cgroup-gone': true,
    'host-ips-changed': true,
    observed: true,
    'probe-result': true,
    'report-probes': true,
    'pod-status-observed': true,
    'previous-status-read': true,
    removed: true,
    'reconcile-pod': true,
    'report-status': true,
    'report-volumes': true,
    'runtime-health-changed': true,
    'sandbox-ready': true,
    stopped: true,
    'sync-due': true,
    'sync-pod': true,
    'evict-pod': true,
    'terminate-pod': true,
    'terminate-runtime-pod': true,
    'volume-failed': true,
    'volume-succeeded': true,
  },
  async make(environment) {
    const { settings, node, faults, metrics } = environment;
    const disk = podFilesUnder(fileModeMask());
    const files = faults?.files(disk) ?? disk;
    const ownTurn = ownTurns((serve) => void setImmediate(serve));
    const cgroups = await cgroupsOf(environment, metrics);
    const host = { files, cgroups, ownTurn, legacyLogsDir: legacyLogsDir(node.podLogsDir) };
    // Counts over incarnations, and over pods.
    const counted = podWorkerMetrics(metrics);
    const { runtimeRequestTimeout, syncFrequency, crashLoopBackOff } = settings.config;
    const objects = objectsAddress(settings);
    return (untraced, init: PodWorkerInit) => {
      // A pod's trace is its UID, so all work of the worker can be traced.
      const context = untraced.traced(init.podUid);
      return new PodWorker(context, {
        init,
        settings: {
          syncFrequencyMs: syncFrequency,
          crashLoopMaxMs: crashLoopBackOff.maxContainerRestartPeriod ?? 300_000,
          ...(settings.deadContainers && { deadContainersKept: settings.deadContainers.perContainer }),
        },
        recordEvent: eventsOf(context, settings),
        tools: {
          node,
          clock: context.clock,
          runtime: {
            cri: criClient(criGatewayClient(context, runtimeRequestTimeout)),
            requestTimeoutMs: runtimeRequestTimeout,
          },
          host,
          volumes: volumeManagerClient(context),
          objects: objects === undefined ? undefined : objectCacheClient(context, objects),
          images: imageManagerClient(context),
        },
        metrics: counted,
      });
    };
  },
});
