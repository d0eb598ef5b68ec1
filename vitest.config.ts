import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{common,generator,conformance,reports,cli,examples,proof,schemas}/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
