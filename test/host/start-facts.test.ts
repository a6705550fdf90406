import { describe, expect, it } from 'vitest';
import { readStartFacts } from '../../src/host/start-facts.ts';

const HEAD = 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n';

const factsOf = (files: Readonly<Record<string, string>>) =>
  readStartFacts({ read: (path) => (Object.hasOwn(files, path) ? files[path] : undefined) });

describe('what a start depends on', () => {
  it.each([
    { rule: 'no swap without /proc/swaps', files: {}, swaps: [] },
    { rule: 'no swap for an empty list', files: { '/proc/swaps': HEAD }, swaps: [] },
    {
      rule: 'every swap by its name',
      files: {
        '/proc/swaps': `${HEAD}/dev/zram0                              partition\t8388604\t0\t100\n/swap\\040file\tfile\t1024\t0\t-2\n`,
      },
      swaps: ['/dev/zram0', '/swap\\040file'],
    },
  ])('is $rule', ({ files, swaps }) => {
    expect(factsOf(files).swaps).toEqual(swaps);
  });

  it.each([
    {
      rule: 'version 2 where the root of the tree lists controllers',
      files: { '/sys/fs/cgroup/cgroup.controllers': 'cpu memory' },
      version: 2,
    },
    {
      rule: 'version 1 where a tree of version 2 is only beside it',
      files: { '/sys/fs/cgroup/unified/cgroup.controllers': '' },
      version: 1,
    },
  ])('is cgroup $rule', ({ files, version }) => {
    expect(factsOf(files).cgroupVersion).toBe(version);
  });
});
