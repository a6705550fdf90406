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
      rule: 'is what the machine has',
      settings: {},
      has: { cpu: '4', memory: '8Gi', pods: '110', 'ephemeral-storage': '100Gi' },
    },
    {
      rule: 'takes so many pods a core',
      settings: { podsPerCore: 10 },
      has: { cpu: '4', memory: '8Gi', pods: '40', 'ephemeral-storage': '100Gi' },
    },
    {
      rule: 'never takes more pods than it may',
      settings: { podsPerCore: 100 },
      has: { cpu: '4', memory: '8Gi', pods: '110', 'ephemeral-storage': '100Gi' },
    },
    {
      rule: 'has no storage where none is counted',
      settings: { localStorageCapacityIsolation: false },
      has: { cpu: '4', memory: '8Gi', pods: '110' },
    },
  ])('$rule', ({ settings, has }) => {
    expect(nodeCapacity(size, { ...bare, ...settings })).toEqual(has);
  });

  it('is nothing but pods where the machine cannot be read', () => {
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

describe('what pods may have', () => {
  it.each([
    {
      rule: 'is all of it where nothing is kept',
      settings: {},
      has: { cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi' },
    },
    {
      rule: 'is less what is kept for Kubernetes and for the system',
      settings: {
        kubeReserved: { cpu: '500m', memory: '1Gi' },
        systemReserved: { cpu: '250m', 'ephemeral-storage': '10Gi' },
      },
      has: { cpu: '3250m', memory: '7Gi', 'ephemeral-storage': '90Gi' },
    },
    {
      rule: 'is less what eviction keeps free',
      settings: { evictionHard: { 'memory.available': '1Gi', 'nodefs.available': '10Gi', 'imagefs.available': '50%' } },
      has: { cpu: '4', memory: '7Gi', 'ephemeral-storage': '90Gi' },
    },
    {
      rule: 'is less the CPUs that are named, and not what is kept beside them',
      settings: { reservedSystemCPUs: '0,2-3', kubeReserved: { cpu: '2' }, systemReserved: { cpu: '4' } },
      has: { cpu: '1', memory: '8Gi' },
    },
    { rule: 'is never below nothing', settings: { kubeReserved: { memory: '9Gi' } }, has: { cpu: '4', memory: '0' } },
    {
      rule: 'knows nothing of what is kept of things it does not have',
      settings: { kubeReserved: { pid: '1000' } },
      has: { cpu: '4' },
    },
  ])('$rule', ({ settings, has }) => {
    expect(allocatable(settings)).toMatchObject(has);
  });

  it('has memory less what is tied up in huge pages', () => {
    const machine = { ...size, hugePages: [{ pageBytes: GIB, pages: 3n }] };
    expect(allocatable({}, machine)).toMatchObject({ memory: '5Gi', 'hugepages-1Gi': '3Gi' });
  });

  it('is held to less by eviction than by cgroups', () => {
    const settings = { ...bare, kubeReserved: { memory: '1Gi' }, evictionHard: { 'memory.available': '1Gi' } };
    const capacity = nodeCapacity(size, settings);
    expect(nodeAllocatable(capacity, enforcedReservation(capacity, settings))).toMatchObject({ memory: '7Gi' });
  });

  it('is never more than there is, whatever is kept', () => {
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
    // In single precision, as the kubelet has it.
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
