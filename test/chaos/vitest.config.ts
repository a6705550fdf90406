import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { root: '.', include: ['test/chaos/*.test.ts'], pool: 'forks', fileParallelism: false },
});
