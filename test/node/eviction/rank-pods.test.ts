import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../src/kube/pod.ts';
import type { PodFigures } from '../../../src/node/eviction/figures.ts';
import { fileSystemsOf, measuredOn, reclaimSteps, type FileSystems } from '../../../src/node/eviction/file-systems.ts';
import { diskUsage } from '../../../src/node/eviction/pod-usage.ts';
import { rankPods } from '../../../src/node/eviction/rank-pods.ts';
import type { Signal } from '../../../src/node/eviction/signals.ts';
import { apiPod, figures, MI } from './eviction-fixtures.ts';

function ranked(
  signal: Signal,
  pods: readonly (readonly [Pod, (PodFigures | undefined)?])[],
  fileSystems: FileSystems = 'single',
): readonly string[] {
  const known = new Map(pods.map(([pod, own]) => [pod.metadata.uid, own]));
  const order = rankPods(
    pods.map(([pod]) => pod),
    { signal, fileSystems, figuresOf: ({ metadata }) => known.get(metadata.uid) },
  );
  return order.map(({ metadata }) => metadata.uid);
}

const usingMemory = (uid: string, mib: number, spec: { readonly priority?: number; readonly memory?: string }) =>
  [apiPod(uid, spec), figures(uid, { memory: mib * MI })] as const;

describe('the order of eviction for memory', () => {
  it.each([
    {
      rule: 'has pods above their request first, in spite of priority',
      pods: [
        usingMemory('within', 50, { memory: '100Mi' }),
        usingMemory('beyond', 20, { memory: '10Mi', priority: 1_000 }),
      ],
      order: ['beyond', 'within'],
    },
    {
      rule: 'ranks pods at their request with pods below it',
      pods: [usingMemory('b-at', 100, { memory: '100Mi' }), usingMemory('a-beyond', 101, { memory: '100Mi' })],
      order: ['a-beyond', 'b-at'],
    },
    {
      rule: 'then ranks by lower priority',
      pods: [
        usingMemory('high', 900, { priority: 10 }),
        usingMemory('low', 10, { priority: -10 }),
        usingMemory('none', 5, {}),
      ],
      order: ['low', 'none', 'high'],
    },
    {
      rule: 'then ranks by the excess over the request',
      pods: [usingMemory('much', 500, { memory: '450Mi' }), usingMemory('more', 200, { memory: '100Mi' })],
      order: ['more', 'much'],
    },
    {
      rule: 'has pods without figures first',
      pods: [usingMemory('beyond', 500, {}), [apiPod('unknown', { priority: 1_000, memory: '1Gi' })] as const],
      order: ['unknown', 'beyond'],
    },
    {
      rule: 'treats a pod without memory figures as using no memory',
      pods: [[apiPod('silent'), figures('silent')] as const, usingMemory('small', 1, {})],
      order: ['small', 'silent'],
    },
  ])('$rule', ({ pods, order }) => {
    expect(ranked('memory.available', pods)).toEqual(order);
    expect(ranked('allocatableMemory.available', pods)).toEqual(order);
  });
});

describe('the order of eviction for process numbers', () => {
  const with_ = (uid: string, processes: number, priority: number) =>
    [apiPod(uid, { priority, memory: '1Gi' }), figures(uid, { processes, memory: 1 })] as const;
  it('ranks by lower priority, then by more processes', () => {
    expect(ranked('pid.available', [with_('few', 2, 0), with_('many', 9, 0), with_('high', 99, 1)])).toEqual([
      'many',
      'few',
      'high',
    ]);
  });
  it('has pods without figures first among equals', () => {
    expect(ranked('pid.available', [with_('b', 2, 0), [apiPod('c')], with_('a', 1, -1)])).toEqual(['a', 'c', 'b']);
  });
});

