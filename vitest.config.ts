import { configDefaults, defineConfig } from 'vitest/config';

/** These take minutes in full: `npm run chaos`, `npm run lifecycle-on-containerd`. A little of each is in test/e2e. */
const byThemselves = ['test/chaos/**', 'test/lifecycle-on-containerd/on-containerd.test.ts'];

/** With real processes and threads, in real time: what else goes on at the same time would show in what they measure. */
const measured = [
  ...[
    'adoption',
    'chaos',
    'examples',
    'faults-in-a-wave',
    'launcher-recovery',
    'lives-through-an-api',
    'recorded-lives',
    'restarts',
    'stop-and-start',
  ].map((name) => `test/e2e/${name}.test.ts`),
  'test/actor/overload.test.ts',
  'test/actor/threads.test.ts',
  'test/faults/running-agent.test.ts',
  'test/volumes/volume-kills.test.ts',
];

/** In real time, too, but they wait most of it, and what they allow it to take is far more than a neighbour costs. */
const waiting = ['test/e2e/**/*.test.ts'];

/** Each for so many seconds, on processes of its own: two of them are enough for two cores. */
const fuzzing = ['test/fuzz/fuzz.test.ts'];

/** They decide and calculate, and leave nothing behind: a process takes one file after the other, and loads what they share once. */
const pure = ['cgroups', 'config', 'kube', 'node', 'pod', 'pod-config', 'stats'].map(
  (name) => `test/${name}/**/*.test.ts`,
);

const exclude = [...configDefaults.exclude, 'dist/**', ...byThemselves];

export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: 20_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: pure,
          exclude,
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'side by side',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ...measured, ...waiting, ...pure, ...fuzzing],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'two at a time',
          include: waiting,
          exclude: [...exclude, ...measured],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'in turn', include: measured, exclude, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
      {
        extends: true,
        test: {
          name: 'fuzzing',
          include: fuzzing,
          exclude,
          maxWorkers: 1,
          maxConcurrency: 2,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
