import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Chaos in full takes minutes: `npm run chaos`. A small one is in test/e2e.
    exclude: ['**/node_modules/**', 'dist/**', 'test/chaos/**'],
    pool: 'forks',
    testTimeout: 20_000,
  },
});
