import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../src/kube/pod.ts';
import type { PodFigures } from '../../../src/node/eviction/figures.ts';
import type { FileSystems } from '../../../src/node/eviction/file-systems.ts';
import { hasStorageLimits, storageOffence } from '../../../src/node/eviction/storage-limits.ts';
import { apiPod, figures, MI, staticPod } from './eviction-fixtures.ts';

const scratch = (sizeLimit?: string, medium = '') => ({ name: 'scratch', emptyDir: { sizeLimit, medium } });
const limited = (limit: string) => ({ name: 'main', resources: { limits: { 'ephemeral-storage': limit } } });

interface Case {
  readonly rule: string;
  readonly pod: Pod;
  readonly own: PodFigures;
  readonly fileSystems?: FileSystems;
  readonly offence: string | undefined;
}

describe('a limit on local storage', () => {
  it.each([
    {
      rule: 'of an emptyDir is one that it may reach',
      pod: apiPod('a', { volumes: [scratch('10Mi')] }),
      own: figures('a', { volume: { scratch: 10 * MI } }),
      offence: undefined,
    },
    {
      rule: 'of an emptyDir is one that it may not pass',
      pod: apiPod('a', { volumes: [scratch('10Mi')] }),
      own: figures('a', { volume: { scratch: 10 * MI + 1 } }),
      offence: 'emptydirfs.limit: Usage of EmptyDir volume "scratch" exceeds the limit "10Mi". ',
    },
    {
      rule: 'counts for an emptyDir in memory too',
      pod: apiPod('a', { volumes: [scratch('1Mi', 'Memory')] }),
      own: figures('a', { volume: { scratch: 2 * MI } }),
      offence: 'emptydirfs.limit: Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ',
    },
    {
      rule: 'of nothing on an emptyDir is none',
      pod: apiPod('a', { volumes: [scratch('0')] }),
      own: figures('a', { volume: { scratch: 2 * MI } }),
      offence: undefined,
    },
    {
      rule: 'of all containers together counts for all that the pod has',
      pod: apiPod('a', { containers: [limited('1Mi'), { ...limited('2Mi'), name: 'other' }] }),
      own: figures('a', { storage: 3 * MI + 1 }),
      offence: 'ephemeralpodfs.limit: Pod ephemeral local storage usage exceeds the total limit of containers 3Mi. ',
    },
    {
      rule: 'of one container counts for its logs and its layer',
      pod: apiPod('a', { containers: [limited('1Mi'), { ...limited('9Mi'), name: 'other' }] }),
      own: figures('a', { rootfs: MI, logs: 1, storage: MI + 1 }),
      offence: 'ephemeralcontainerfs.limit: Container main exceeded its local ephemeral storage limit "1Mi". ',
    },
    {
      rule: 'of one container does not count for a layer that lies elsewhere',
      pod: apiPod('a', { containers: [limited('1Mi'), { ...limited('9Mi'), name: 'other' }] }),
      own: figures('a', { rootfs: 5 * MI, logs: MI, storage: 6 * MI }),
      fileSystems: 'image',
      offence: undefined,
    },
    {
      rule: 'is told of the volume first',
      pod: apiPod('a', { containers: [limited('1Mi')], volumes: [scratch('10Mi')] }),
      own: figures('a', { volume: { scratch: 11 * MI }, storage: 11 * MI }),
      offence: 'emptydirfs.limit: Usage of EmptyDir volume "scratch" exceeds the limit "10Mi". ',
    },
    {
      rule: 'does not end a pod that the node depends on',
      pod: apiPod('a', { volumes: [scratch('1Mi')], priority: 2_000_000_000 }),
      own: figures('a', { volume: { scratch: 2 * MI } }),
      offence: undefined,
    },
    {
      rule: 'does not end a static pod',
      pod: { ...staticPod('a'), spec: { containers: [], volumes: [scratch('1Mi')] } },
      own: figures('a', { volume: { scratch: 2 * MI } }),
      offence: undefined,
    },
  ] as readonly Case[])('$rule', ({ pod, own, fileSystems = 'single', offence }) => {
    const found = storageOffence(pod, own, fileSystems);
    expect(found && `${found.limit}: ${found.message}`).toBe(offence);
  });

  it.each([
    { pod: apiPod('a'), has: false },
    { pod: apiPod('a', { volumes: [scratch()] }), has: false },
    { pod: apiPod('a', { volumes: [scratch('1Mi')] }), has: true },
    { pod: apiPod('a', { containers: [limited('1Mi')] }), has: true },
  ])('is there: $has', ({ pod, has }) => {
    expect(hasStorageLimits(pod)).toBe(has);
  });
});
