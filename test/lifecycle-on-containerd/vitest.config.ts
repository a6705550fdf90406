import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { root: '.', include: ['test/lifecycle-on-containerd/*.test.ts'], pool: 'forks', fileParallelism: false },
});
