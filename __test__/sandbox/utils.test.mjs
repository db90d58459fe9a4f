// `utils`: the values of TA-Lib, alignment, resampling, and what wrong arguments are told.
import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { anyState } from '../../build/sandbox/index.js';
import { expectCode } from '../helpers.mjs';
import { managerOf } from './market.mjs';

const { inputs, cases } = JSON.parse(readFileSync(new URL('./fixtures/ta-lib.json', import.meta.url), 'utf8'));

/** Runs `code` with `data` in a variable of the program. */
const run = (manager, code, data) => manager.executeCode(`const data = ${JSON.stringify(data)};\n${code}`);

/** Where `got` is not `want`, to 1e-9 of each number. */
function differences(got, want, at) {
  if (typeof want === 'number') {
    return typeof got === 'number' && Math.abs(got - want) <= Math.abs(want) * 1e-9
      ? []
      : [`${at}: ${got}, not ${want}`];
  }
  if (want === null) return got === null ? [] : [`${at}: ${got}, not null`];
  expect(Object.keys(got), at).toStrictEqual(Object.keys(want));
  return Object.keys(want).flatMap((key) => differences(got[key], want[key], `${at}.${key}`));
}

test('values equal those of TA-Lib, with null before the first full window', async () => {
  const manager = managerOf({ stateSchema: anyState, maxCodeBytes: 1_000_000 });
  const results = await run(
    manager,
    `const { inputs, cases } = data;
    cases.map(({ name, args }) => {
      const values = args.map((arg) => typeof arg === 'string' ? inputs[arg] : arg);
      if (name === 'computeCorrelation') return utils.computeCorrelationMatrix([values[0], values[1]], ['a', 'b']).matrix[0][1];
      return utils[name](...values);
    })`,
    { inputs, cases: cases.map(({ name, args }) => ({ name, args })) },
  );
  expect(cases.length).toBeGreaterThan(100);
  expect(
    cases.flatMap(({ name, args, result }, at) => differences(results[at], result, `${name}(${args})`)),
  ).toStrictEqual([]);
});

test("leading nulls of another function's result are skipped", async () => {
  const manager = managerOf({ stateSchema: anyState });
  const [of, ofRest, others] = await run(
    manager,
    `const { prices } = data;
    const rsi = utils.computeRSI(prices, 3);
    const behind = (list) => [null, null, null, ...list];
    const two = (of, period) => [utils.computeEMA(of, period), utils.computeBOLL(of, period), utils.normalize(of), utils.pctChange(of)];
    [two(rsi, 3), [...two(rsi.slice(3), 3)].map((it) => Array.isArray(it) ? behind(it) : {
      upper: behind(it.upper), middle: behind(it.middle), lower: behind(it.lower) }),
      [utils.computeMA([null, null], 2), utils.computeMA([null, { close: null }, { close: 1 }, { close: 3 }], 2),
        utils.computeRollingCorrelation([null, 1, 2, 3], [null, null, 4, 2], 2),
        utils.computeCorrelationMatrix([[null, 1, 2, 3], [1, 2, 4, 6]]).matrix[0]]]`,
    { prices: [1, 2, 3, 2, 3, 4, 5, 4, 6, 3] },
  );
  expect(of).toStrictEqual(ofRest);
  expect(others).toStrictEqual([
    [null, null],
    [null, null, null, 2],
    [null, null, null, -1],
    [1, 1],
  ]);
  const error = await expectCode(manager.executeCode('utils.computeMA([null, 1, null], 1)'), 'ERR_RUNTIME_EXCEPTION');
  expect(error.details.message).toBe('utils.computeMA: data[2] must be a finite number, got null');
});

test('typed arrays and columns of candles are accepted', async () => {
  const manager = managerOf({ stateSchema: anyState });
  expect(
    await run(
      manager,
      `[utils.computeMA(new Float64Array([1, 2, 3]), 2), utils.computeMA(data, 2), utils.computeMA(data, 2, 'open'),
        utils.normalize(data, 'open'), utils.pctChange(data), utils.computeMA([], 5), utils.normalize([4, 4]), utils.pctChange([0, 1])]`,
      [
        { open: 10, close: 1 },
        { open: 20, close: 2 },
        { open: 30, close: 4 },
      ],
    ),
  ).toStrictEqual([[null, 1.5, 2.5], [null, 1.5, 3], [null, 15, 25], [0, 0.5, 1], [null, 1, 1], [], [0, 0], [null, 0]]);
  expect(await run(manager, 'utils.computeRollingCorrelation([1, 2, 3], [2, 4, 6], [2, 3])', null)).toStrictEqual({
    2: [null, 1, 1],
    3: [null, null, 1],
  });
  expect(
    await run(manager, 'utils.computeCorrelationMatrix([[1, 2, 3], [3, 2, 1]], ["up", "down"])', null),
  ).toStrictEqual({
    labels: ['up', 'down'],
    matrix: [
      [1, -1],
      [-1, 1],
    ],
  });
});

const at = (iso) => Date.parse(iso);
const candle = (time, open, high, low, close, volume) => ({ time, open, high, low, close, volume });

