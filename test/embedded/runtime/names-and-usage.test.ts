import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededIds } from '../../../src/embedded/runtime/inventory/ids.ts';
import { PodAddresses } from '../../../src/embedded/runtime/inventory/pod-addresses.ts';
import { simulate } from './simulate.ts';

describe('ids', () => {
  it('are 64 hexadecimal digits, different in their first eight, and the same for the same seed', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const [one, other] = [seededIds(seed), seededIds(seed)];
        const made = Array.from({ length: 200 }, () => one());
        expect(made).toEqual(made.map(() => other()));
        expect(new Set(made.map((id) => id.slice(0, 8))).size).toBe(200);
        for (const id of made) expect(id).toMatch(/^[0-9a-f]{64}$/);
      }),
      { numRuns: 20 },
    );
  });
});

describe('addresses', () => {
  it('are unique until the range is exhausted, and are reused once freed', () => {
    const addresses = new PodAddresses();
    const taken = new Set<string>();
    for (let n = 0; n < 65_533; n += 1) taken.add(addresses.take());
    expect(taken.size).toBe(65_533);
    expect(() => addresses.take()).toThrow('no free address');
    addresses.release('10.88.3.7');
    expect(addresses.take()).toBe('10.88.3.7');
  });
});

describe('usage', () => {
  it('is as scripted, and its processor time grows while the container runs', async () => {
    const usage = { cpuMillicores: 250, memoryBytes: 1_000_000, diskBytes: 500 };
    const runtime = simulate({ pods: { web: { containers: { main: { usage } } } } });
    const podSandboxId = await runtime.runPod('web');
    const containerId = await runtime.start(podSandboxId, 'main');
    runtime.clock.advance(4000);
    const { stats } = runtime.core.containerStats({ containerId });
    expect(stats).toMatchObject({
      cpu: { usageNanoCores: { value: 250_000_000n } },
      memory: { workingSetBytes: { value: 1_000_000n } },
      writableLayer: { usedBytes: { value: 500n } },
    });
    const nanoseconds = Number(stats?.cpu?.usageCoreNanoSeconds?.value);
    expect(Math.abs(nanoseconds - 1e9)).toBeLessThan(1000);
    const pod = runtime.core.podSandboxStats({ podSandboxId }).stats?.linux;
    expect(pod).toMatchObject({
      memory: { workingSetBytes: { value: 1_000_000n } },
      process: { processCount: { value: 1n } },
    });
    expect(pod?.containers.map(({ attributes }) => attributes?.id)).toEqual([containerId]);
  });

  it('is listed for running containers', async () => {
    const runtime = simulate();
    const pod = await runtime.runPod('web');
    const running = await runtime.start(pod, 'main');
    await runtime.create(pod, 'created');
    const { stats } = runtime.core.listContainerStats({ filter: undefined });
    expect(stats.map(({ attributes }) => attributes?.id)).toEqual([running]);
    expect(runtime.core.listPodSandboxStats({ filter: undefined }).stats).toHaveLength(1);
  });
});
