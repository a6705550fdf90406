import type { MachineFigures } from '../../../src/stats/cadvisor-metrics.ts';
import type { AddressHost } from '../../../src/host/host-addresses.ts';
import type { StatsHost } from '../../../src/stats/stats-host.ts';

/** A machine without a kernel: the usage of its pods comes from its runtime. */
export const bareHost: StatsHost = {
  read: () => undefined,
  list: () => [],
  fileSystem: () =>
    Promise.resolve({
      availableBytes: 40_000,
      capacityBytes: 100_000,
      usedBytes: 60_000,
      inodesFree: 400,
      inodes: 1_000,
      inodesUsed: 600,
    }),
  device: () => 1,
  descriptors: () => undefined,
};

export const bareMachine: MachineFigures = {
  labels: { machine_id: 'm', system_uuid: 's', boot_id: 'b' },
  kernelVersion: '6.1',
  osVersion: 'Linux',
  logicalCores: 2,
  memoryBytes: 8_000_000,
  swapBytes: 0,
  shape: { sockets: 1, physicalCores: 1, nodes: [], threads: [] },
};

/** A host whose only interface has this address. */
export const simulatedAddresses = (address: string): AddressHost => ({
  addresses: () => [{ interface: 'eth0', address }],
  routes: () => ['Iface\tDestination\tGateway\tFlags\neth0\t00000000\t0100000A\t0003\n', ''],
  resolve: () => Promise.resolve([]),
});
