import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantityNano } from '../../../src/kube/quantity.ts';
import {
  cpusIn,
  nodeAllocatable,
  nodeCapacity,
  nodeReservation,
  enforcedReservation,
  thresholdNano,
  type CapacitySettings,
} from '../../../src/node/object/node-capacity.ts';
import type { MachineSize } from '../../../src/host/machine-facts.ts';

const GIB = 1024n ** 3n;
const size: MachineSize = { logicalCores: 4, memoryBytes: 8n * GIB, rootFsBytes: 100n * GIB, hugePages: [] };
const bare: CapacitySettings = {
  maxPods: 110,
  podsPerCore: 0,
  kubeReserved: {},
  systemReserved: {},
  reservedSystemCPUs: '',
  evictionHard: {},
  localStorageCapacityIsolation: true,
};
const allocatable = (settings: Partial<CapacitySettings>, machine: MachineSize | undefined = size) => {
  const all = { ...bare, ...settings };
  const capacity = nodeCapacity(machine, all);
  return nodeAllocatable(capacity, nodeReservation(capacity, all));
};

describe('the capacity of a node', () => {
  it.each([
    {
      rule: "is the machine's size",
      settings: {},
      has: { cpu: '4', memory: '8Gi', pods: '110', 'ephemeral-storage': '100Gi' },
    },
    {
      rule: 'allows a number of pods per core',
      settings: { podsPerCore: 10 },
      has: { cpu: '4', memory: '8Gi', pods: '40', 'ephemeral-storage': '100Gi' },
    },
    {
      rule: 'never allows more than the maximum of pods',
      settings: { podsPerCore: 100 },
      has: { cpu: '4', memory: '8Gi', pods: '110', 'ephemeral-storage': '100Gi' },
    },
    {
      rule: 'has no storage where local storage is not counted',
      settings: { localStorageCapacityIsolation: false },
      has: { cpu: '4', memory: '8Gi', pods: '110' },
    },
  ])('$rule', ({ settings, has }) => {
    expect(nodeCapacity(size, { ...bare, ...settings })).toEqual(has);
  });

  it('has only pods when the machine cannot be read', () => {
    expect(nodeCapacity(undefined, bare)).toEqual({ cpu: '0', memory: '0', pods: '110' });
  });

  it('has every size of huge pages that the kernel offers', () => {
    const hugePages = [
      { pageBytes: 2n * 1024n ** 2n, pages: 3n },
      { pageBytes: GIB, pages: 0n },
    ];
    expect(nodeCapacity({ ...size, hugePages }, bare)).toMatchObject({ 'hugepages-2Mi': '6Mi', 'hugepages-1Gi': '0' });
  });
});

describe('the allocatable resources', () => {
  it.each([
    {
      rule: 'equal the capacity without reservations',
      settings: {},
      has: { cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi' },
    },
    {
      rule: 'exclude reservations for Kubernetes and the system',
      settings: {
        kubeReserved: { cpu: '500m', memory: '1Gi' },
        systemReserved: { cpu: '250m', 'ephemeral-storage': '10Gi' },
      },
      has: { cpu: '3250m', memory: '7Gi', 'ephemeral-storage': '90Gi' },
    },
    {
      rule: 'exclude hard eviction thresholds',
      settings: { evictionHard: { 'memory.available': '1Gi', 'nodefs.available': '10Gi', 'imagefs.available': '50%' } },
      has: { cpu: '4', memory: '7Gi', 'ephemeral-storage': '90Gi' },
    },
    {
      rule: 'exclude the reserved CPU list, which replaces other CPU reservations',
      settings: { reservedSystemCPUs: '0,2-3', kubeReserved: { cpu: '2' }, systemReserved: { cpu: '4' } },
      has: { cpu: '1', memory: '8Gi' },
    },
    { rule: 'are never negative', settings: { kubeReserved: { memory: '9Gi' } }, has: { cpu: '4', memory: '0' } },
    {
      rule: 'ignore reservations of unknown resources',
      settings: { kubeReserved: { pid: '1000' } },
      has: { cpu: '4' },
    },
  ])('$rule', ({ settings, has }) => {
    expect(allocatable(settings)).toMatchObject(has);
  });

  it('exclude memory of huge pages', () => {
    const machine = { ...size, hugePages: [{ pageBytes: GIB, pages: 3n }] };
    expect(allocatable({}, machine)).toMatchObject({ memory: '5Gi', 'hugepages-1Gi': '3Gi' });
  });

  it('are reduced by eviction thresholds, unlike the cgroup limit', () => {
    const settings = { ...bare, kubeReserved: { memory: '1Gi' }, evictionHard: { 'memory.available': '1Gi' } };
    const capacity = nodeCapacity(size, settings);
    expect(nodeAllocatable(capacity, enforcedReservation(capacity, settings))).toMatchObject({ memory: '7Gi' });
  });

  it('never exceed the capacity, for any reservation', () => {
    const amount = fc.integer({ min: 0, max: 20_000 }).map((mebibytes) => `${mebibytes}Mi`);
    fc.assert(
      fc.property(amount, amount, amount, (kube, system, evict) => {
        const left = quantityNano(
          allocatable({
            kubeReserved: { memory: kube },
            systemReserved: { memory: system },
            evictionHard: { 'memory.available': evict },
          })['memory'],
        );
        expect(left >= 0n && left <= quantityNano('8Gi')).toBe(true);
      }),
    );
  });
});

describe('an eviction threshold', () => {
  it.each([
    { threshold: '100Mi', capacity: '8Gi', is: 104_857_600n },
    // In single precision, as in the kubelet.
    { threshold: '10%', capacity: '103079844Ki', is: 10_555_376_182n },
    { threshold: '0%', capacity: '8Gi', is: 0n },
    { threshold: '100%', capacity: '8Gi', is: 0n },
  ])('of $threshold of $capacity', ({ threshold, capacity, is }) => {
    expect(thresholdNano(threshold, quantityNano(capacity)) / 1_000_000_000n).toBe(is);
  });
});

it.each([
  { list: '0-3,8', count: 5 },
  { list: '1,1-2', count: 2 },
  { list: '', count: 0 },
])('the list "$list" names $count CPUs', ({ list, count }) => {
  expect(cpusIn(list)).toBe(count);
});