describe('resample', () => {
  const resample = (data, ...args) =>
    run(managerOf({ stateSchema: anyState }), `utils.resample(data, ...${JSON.stringify(args)})`, data);

  test('supports first, max, min, last and sum', async () => {
    const hour = at('2024-03-01T10:00:00Z');
    const data = [
      candle(hour, 1, 5, 0, 2, 10),
      candle(hour + 60_000, 2, 9, 1, 3, 20),
      candle(hour + 3_600_000, 3, 4, 3, 4, 5),
    ];
    expect(await resample(data, '1h')).toStrictEqual([
      candle(hour, 1, 9, 0, 3, 30),
      candle(hour + 3_600_000, 3, 4, 3, 4, 5),
    ]);
    expect(await resample([], '1h')).toStrictEqual([]);
  });

  test('starts buckets in UTC, weeks on Monday and months on their first day', async () => {
    const starts = async (times, timeframe) =>
      (
        await resample(
          times.map((time) => candle(time, 1, 1, 1, 1, 1)),
          timeframe,
        )
      ).map(({ time }) => time);
    const times = [
      '2024-02-29T23:59:59.000Z',
      '2024-03-03T12:00:00.000Z',
      '2024-03-04T00:00:00.000Z',
      '2025-01-01T00:00:00.000Z',
    ];
    expect(await starts(times, '1M')).toStrictEqual([
      '2024-02-01T00:00:00.000Z',
      '2024-03-01T00:00:00.000Z',
      '2025-01-01T00:00:00.000Z',
    ]);
    expect(await starts(times, '3M')).toStrictEqual(['2024-01-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z']);
    expect(await starts(times, '1w')).toStrictEqual([
      '2024-02-26T00:00:00.000Z',
      '2024-03-04T00:00:00.000Z',
      '2024-12-30T00:00:00.000Z',
    ]);
    expect(await starts(times, '1D')).toHaveLength(4);
    expect(await starts([60, 119, 120], '1m')).toStrictEqual([60, 120]);
    expect(await starts([at(times[0])], '15m')).toStrictEqual([at('2024-02-29T23:45:00Z')]);
  });

  test('skips gaps, or fills them with null or the last value', async () => {
    const data = [candle(0, 1, 2, 1, 2, 3), candle(180, 4, 4, 4, 4, 1)];
    expect((await resample(data, '1m')).map(({ time }) => time)).toStrictEqual([0, 180]);
    expect(await resample(data, '1m', { gaps: 'fill' })).toStrictEqual([
      candle(0, 1, 2, 1, 2, 3),
      candle(60, 2, 2, 2, 2, 0),
      candle(120, 2, 2, 2, 2, 0),
      candle(180, 4, 4, 4, 4, 1),
    ]);
    expect((await resample(data, '1m', { gaps: 'null' }))[1]).toStrictEqual(candle(60, null, null, null, null, null));
  });
});

test('wrong arguments cause an error that names the problem', async () => {
  const manager = managerOf({ stateSchema: anyState });
  const messages = {
    'utils.computeMA([1, 2], 0)': 'utils.computeMA: period must be an integer >= 1, got 0',
    'utils.computeMA([1, NaN], 1)': 'utils.computeMA: data[1] must be a finite number, got NaN',
    'utils.computeMA([1, "2"], 1)': 'utils.computeMA: data[1] must be a finite number, got "2"',
    'utils.computeEMA("x", 1)': 'utils.computeEMA: data must be an array of numbers or candles, got "x"',
    'utils.computeEMA([{ open: 1 }], 1)': 'utils.computeEMA: data[0].close must be a finite number, got undefined',
    'utils.computeRSI([1], 1.5)': 'utils.computeRSI: period must be an integer >= 2, got 1.5',
    'utils.computeBOLL([1], 5, -1)': 'utils.computeBOLL: stdDev must be a number > 0, got -1',
    'utils.computeMACD([1], 26, 12)': 'utils.computeMACD: fast must be less than slow, got 26 and 12',
    'utils.computeRollingCorrelation([1], [1, 2], 2)':
      'utils.computeRollingCorrelation: the series must have the same length, got 1 and 2 values',
    'utils.computeCorrelationMatrix([[1, 2], [1]])':
      'utils.computeCorrelationMatrix: series[1] must have 2 values as series[0] has, got 1',
    'utils.computeCorrelationMatrix([[1, 2]], [])':
      'utils.computeCorrelationMatrix: labels must be one per series, got 0 for 1',
    'utils.resample([{ time: 1 }], "5x")':
      'utils.resample: timeframe must be like "1m", "4h", "1d", "1w" or "1M", got "5x"',
    'utils.resample([{ open: 1 }], "1m")': 'utils.resample: data[0] must have a time: one of time, timestamp, date, t',
    'utils.resample([{ time: 5, open: 1, high: 1, low: 1, close: 1 }, { time: 4 }], "1m")':
      'utils.resample: data must be in chronological order, but data[1] is before data[0]',
    'utils.parallel(5)': 'utils.parallel: argument 0 must be a function',
  };
  for (const [code, message] of Object.entries(messages)) {
    const error = await expectCode(manager.executeCode(`\n${code}`), 'ERR_RUNTIME_EXCEPTION');
    expect(error.details).toMatchObject({ name: 'TypeError', message, line: 2 });
    expect(error.details.hint).toBe(undefined);
  }
});
