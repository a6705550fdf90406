import { describe, expect, it } from 'vitest';
import { agentMemoryLimit, type MemoryOfMachine, readMemoryLimit } from '../../src/agent/memory-limit.ts';
import { cgroupLimitBytes, residentBytesIn, residentBytesOf } from '../../src/host/process/process-memory.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

const reserving = { kubeReserved: {}, systemReserved: {}, maxPods: 110 };
const machine = (gib: number): MemoryOfMachine => ({ machineBytes: gib * GIB, cgroupBytes: undefined });

describe('the memory that an agent may hold', () => {
  it.each([
    { rule: 'is somewhat above 1 GiB on a usual node', on: machine(16), limit: GIB + 110 * (MIB / 4) },
    { rule: 'grows with the pods of the node', config: { maxPods: 10_000 }, on: machine(24), limit: GIB + 2_500 * MIB },
    {
      rule: "is the node's reservation for daemons, if that is more",
      config: { kubeReserved: { memory: '3Gi' }, systemReserved: { memory: '1Gi' } },
      on: machine(64),
      limit: 4 * GIB,
    },
    {
      rule: 'is not less where the node reserves little',
      config: { kubeReserved: { memory: '100Mi' } },
      on: machine(16),
      limit: GIB + 110 * (MIB / 4),
    },
    { rule: 'is half of a small machine', on: machine(1), limit: 512 * MIB },
    { rule: 'is enough for an agent on the smallest machine', on: machine(0.25), limit: 256 * MIB },
    {
      rule: 'is below the limit of its own cgroup, so that the kernel does not kill it first',
      on: { machineBytes: 16 * GIB, cgroupBytes: 500 * MIB },
      limit: 450 * MIB,
    },
    { rule: 'is the configured limit', asked: '2Gi', on: machine(16), limit: 2 * GIB },
    { rule: 'is the configured limit, also beyond half the machine', asked: '3Gi', on: machine(4), limit: 3 * GIB },
    {
      rule: 'is not the configured limit if the cgroup has less',
      asked: '2Gi',
      on: { machineBytes: 16 * GIB, cgroupBytes: GIB },
      limit: Math.floor(0.9 * GIB),
    },
    { rule: 'has no limit when it is switched off', asked: 'none', on: machine(1), limit: undefined },
  ])('$rule', ({ asked = 'auto', config = {}, on, limit }) => {
    const wish = readMemoryLimit(asked);
    if (wish === undefined) throw new Error(`${asked} was not understood`);
    expect(agentMemoryLimit(wish, { ...reserving, ...config }, on)).toBe(limit);
  });

  it.each(['', '1', '255Mi', '-1Gi', 'lots', '1GiB'])('cannot be %j', (text) => {
    expect(readMemoryLimit(text)).toBeUndefined();
  });
});

describe('the memory of a process', () => {
  it('is read from the kernel', () => {
    expect(residentBytesIn('Name:\tnode\nVmHWM:\t  9 kB\nVmRSS:\t  93184 kB\nRssAnon:\t 1 kB\n')).toBe(91 * MIB);
  });

  it.each(['', 'Name:\tkthreadd\nState:\tS\n', 'VmRSS:\tmuch\n'])('is not known from %j', (text) => {
    expect(residentBytesIn(text)).toBeUndefined();
  });

  it('is known for this process, and unknown for an ended one', () => {
    expect(residentBytesOf(process.pid)).toBeGreaterThan(10 * MIB);
    expect(residentBytesOf(2 ** 30)).toBeUndefined();
  });

  it.each([
    { constrained: 0, limit: undefined },
    { constrained: 2 ** 64, limit: undefined },
    { constrained: 16 * GIB, limit: undefined },
    { constrained: GIB, limit: GIB },
  ])('has the limit $limit when Node says $constrained', ({ constrained, limit }) => {
    expect(cgroupLimitBytes(constrained, 16 * GIB)).toBe(limit);
  });
});
