import { describe, expect, it } from 'vitest';
import { evictionTexts, type Shortage } from '../../../src/node/eviction/eviction-texts.ts';
import { observationsOf } from '../../../src/node/eviction/figures.ts';
import type { Signal, StarvedResource } from '../../../src/node/eviction/signals.ts';
import { apiPod, figures, GI, MI } from './eviction-fixtures.ts';

const short = (signal: Signal, value: string, resource: StarvedResource): Shortage => ({
  resource,
  thresholds: [{ signal, value, graceMs: 0, minReclaim: undefined }],
  observations: observationsOf({
    memory: { availableBytes: 50 * MI, workingSetBytes: GI - 50 * MI },
    fs: { availableBytes: 3 * GI, capacityBytes: 100 * GI + 1, inodesFree: 7_000, inodes: 1_000_000 },
    rlimit: { maxpid: 32_768, curproc: 32_000 },
  }),
});

describe('the texts of an eviction', () => {
  it('name the resource, and every container above its request', () => {
    const pod = apiPod('a', {
      containers: [
        { name: 'big', resources: { requests: { memory: '128M' } } },
        { name: 'small', resources: { requests: { memory: '64Mi' } } },
        { name: 'greedy' },
      ],
    });
    const own = figures('a', {
      containers: [
        { name: 'big', memory: { workingSetBytes: 788_244 * 1024 } },
        { name: 'small', memory: { workingSetBytes: 64 * MI } },
        { name: 'greedy', memory: { workingSetBytes: MI } },
      ],
    });
    expect(evictionTexts(pod, own, short('memory.available', '100Mi', 'memory'))).toEqual({
      message:
        'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ' +
        'Container big was using 788244Ki, request is 128M, has larger consumption of memory. ' +
        'Container greedy was using 1Mi, request is 0, has larger consumption of memory. ',
      annotations: {
        offending_containers: 'big,greedy',
        offending_containers_usage: '788244Ki,1Mi',
        starved_resource: 'memory',
      },
    });
  });

  it.each([
    {
      rule: 'write a percentage as an amount',
      shortage: short('nodefs.available', '10%', 'ephemeral-storage'),
      own: figures('a', { rootfs: 60 * 1024, logs: 4096 }),
      message:
        'The node was low on resource: ephemeral-storage. Threshold quantity: 10737418400, available: 3Gi. ' +
        'Container main was using 64Ki, request is 0, has larger consumption of ephemeral-storage. ',
    },
    {
      rule: 'name no container for inodes',
      shortage: short('nodefs.inodesFree', '5%', 'inodes'),
      own: figures('a', { inodes: 5_000 }),
      message: 'The node was low on resource: inodes. Threshold quantity: 50000, available: 7k. ',
    },
    {
      rule: 'name no container for processes',
      shortage: short('pid.available', '1k', 'pids'),
      own: figures('a', { processes: 500 }),
      message: 'The node was low on resource: pids. Threshold quantity: 1k, available: 768. ',
    },
    {
      rule: 'do not name a container with unknown disk usage',
      shortage: short('nodefs.available', '10Gi', 'ephemeral-storage'),
      own: figures('a', { rootfs: 5 }),
      message: 'The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 3Gi. ',
    },
    {
      rule: 'have the known part for a pod without figures',
      shortage: short('memory.available', '100Mi', 'memory'),
      own: undefined,
      message: 'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ',
    },
  ])('$rule', ({ shortage, own, message }) => {
    expect(evictionTexts(apiPod('a'), own, shortage).message).toBe(message);
  });

  it('name the pod when memory was requested at pod level', () => {
    const pod = apiPod('a', { spec: { resources: { requests: { memory: '10Mi' } } } });
    const words = evictionTexts(pod, figures('a', { memory: 20 * MI }), short('memory.available', '100Mi', 'memory'));
    expect(words.message).toBe(
      'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ' +
        'Pod a was using 20Mi, request is 10Mi, has larger consumption of memory. ',
    );
    expect(words.annotations).toEqual({
      offending_pod: 'a',
      offending_pod_usage: '20Mi',
      starved_resource: 'memory',
    });
  });
});
