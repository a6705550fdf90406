import { expect, it } from 'vitest';
import { profileFor } from '../../src/agent/tree.ts';
import { treeOf } from '../../actors/tree.ts';

it.each([
  { cores: 1, profile: 'compact' },
  { cores: 2, profile: 'compact' },
  { cores: 3, profile: 'standard' },
  { cores: 64, profile: 'standard' },
])('a machine with $cores cores gets the profile $profile', ({ cores, profile }) => {
  expect(profileFor(cores)).toBe(profile);
});

it.each(['standalone', 'objects-folder', 'api'] as const)('both profiles have the same actors (%s)', (api) => {
  const [standard, compact] = (['standard', 'compact'] as const).map((profile) =>
    treeOf(profile, { api, serves: api === 'api' })
      .threads.flatMap(({ actors }) => actors.map(({ address }) => address))
      .toSorted(),
  );
  expect(compact).toEqual(standard);
});
