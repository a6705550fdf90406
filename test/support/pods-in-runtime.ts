import {
  Container,
  ContainerState,
  ContainerStats,
  PodSandbox,
  PodSandboxState,
  PodSandboxStats,
} from '../../src/cri/gen/api.ts';

const hex = (index: number): string => index.toString(16).padStart(64, '0');
export const uidOf = (index: number): string => `6c2a8e0e-3b0f-4c57-9d3d-${index.toString(16).padStart(12, '0')}`;
export const containerIdOf = (index: number): string => hex(index);

const labelsOf = (index: number) => ({
  'io.kubernetes.pod.name': `web-${index}`,
  'io.kubernetes.pod.namespace': 'default',
  'io.kubernetes.pod.uid': uidOf(index),
});

const CREATED_AT = 1_700_000_000_000_000_000n;

export const sandboxInRuntime = (index: number): PodSandbox =>
  PodSandbox.fromPartial({
    id: hex(1_000_000 + index),
    metadata: { name: `web-${index}`, namespace: 'default', uid: uidOf(index), attempt: 0 },
    state: PodSandboxState.SANDBOX_READY,
    createdAt: CREATED_AT,
    labels: labelsOf(index),
  });

export const containerInRuntime = (index: number): Container =>
  Container.fromPartial({
    id: hex(index),
    podSandboxId: hex(1_000_000 + index),
    metadata: { name: 'main', attempt: 0 },
    image: { image: 'registry.example/web:1' },
    imageRef: `sha256:${hex(1)}`,
    state: ContainerState.CONTAINER_RUNNING,
    createdAt: CREATED_AT + 1_000_000_000n,
    labels: { ...labelsOf(index), 'io.kubernetes.container.name': 'main' },
    annotations: { 'io.kubernetes.container.hash': '5fb3a1c2', 'io.kubernetes.container.restartCount': '0' },
  });

/** The usage of a container: `cpu` nanoseconds in all, and memory that is all working set. */
export const containerStatsInRuntime = (index: number, cpu: bigint, memory = 8_000_000n): ContainerStats =>
  ContainerStats.fromPartial({
    attributes: { id: hex(index), metadata: { name: 'main' }, labels: labelsOf(index) },
    cpu: { timestamp: CREATED_AT, usageCoreNanoSeconds: { value: cpu } },
    memory: {
      timestamp: CREATED_AT,
      workingSetBytes: { value: memory },
      usageBytes: { value: memory + 1n },
      rssBytes: { value: memory - 1n },
      pageFaults: { value: 7n },
      majorPageFaults: { value: 1n },
    },
    writableLayer: {
      timestamp: CREATED_AT,
      fsId: { mountpoint: '/images' },
      usedBytes: { value: 4_096n },
      inodesUsed: { value: 3n },
    },
  });

/** A pod's own figures are a little more than its container's: the sandbox takes something too. */
export const sandboxStatsInRuntime = (index: number, cpu: bigint): PodSandboxStats => {
  const main = containerStatsInRuntime(index, cpu);
  return PodSandboxStats.fromPartial({
    attributes: { id: hex(1_000_000 + index), labels: labelsOf(index) },
    linux: {
      cpu: { timestamp: CREATED_AT, usageCoreNanoSeconds: { value: cpu + 5n } },
      memory: { timestamp: CREATED_AT, workingSetBytes: { value: 9_000_000n }, usageBytes: { value: 9_000_001n } },
      network: {
        timestamp: CREATED_AT,
        defaultInterface: { name: 'eth0', rxBytes: { value: 11n }, txBytes: { value: 12n } },
      },
      process: { timestamp: CREATED_AT, processCount: { value: 2n } },
      containers: [main],
    },
  });
};