describe('the order of eviction for storage', () => {
  const with_ = (uid: string, used: Parameters<typeof figures>[1], spec: Parameters<typeof apiPod>[1] = {}) =>
    [apiPod(uid, spec), figures(uid, used)] as const;
  it('ranks by usage above request, then by lower priority, then by the excess', () => {
    const pods = [
      with_('within', { rootfs: 50 * MI }, { storage: '100Mi' }),
      with_('less', { rootfs: 20 * MI }),
      with_('more', { rootfs: 30 * MI, logs: MI }),
      with_('high', { rootfs: 900 * MI }, { priority: 5 }),
    ];
    expect(ranked('nodefs.available', pods)).toEqual(['more', 'less', 'high', 'within']);
  });
  it('ranks by inodes when inodes are low', () => {
    const pods = [with_('bytes', { rootfs: 900 * MI, inodes: 3 }), with_('files', { rootfs: 1, inodes: 30 })];
    expect(ranked('nodefs.inodesFree', pods)).toEqual(['files', 'bytes']);
  });
  it('counts logs and volumes for the root file system, and layers for a separate image file system', () => {
    const pods = [with_('layer', { rootfs: 900 * MI, logs: 1 }), with_('log', { rootfs: 1, logs: 900 * MI })];
    expect(ranked('nodefs.available', pods, 'image')).toEqual(['log', 'layer']);
    expect(ranked('imagefs.available', pods, 'image')).toEqual(['layer', 'log']);
    expect(ranked('containerfs.available', pods, 'image')).toEqual(['layer', 'log']);
  });
  it('counts no pod usage for images on a file system of their own', () => {
    const pods = [with_('b', { rootfs: 900 * MI }), with_('a', { rootfs: 1 })];
    expect(ranked('imagefs.available', pods, 'split')).toEqual(['a', 'b']);
    expect(ranked('nodefs.available', pods, 'split')).toEqual(['b', 'a']);
  });
});

it('the order of eviction does not depend on the order in which pods are given', () => {
  const pod = fc.record({
    priority: fc.integer({ min: -1, max: 1 }),
    memory: fc.constantFrom('0', '1Mi', '2Mi'),
    used: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(
      fc.array(pod, { maxLength: 8 }),
      fc.constantFrom('memory.available', 'pid.available', 'nodefs.available'),
      (all, signal) => {
        const pods = all.map(({ priority, memory, used }, index) => {
          const uid = `pod-${index}`;
          const own =
            used === undefined ? undefined : figures(uid, { memory: used * MI, processes: used, rootfs: used });
          return [apiPod(uid, { priority, memory }), own] as const;
        });
        expect(ranked(signal as Signal, pods.toReversed())).toEqual(ranked(signal as Signal, pods));
      },
    ),
  );
});

describe("a pod's usage of a file system", () => {
  const volumes = [
    { name: 'scratch', emptyDir: {} },
    { name: 'ram', emptyDir: { medium: 'Memory' } },
    { name: 'host', hostPath: { path: '/x' } },
    { name: 'config', configMap: { name: 'c' } },
    { name: 'hidden', secret: { secretName: 's' } },
  ];
  it('is its volumes there, without memory volumes and secrets', () => {
    const used = figures('a', { volume: { scratch: 1, ram: 10, host: 100, config: 1_000, hidden: 10_000 }, rootfs: 0 });
    expect(diskUsage(apiPod('a', { volumes }), used, measuredOn('nodefs', 'single')).bytes).toBe(1_101n);
    expect(diskUsage(apiPod('a', { volumes }), used, measuredOn('imagefs', 'image')).bytes).toBe(0n);
  });
});

describe("the distribution of files over a node's file systems", () => {
  it.each([
    { devices: { root: 1, images: 1, containers: 1 }, split: true, spread: 'single' },
    { devices: { root: 1, images: 2, containers: 2 }, split: true, spread: 'image' },
    { devices: { root: 1, images: 2, containers: 1 }, split: true, spread: 'split' },
    { devices: { root: 1, images: 2, containers: 1 }, split: false, spread: 'image' },
    { devices: { root: 1, images: undefined, containers: undefined }, split: true, spread: 'single' },
    { devices: { root: 1, images: 2, containers: undefined }, split: true, spread: 'image' },
  ])('is $spread for $devices', ({ devices, split, spread }) => {
    expect(fileSystemsOf(devices, split)).toBe(spread);
  });

  it.each([
    { signal: 'memory.available', spread: 'single', steps: [] },
    { signal: 'pid.available', spread: 'single', steps: [] },
    { signal: 'nodefs.available', spread: 'single', steps: ['delete-unused-containers', 'delete-unused-images'] },
    { signal: 'imagefs.inodesFree', spread: 'single', steps: ['delete-unused-containers', 'delete-unused-images'] },
    { signal: 'nodefs.available', spread: 'image', steps: [] },
    { signal: 'imagefs.available', spread: 'image', steps: ['delete-unused-containers', 'delete-unused-images'] },
    { signal: 'containerfs.available', spread: 'image', steps: ['delete-unused-containers', 'delete-unused-images'] },
    { signal: 'nodefs.inodesFree', spread: 'split', steps: ['delete-unused-containers'] },
    { signal: 'containerfs.available', spread: 'split', steps: ['delete-unused-containers'] },
    { signal: 'imagefs.available', spread: 'split', steps: ['delete-unused-images'] },
  ] as const)('decides on the node’s own reclaims: $signal, $spread', ({ signal, spread, steps }) => {
    expect(reclaimSteps(signal, spread)).toEqual(steps);
  });
});
