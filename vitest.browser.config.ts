import { defineConfig } from 'vitest/config';

// The report in a real browser. Apart from `npm test`, which needs nothing but Node; without a browser these tests fail and say so.
export default defineConfig({
  test: {
    include: ['reports/**/*.browser.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
