import { own } from '../kube/text/own.ts';
import type { PodDisk, Walked } from './pod-disk.ts';
import { add } from './walk-pod.ts';
import type { ContainerStats, FsStats, NodeStats, PodStats, Summary, VolumeStats } from './summary.ts';

/** The result of a walk over a pod's files, and its time. */
export interface PodDiskAt extends PodDisk {
  /** RFC 3339. */
  readonly time: string;
}

/** Returns a pod's stats with its disk usage: volumes, logs, and all of its ephemeral storage together. */
export function withDisk(pod: PodStats, disk: PodDiskAt | undefined, nodeFs: FsStats | undefined): PodStats {
  if (disk === undefined) return pod;
  const containers = pod.containers.map((each) => withLogs(each, disk, nodeFs));
  const volume: readonly VolumeStats[] = [
    ...disk.volumes.map((each): VolumeStats => {
      const { name, fileSystem, usedBytes, inodesUsed } = each;
      return { time: disk.time, ...fileSystem, usedBytes, inodesUsed, name };
    }),
    ...(disk.driverVolumes ?? []).map(({ name, claim, figures, isAbnormal }): VolumeStats => ({
      time: disk.time,
      ...figures,
      name,
      ...(claim && { pvcRef: claim }),
      ...(isAbnormal !== undefined && { volumeHealthStats: { abnormal: isAbnormal } }),
    })),
  ];
  const layers = pod.containers.flatMap(({ rootfs }) => (rootfs === undefined ? [] : [rootfs]));
  const parts: readonly Walked[] = [
    ...layers.map(({ usedBytes = 0, inodesUsed = 0 }) => ({ usedBytes, inodesUsed })),
    ...Object.values(disk.logs),
    ...disk.volumes.filter(({ local }) => local),
    disk.otherLogs,
    disk.ownFiles,
  ];
  const all = parts.reduce(add, { usedBytes: 0, inodesUsed: 0 });
  return {
    ...pod,
    containers,
    ...(volume.length > 0 && { volume }),
    'ephemeral-storage': { ...onNodeFs(nodeFs, disk.time), ...all },
  };
}

function withLogs(container: ContainerStats, disk: PodDiskAt, nodeFs: FsStats | undefined): ContainerStats {
  const walked = own(disk.logs, container.name);
  if (walked === undefined) return container;
  return { ...container, logs: { ...onNodeFs(nodeFs, disk.time), ...walked } };
}

/** The free space of a file system, without its usage. */
const onNodeFs = (nodeFs: FsStats | undefined, time: string): FsStats => ({ ...nodeFs, time });

/** Keeps CPU and memory only, for `only_cpu_and_memory`. */
export function onlyCpuAndMemory({ node, pods }: Summary): Summary {
  const { nodeName, startTime, systemContainers, cpu, memory } = node;
  const shortNode: NodeStats = {
    nodeName,
    startTime,
    ...(systemContainers && { systemContainers: systemContainers.map(shortContainer) }),
    ...(cpu && { cpu }),
    ...(memory && { memory }),
  };
  const shortPods = pods.map((pod): PodStats => {
    const containers = pod.containers.map(shortContainer);
    return {
      podRef: pod.podRef,
      startTime: pod.startTime,
      containers,
      ...(pod.cpu && { cpu: pod.cpu }),
      ...(pod.memory && { memory: pod.memory }),
    };
  });
  return { node: shortNode, pods: shortPods };
}

const shortContainer = ({ name, startTime, cpu, memory }: ContainerStats): ContainerStats => ({
  name,
  startTime,
  ...(cpu && { cpu }),
  ...(memory && { memory }),
});
