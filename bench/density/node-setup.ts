import { join } from 'node:path';
import type { KubeletConfiguration } from '../../src/config/fields/kubelet-configuration.ts';

export const NODE_NAME = 'bench';

/** Folder with all files of one run. */
export interface RunPlace {
  readonly folder: string;
  readonly manifests: string;
  readonly rootDir: string;
  readonly runtimeSocket: string;
}

export const runPlace = (folder: string): RunPlace => ({
  folder,
  manifests: join(folder, 'manifests'),
  rootDir: join(folder, 'root'),
  runtimeSocket: join(folder, 'runtime.sock'),
});

/** Differences from the defaults: cluster DNS, room for all pods, and no cgroups of its own. */
export const configurationOf = ({ folder, manifests, runtimeSocket }: RunPlace, pods: number) =>
  ({
    staticPodPath: manifests,
    podLogsDir: join(folder, 'pod-logs'),
    containerRuntimeEndpoint: `unix://${runtimeSocket}`,
    clusterDNS: ['10.96.0.10'],
    clusterDomain: 'cluster.local',
    maxPods: pods + 10,
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    failSwapOn: false,
    failCgroupV1: false,
    makeIPTablesUtilChains: false,
  }) satisfies Partial<KubeletConfiguration>;
