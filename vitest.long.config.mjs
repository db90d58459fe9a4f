import { defineConfig, mergeConfig } from 'vitest/config';

import usual from './vitest.config.mjs';

// Tests that take minutes: `npm run test:long`.
const config = mergeConfig(usual, defineConfig({ test: { testTimeout: 20 * 60_000 } }));
config.test.include = ['__test__/**/*.long.mjs'];

export default config;
