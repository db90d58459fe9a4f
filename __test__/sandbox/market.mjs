// A registry that the tests of the sandbox share, and managers that close themselves.
import { onTestFinished } from 'vitest';

import { SandboxManager } from '../../build/sandbox/index.js';

const symbol = { type: 'string', pattern: '^[A-Z]{3,8}$' };

export const registry = {
  sources: [
    {
      name: 'market',
      description: 'Prices',
      methods: [
        {
          name: 'getKline',
          description: 'Candles of a symbol',
          params: {
            type: 'object',
            properties: {
              symbol,
              timeframe: { enum: ['1m', '1h', '1D'] },
              limit: { type: 'integer', minimum: 1, maximum: 1000 },
              tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
            },
            required: ['symbol'],
            additionalProperties: false,
          },
          result: { type: 'array' },
          examples: [{ symbol: 'XAUUSD' }],
        },
        { name: 'getQuote', description: 'The last price', params: { type: 'object' } },
      ],
    },
    {
      name: 'social',
      description: 'Tweets – 推文',
      methods: [{ name: 'searchTweets', description: 'Tweets with words', params: { type: 'object' } }],
    },
  ],
};

/** A manager that is closed when the test ends; its adapters answer with what they were called with. */
export function managerOf(options = {}) {
  const manager = new SandboxManager({
    registry,
    adapters: async (source, method, params) => ({ source, method, params }),
    poolSize: 1,
    ...options,
  });
  onTestFinished(() => manager.close());
  return manager;
}

/** A state that is valid, with `value` in it. */
export const stateWith = (value) => ({ title: 'test', panels: [], value });
