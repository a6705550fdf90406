import { own } from '../kube/text/own.ts';
import type { PodDisk, Walked } from './pod-disk.ts';
import { add } from './walk-pod.ts';
import type { ContainerStats, FsStats, NodeStats, PodStats, Summary, VolumeStats } from './summary.ts';

/** When a pod's files were walked, and what was found. */
export interface PodDiskAt extends PodDisk {
  /** RFC 3339. */
  readonly time: string;
}

/** A pod's figures with what its files take up: volumes, logs, and all of its own storage on the node together. */
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

/** What of a file system is left; what is used of it is of no concern here. */
const onNodeFs = (nodeFs: FsStats | undefined, time: string): FsStats => ({ ...nodeFs, time });

/** No more than processors and memory, as `only_cpu_and_memory` asks for. */
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
