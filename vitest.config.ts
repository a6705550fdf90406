import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These take minutes in full: `npm run chaos`, `npm run lifecycle-on-containerd`. A little of each is in test/e2e.
    exclude: ['**/node_modules/**', 'dist/**', 'test/chaos/**', 'test/lifecycle-on-containerd/on-containerd.test.ts'],
    pool: 'forks',
    testTimeout: 20_000,
  },
});
