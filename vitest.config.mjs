import { defineConfig } from 'vitest/config';

import { compile } from './scripts/compile.mjs';

// The tests load `build/`.
await compile();

export default defineConfig({
  test: {
    include: ['__test__/**/*.test.{js,mjs,ts}'],
    // Real processes, as hosts have them: separate tests cover worker threads.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 30_000,
    // A busy machine takes longer than a second for most of what is polled.
    expect: { poll: { timeout: 20_000 } },
    // Somebody else's busy machine may take the time that a test waits or measures. What is needed twice is named.
    retry: process.env.CI ? 1 : 0,
    reporters: ['default', './__test__/second-attempts.mjs'],
  },
});
