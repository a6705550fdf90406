import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../src/kube/pod.ts';
import type { PodFigures } from '../../../src/node/eviction/figures.ts';
import type { FileSystems } from '../../../src/node/eviction/file-systems.ts';
import { hasStorageLimits, storageViolation } from '../../../src/node/eviction/storage-limits.ts';
import { apiPod, figures, MI, staticPod } from './eviction-fixtures.ts';

const scratch = (sizeLimit?: string, medium = '') => ({ name: 'scratch', emptyDir: { sizeLimit, medium } });
const limited = (limit: string) => ({ name: 'main', resources: { limits: { 'ephemeral-storage': limit } } });

interface Case {
  readonly rule: string;
  readonly pod: Pod;
  readonly own: PodFigures;
  readonly fileSystems?: FileSystems;
  readonly violation: string | undefined;
}

describe('a limit on local storage', () => {
  it.each([
    {
      rule: 'of an emptyDir may be reached',
      pod: apiPod('a', { volumes: [scratch('10Mi')] }),
      own: figures('a', { volume: { scratch: 10 * MI } }),
      violation: undefined,
    },
    {
      rule: 'of an emptyDir may not be exceeded',
      pod: apiPod('a', { volumes: [scratch('10Mi')] }),
      own: figures('a', { volume: { scratch: 10 * MI + 1 } }),
      violation: 'emptydirfs.limit: Usage of EmptyDir volume "scratch" exceeds the limit "10Mi". ',
    },
    {
      rule: 'also holds for an emptyDir in memory',
      pod: apiPod('a', { volumes: [scratch('1Mi', 'Memory')] }),
      own: figures('a', { volume: { scratch: 2 * MI } }),
      violation: 'emptydirfs.limit: Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ',
    },
    {
      rule: 'of zero on an emptyDir is no limit',
      pod: apiPod('a', { volumes: [scratch('0')] }),
      own: figures('a', { volume: { scratch: 2 * MI } }),
      violation: undefined,
    },
    {
      rule: 'of all containers together holds for the whole pod',
      pod: apiPod('a', { containers: [limited('1Mi'), { ...limited('2Mi'), name: 'other' }] }),
      own: figures('a', { storage: 3 * MI + 1 }),
      violation: 'ephemeralpodfs.limit: Pod ephemeral local storage usage exceeds the total limit of containers 3Mi. ',
    },
    {
      rule: 'of one container holds for its logs and its writable layer',
      pod: apiPod('a', { containers: [limited('1Mi'), { ...limited('9Mi'), name: 'other' }] }),
      own: figures('a', { rootfs: MI, logs: 1, storage: MI + 1 }),
      violation: 'ephemeralcontainerfs.limit: Container main exceeded its local ephemeral storage limit "1Mi". ',
    },
    {
      rule: 'of one container ignores a writable layer on another file system',
      pod: apiPod('a', { containers: [limited('1Mi'), { ...limited('9Mi'), name: 'other' }] }),
      own: figures('a', { rootfs: 5 * MI, logs: MI, storage: 6 * MI }),
      fileSystems: 'image',
      violation: undefined,
    },
    {
      rule: 'is reported for a volume first',
      pod: apiPod('a', { containers: [limited('1Mi')], volumes: [scratch('10Mi')] }),
      own: figures('a', { volume: { scratch: 11 * MI }, storage: 11 * MI }),
      violation: 'emptydirfs.limit: Usage of EmptyDir volume "scratch" exceeds the limit "10Mi". ',
    },
    {
      rule: 'does not evict a critical pod',
      pod: apiPod('a', { volumes: [scratch('1Mi')], priority: 2_000_000_000 }),
      own: figures('a', { volume: { scratch: 2 * MI } }),
      violation: undefined,
    },
    {
      rule: 'does not evict a static pod',
      pod: { ...staticPod('a'), spec: { containers: [], volumes: [scratch('1Mi')] } },
      own: figures('a', { volume: { scratch: 2 * MI } }),
      violation: undefined,
    },
  ] as readonly Case[])('$rule', ({ pod, own, fileSystems = 'single', violation }) => {
    const found = storageViolation(pod, own, fileSystems);
    expect(found && `${found.limit}: ${found.message}`).toBe(violation);
  });

  it.each([
    { pod: apiPod('a'), has: false },
    { pod: apiPod('a', { volumes: [scratch()] }), has: false },
    { pod: apiPod('a', { volumes: [scratch('1Mi')] }), has: true },
    { pod: apiPod('a', { containers: [limited('1Mi')] }), has: true },
  ])('exists: $has', ({ pod, has }) => {
    expect(hasStorageLimits(pod)).toBe(has);
  });
});
