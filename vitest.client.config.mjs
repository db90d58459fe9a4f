import { defineConfig, mergeConfig } from 'vitest/config';

import usual from './vitest.config.mjs';

// Tests against a checkout of smolagents-ts in the folder SMOLAGENTS_TS: `npm run test:client -- FOLDER`.
const config = mergeConfig(usual, defineConfig({}));
config.test.include = ['__test__/**/*.client.mjs'];

export default config;
