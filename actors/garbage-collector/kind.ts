import { statfs } from 'node:fs/promises';
import { cgroupsOf } from '../../src/agent/thread-cgroups.ts';
import { defaultOptions } from '../../src/config/flags/kubelet-options.ts';
import { criClient } from '../../src/cri/client.ts';
import { nodeEventObject } from '../../src/kube/event.ts';
import { podCgroups } from '../../src/node/resources/cgroup-path.ts';
import { hostPodFiles } from '../../src/host/pod-files.ts';
import { legacyLogsDir } from '../../src/pod/values/pod-log-path.ts';
import { systemMounter } from '../../src/volumes/disk/mounter.ts';
import { removeOrphanDirectory } from '../../src/volumes/disk/remove-orphan-directory.ts';
import { criGatewayClient } from '../cri-gateway/client.ts';
import { CRI_GATEWAY } from '../cri-gateway/protocol.ts';
import { eventsOf } from '../event-recorder/client.ts';
import { volumeManagerClient } from '../volume-manager/client.ts';
import { GarbageCollector } from './actor.ts';
import { garbageMetrics } from './metrics.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { GarbageCollectorProtocol } from './protocol.ts';

/** Removes containers, images and directories that no pod needs. */
export const kind = agentKind<GarbageCollectorProtocol>({
  runsOn: 'volumes',
  standsOn: [CRI_GATEWAY],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    'delete-unused-containers': true,
    'delete-unused-images': true,
    'pass-due': true,
    'pass-ended': true,
  },
  async make(environment) {
    const { settings, node, faults, metrics } = environment;
    const { config, deadContainers = defaultOptions.deadContainers } = settings;
    const containerPolicy = {
      minAgeMs: deadContainers.minAgeMs,
      maxPerPodContainer: deadContainers.perContainer,
      maxContainers: deadContainers.onNode,
    };
    const { rootDir, podLogsDir } = node;
    const cgroups = await cgroupsOf(environment);
    const counted = garbageMetrics(metrics);
    const files = faults?.files(hostPodFiles) ?? hostPodFiles;
    return (context) => {
      const cri = criClient(criGatewayClient(context, config.runtimeRequestTimeout));
      const record = eventsOf(context, settings);
      return new GarbageCollector(context, {
        containers: { cri, files, podLogsDir, legacyLogsDir: legacyLogsDir(podLogsDir), policy: containerPolicy },
        images: {
          cri,
          metrics: counted,
          filesystemOf: diskOf,
          nodeEvent: (event) => record({ object: nodeEventObject(settings.nodeName), type: 'Warning', ...event }),
          policy: {
            highThresholdPercent: config.imageGCHighThresholdPercent,
            lowThresholdPercent: config.imageGCLowThresholdPercent,
            minAgeMs: config.imageMinimumGCAge,
            maxAgeMs: config.imageMaximumGCAge,
          },
        },
        directories: {
          cri,
          metrics: counted,
          files,
          podsDir: `${rootDir}/pods`,
          volumes: volumeManagerClient(context),
          removePodDirectory: (podUid) => removeOrphanDirectory({ rootDir, podUid }, systemMounter),
          removeCgroups: (uid) => firstProblem(podCgroups(uid, undefined, node), (path) => cgroups.removeEmpty(path)),
        },
      });
    };
  },
});

/** Tries each path. Returns the first problem, or `undefined` when there was none. */
const firstProblem = (paths: readonly string[], remove: (path: string) => string | undefined): string | undefined =>
  paths.map(remove).find((problem) => problem !== undefined);

async function diskOf(path: string) {
  const { bsize, blocks, bavail } = await statfs(path);
  return { capacityBytes: blocks * bsize, availableBytes: bavail * bsize };
}
