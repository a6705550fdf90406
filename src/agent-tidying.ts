import { statfs } from 'node:fs/promises';
import type { Registry } from './kube/prometheus.ts';
import type { ContainerLogManagerProtocol } from '../actors/container-log-manager/protocol.ts';
import { eventsThroughRecorder } from '../actors/events-through-recorder.ts';
import type { OomWatcherProtocol } from '../actors/oom-watcher/protocol.ts';
import type { GarbageCollectorProtocol } from '../actors/garbage-collector/protocol.ts';
import { criThroughGateway } from '../actors/cri-through-gateway.ts';
import { volumesThroughManager } from '../actors/volumes-through-manager.ts';
import { cgroupsOf } from './agent-cgroups.ts';
import { actorKind, type ActorContext, type ActorKind } from './actor/actor.ts';
import { largeMailbox, type KindConfig } from './actor-kinds-config.ts';
import { defaultOptions } from './config/kubelet-options.ts';
import { criClient } from './cri/client.ts';
import { nodeEventObject, type RecordEvent } from './kube/event.ts';
import { legacyLogsDir } from './pod/pod-log-path.ts';
import { quantityValue } from './kube/quantity.ts';
import { nodeCgroupPath, podCgroups } from './node/cgroup-path.ts';
import { openKernelLog } from './node/kernel-log.ts';
import { readOomCounts } from './node/oom-counts.ts';
import { hostPodFiles } from './node/pod-files.ts';
import { removeOrphanDirectory } from './volumes/remove-orphan-directory.ts';
import { systemMounter } from './volumes/mounter.ts';

type Events = (context: Pick<ActorContext, 'ref' | 'clock' | 'log'>) => RecordEvent;

/** The actor that removes what nobody needs any more. */
export async function garbageCollectorKind(
  kind: KindConfig,
  { registry, events }: { readonly registry: Registry; readonly events: Events },
): Promise<ActorKind> {
  const { GarbageCollector } = await import('../actors/garbage-collector/actor.ts');
  const { garbageMetrics } = await import('../actors/garbage-collector/metrics.ts');
  const { settings, node, faults } = kind;
  const { config, deadContainers = defaultOptions.deadContainers } = settings;
  const containerPolicy = {
    minAgeMs: deadContainers.minAgeMs,
    maxPerPodContainer: deadContainers.perContainer,
    maxContainers: deadContainers.onNode,
  };
  const { rootDir, podLogsDir } = node;
  const cgroups = await cgroupsOf(kind);
  const metrics = garbageMetrics(registry);
  const files = faults?.files(hostPodFiles) ?? hostPodFiles;
  return actorKind<GarbageCollectorProtocol>({
    mailbox: largeMailbox,
    make: (context) => {
      const cri = criClient(criThroughGateway(context, config.runtimeRequestTimeout));
      const record = events(context);
      return new GarbageCollector(context, {
        containers: { cri, files, podLogsDir, legacyLogsDir: legacyLogsDir(podLogsDir), policy: containerPolicy },
        images: {
          cri,
          metrics,
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
          metrics,
          files,
          podsDir: `${rootDir}/pods`,
          volumes: volumesThroughManager(context),
          removePodDirectory: (podUid) => removeOrphanDirectory({ rootDir, podUid }, systemMounter),
          removeCgroups: (uid) => firstOf(podCgroups(uid, undefined, node), (path) => cgroups.removeEmpty(path)),
        },
      });
    },
  });
}

/** The actor that rotates the logs of running containers. */
export async function containerLogManagerKind({ settings: { config }, node }: KindConfig): Promise<ActorKind> {
  const { ContainerLogManager } = await import('../actors/container-log-manager/actor.ts');
  const { hostLogDisk } = await import('../actors/container-log-manager/log-disk.ts');
  return actorKind<ContainerLogManagerProtocol>({
    mailbox: largeMailbox,
    make: (context) =>
      new ContainerLogManager(context, {
        cri: criThroughGateway(context, config.runtimeRequestTimeout),
        disk: hostLogDisk(context.incarnation),
        podLogsDir: node.podLogsDir,
        maxSizeBytes: Number(quantityValue(config.containerLogMaxSize)),
        maxFiles: config.containerLogMaxFiles,
        atOnce: config.containerLogMaxWorkers,
        lookEveryMs: config.containerLogMonitorInterval,
      }),
  });
}

/** The actor that tells of processes killed for want of memory. There is one only where there is an API to tell. */
export async function oomWatcherKind({ settings: { nodeName }, node }: KindConfig): Promise<ActorKind> {
  const { OomWatcher } = await import('../actors/oom-watcher/actor.ts');
  const podsCgroup = nodeCgroupPath(node);
  return actorKind<OomWatcherProtocol>({
    mailbox: largeMailbox,
    make: (context) => {
      const record = eventsThroughRecorder(context);
      return new OomWatcher(context, {
        openKernelLog,
        readCounts: () => readOomCounts(podsCgroup),
        podsCgroup,
        nodeEvent: (event) => record({ object: nodeEventObject(nodeName), type: 'Warning', ...event }),
      });
    },
  });
}

/** Each is tried; the first problem there is. */
const firstOf = (paths: readonly string[], remove: (path: string) => string | undefined): string | undefined =>
  paths.map(remove).find((problem) => problem !== undefined);

async function diskOf(path: string) {
  const { bsize, blocks, bavail } = await statfs(path);
  return { capacityBytes: blocks * bsize, availableBytes: bavail * bsize };
}
