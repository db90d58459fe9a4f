// A source of market data for the demo of `SandboxManager`: walks that are made anew from one seed each time.

const DAY = 86_400_000;
const FIRST = Date.UTC(2024, 0, 1);
const DAYS = 260;

const SYMBOLS = {
  XAUUSD: { seed: 7, price: 2_050, swing: 0.009 },
  BTCUSD: { seed: 11, price: 44_000, swing: 0.03 },
};

const symbol = { type: 'string', enum: Object.keys(SYMBOLS), description: 'What is traded' };

export const registry = {
  sources: [
    {
      name: 'market',
      description: 'Prices of metals and coins',
      methods: [
        {
          name: 'getKline',
          description: 'Daily candles: [{ time, open, high, low, close, volume }], the oldest first',
          params: {
            type: 'object',
            properties: { symbol, limit: { type: 'integer', minimum: 1, maximum: DAYS } },
            required: ['symbol'],
            additionalProperties: false,
          },
          result: { type: 'array', items: { type: 'object' } },
          examples: [{ symbol: 'XAUUSD', limit: 100 }],
        },
        {
          name: 'listSymbols',
          description: 'What there are prices of',
          params: { type: 'object', additionalProperties: false },
        },
      ],
    },
    {
      name: 'social',
      description: 'What people write',
      methods: [
        {
          name: 'getSentiment',
          description: 'Mood about a symbol, from -1 to 1',
          params: { type: 'object', properties: { symbol }, required: ['symbol'], additionalProperties: false },
          result: { type: 'number' },
        },
      ],
    },
  ],
};

export const adapters = {
  market: {
    getKline: async ({ symbol: name, limit = DAYS }) => candles(SYMBOLS[name]).slice(-limit),
    listSymbols: () => Object.keys(SYMBOLS),
  },
  social: {
    getSentiment: async ({ symbol: name }) => Math.round(200 * random(SYMBOLS[name].seed + 1)() - 100) / 100,
  },
};

function candles({ seed, price, swing }) {
  const next = random(seed);
  let open = price;
  return Array.from({ length: DAYS }, (_, day) => {
    const close = open * (1 + (next() - 0.49) * swing);
    const [low, high] = [
      Math.min(open, close) * (1 - next() * swing * 0.3),
      Math.max(open, close) * (1 + next() * swing * 0.3),
    ];
    const candle = {
      time: (FIRST + day * DAY) / 1_000,
      open,
      high,
      low,
      close,
      volume: Math.round(1_000 * (1 + next())),
    };
    open = close;
    return candle;
  });
}

/** A linear congruential generator: numbers from 0 to 1. */
function random(seed) {
  let state = seed;
  return () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32;
}
