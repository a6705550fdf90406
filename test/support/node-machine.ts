import type { MachineFacts } from '../../src/host/machine-facts.ts';
import type { NodeStatusSettings } from '../../actors/node-status/state.ts';

const GIB = 1024n ** 3n;

/** A machine with 2 cores, 4 GiB and a disk of 100 GiB. */
export const machine: MachineFacts = {
  machineId: 'machine-1',
  systemUuid: 'system-1',
  bootId: 'boot-1',
  kernelVersion: '6.1.0',
  osImage: 'Debian GNU/Linux 12 (bookworm)',
  operatingSystem: 'linux',
  architecture: 'amd64',
  size: { logicalCores: 2, memoryBytes: 4n * GIB, rootFsBytes: 100n * GIB, hugePages: [] },
  swapBytes: 0n,
};

export const nodeStatusSettings: NodeStatusSettings = {
  registration: {
    nodeName: 'node-1',
    labels: {},
    taints: [],
    providerId: '',
    externalCloudProvider: false,
    controllerManagedAttach: true,
    nodeIps: [],
  },
  status: {
    maxPods: 110,
    podsPerCore: 0,
    kubeReserved: {},
    systemReserved: {},
    reservedSystemCPUs: '',
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%' },
    localStorageCapacityIsolation: true,
    port: 10250,
    kubeletVersion: 'v1.36.2+hivelet',
    declaredFeatures: [],
  },
  registerNode: true,
  updateFrequencyMs: 10_000,
  reportFrequencyMs: 300_000,
  maxImages: 50,
};
