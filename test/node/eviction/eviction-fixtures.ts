import type { Container, Pod, Volume } from '../../../src/kube/pod.ts';
import type { ContainerFigures, PodFigures } from '../../../src/node/eviction/figures.ts';
import type { EvictionSettings } from '../../../src/node/eviction/thresholds.ts';

export const MI = 1024 ** 2;
export const GI = 1024 ** 3;

export const settings = (given: Partial<EvictionSettings> = {}): EvictionSettings => ({
  evictionHard: {},
  evictionSoft: {},
  evictionSoftGracePeriod: {},
  evictionMinimumReclaim: {},
  enforceNodeAllocatable: [],
  ...given,
});

/** A pod of the API. Other members do not matter. */
export function apiPod(
  uid: string,
  {
    priority,
    memory,
    storage,
    containers,
    volumes,
    spec,
  }: {
    readonly priority?: number;
    readonly memory?: string;
    readonly storage?: string;
    readonly containers?: readonly Container[];
    readonly volumes?: readonly Volume[];
    readonly spec?: Partial<Pod['spec']>;
  } = {},
): Pod {
  const requests = {
    ...(memory !== undefined && { memory }),
    ...(storage !== undefined && { 'ephemeral-storage': storage }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: uid, namespace: 'shop', uid, annotations: { 'kubernetes.io/config.source': 'api' } },
    spec: {
      containers: containers ?? [{ name: 'main', resources: { requests } }],
      ...(priority !== undefined && { priority }),
      ...(volumes !== undefined && { volumes }),
      ...spec,
    },
  };
}

export const staticPod = (uid: string): Pod => {
  const pod = apiPod(uid);
  return { ...pod, metadata: { ...pod.metadata, annotations: { 'kubernetes.io/config.source': 'file' } } };
};

/** Figures of a pod with one container. */
export const figures = (
  uid: string,
  {
    memory,
    rootfs,
    logs,
    inodes,
    volume,
    storage,
    processes,
    containers,
  }: {
    readonly memory?: number;
    readonly rootfs?: number;
    readonly logs?: number;
    readonly inodes?: number;
    readonly volume?: Readonly<Record<string, number>>;
    readonly storage?: number;
    readonly processes?: number;
    readonly containers?: readonly ContainerFigures[];
  } = {},
): PodFigures => ({
  podRef: { uid },
  memory: { workingSetBytes: memory },
  containers: containers ?? [
    {
      name: 'main',
      memory: { workingSetBytes: memory },
      rootfs: { usedBytes: rootfs, inodesUsed: inodes },
      logs: { usedBytes: logs },
    },
  ],
  volume: Object.entries(volume ?? {}).map(([name, usedBytes]) => ({ name, usedBytes })),
  'ephemeral-storage': { usedBytes: storage },
  process_stats: { process_count: processes },
});
