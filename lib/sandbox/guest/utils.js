// Guest code: the functions of `utils` but `parallel`. Their arithmetic is that of TA-Lib, step by step, so that values
// agree also where rounding shows.
() => {
  const fail = (name, text) => {
    throw new TypeError(`utils.${name}: ${text}`);
  };

  const text = (value) => {
    if (typeof value === 'string') return JSON.stringify(value);
    if (value === null || typeof value !== 'object') return String(value);
    return Array.isArray(value) ? 'an array' : 'an object';
  };

  const isView = (value) => ArrayBuffer.isView(value) && !(value instanceof DataView);

  // The numbers of `data`: itself, or of candles the column.
  const numbers = (name, data, column = 'close', what = 'data') => {
    if (!Array.isArray(data) && !isView(data))
      fail(name, `${what} must be an array of numbers or candles, got ${text(data)}`);
    const { length } = data;
    const values = new Float64Array(length);
    const isCandles = length > 0 && typeof data[0] === 'object' && data[0] !== null;
    if (isCandles && typeof column !== 'string') fail(name, `column must be the name of a column, got ${text(column)}`);
    for (let i = 0; i < length; i++) {
      const value = isCandles ? data[i]?.[column] : data[i];
      if (typeof value !== 'number' || value - value !== 0) {
        fail(name, `${what}[${i}]${isCandles ? `.${column}` : ''} must be a finite number, got ${text(value)}`);
      }
      values[i] = value;
    }
    return values;
  };

  const integer = (name, value, what, min) => {
    if (!Number.isInteger(value) || value < min) fail(name, `${what} must be an integer >= ${min}, got ${text(value)}`);
    return value;
  };

  // What is calculated in `values`, as guests get it: what is before `from` is no full window.
  const aligned = (values, from) => {
    const result = [];
    for (let i = 0; i < values.length; i++) result.push(i < from ? null : values[i]);
    return result;
  };

  const computeMA = (data, period, column) => {
    const values = numbers('computeMA', data, column);
    integer('computeMA', period, 'period', 1);
    return aligned(simple(values, period), period - 1);
  };

  const simple = (values, period) => {
    const result = new Float64Array(values.length);
    let total = 0;
    for (let i = 0; i < values.length; i++) {
      total += values[i];
      if (i < period - 1) continue;
      result[i] = total / period;
      total -= values[i - period + 1];
    }
    return result;
  };

  // The averages from `first` on, seeded with the mean of the `period` values that end there.
  const exponential = (values, period, first) => {
    const result = new Float64Array(values.length);
    if (first >= values.length) return result;
    const k = 2 / (period + 1);
    let average = 0;
    for (let i = first - period + 1; i <= first; i++) average += values[i];
    average /= period;
    result[first] = average;
    for (let i = first + 1; i < values.length; i++) {
      average = (values[i] - average) * k + average;
      result[i] = average;
    }
    return result;
  };

  const computeEMA = (data, period, column) => {
    const values = numbers('computeEMA', data, column);
    integer('computeEMA', period, 'period', 1);
    return aligned(exponential(values, period, period - 1), period - 1);
  };

  const computeBOLL = (data, period = 20, stdDev = 2, column) => {
    const values = numbers('computeBOLL', data, column);
    integer('computeBOLL', period, 'period', 2);
    if (typeof stdDev !== 'number' || !(stdDev > 0) || stdDev === Infinity) {
      fail('computeBOLL', `stdDev must be a number > 0, got ${text(stdDev)}`);
    }
    const middle = simple(values, period);
    const upper = new Float64Array(values.length);
    const lower = new Float64Array(values.length);
    let squares = 0;
    for (let i = 0; i < values.length; i++) {
      squares += values[i] * values[i];
      if (i < period - 1) continue;
      const mean = middle[i];
      const variance = squares / period - mean * mean;
      const width = variance < 1e-14 ? 0 : Math.sqrt(variance) * stdDev;
      upper[i] = mean + width;
      lower[i] = mean - width;
      squares -= values[i - period + 1] * values[i - period + 1];
    }
    const from = period - 1;
    return { upper: aligned(upper, from), middle: aligned(middle, from), lower: aligned(lower, from) };
  };

  const computeRSI = (data, period = 14, column) => {
    const values = numbers('computeRSI', data, column);
    integer('computeRSI', period, 'period', 2);
    const result = new Float64Array(values.length);
    let gain = 0;
    let loss = 0;
    for (let i = 1; i < values.length; i++) {
      const change = values[i] - values[i - 1];
      if (i > period) {
        loss *= period - 1;
        gain *= period - 1;
      }
      if (change < 0) loss -= change;
      else gain += change;
      if (i < period) continue;
      loss /= period;
      gain /= period;
      const both = gain + loss;
      result[i] = both > 1e-14 ? 100 * (gain / both) : 0;
    }
    return aligned(result, period);
  };

  const computeMACD = (data, fast = 12, slow = 26, signal = 9, column) => {
    const values = numbers('computeMACD', data, column);
    integer('computeMACD', fast, 'fast', 2);
    integer('computeMACD', slow, 'slow', 2);
    integer('computeMACD', signal, 'signal', 1);
    if (fast >= slow) fail('computeMACD', `fast must be less than slow, got ${fast} and ${slow}`);
    const from = slow - 1 + signal - 1;
    // Both begin where the slow one has its first full window.
    const line = exponential(values, fast, slow - 1);
    const slower = exponential(values, slow, slow - 1);
    for (let i = 0; i < line.length; i++) line[i] -= slower[i];
    const signals = exponential(line, signal, from);
    const histogram = new Float64Array(line.length);
    for (let i = 0; i < line.length; i++) histogram[i] = line[i] - signals[i];
    return { macd: aligned(line, from), signal: aligned(signals, from), histogram: aligned(histogram, from) };
  };

  const correlation = (x, y, period) => {
    const result = new Float64Array(x.length);
    let sumX = 0;
    let sumY = 0;
    let sumXY = 0;
    let sumX2 = 0;
    let sumY2 = 0;
    for (let i = 0; i < x.length; i++) {
      sumX += x[i];
      sumX2 += x[i] * x[i];
      sumXY += x[i] * y[i];
      sumY += y[i];
      sumY2 += y[i] * y[i];
      if (i < period - 1) continue;
      const spread = (sumX2 - (sumX * sumX) / period) * (sumY2 - (sumY * sumY) / period);
      result[i] = spread < 1e-14 ? 0 : (sumXY - (sumX * sumY) / period) / Math.sqrt(spread);
      const oldX = x[i - period + 1];
      const oldY = y[i - period + 1];
      sumX -= oldX;
      sumX2 -= oldX * oldX;
      sumXY -= oldX * oldY;
      sumY -= oldY;
      sumY2 -= oldY * oldY;
    }
    return result;
  };

  const computeRollingCorrelation = (seriesA, seriesB, windows, column) => {
    const name = 'computeRollingCorrelation';
    const a = numbers(name, seriesA, column, 'seriesA');
    const b = numbers(name, seriesB, column, 'seriesB');
    if (a.length !== b.length) fail(name, `the series must be equally long, got ${a.length} and ${b.length} values`);
    if (!Array.isArray(windows)) return aligned(correlation(a, b, integer(name, windows, 'windows', 2)), windows - 1);
    const result = {};
    windows.forEach((window, i) => {
      result[window] = aligned(correlation(a, b, integer(name, window, `windows[${i}]`, 2)), window - 1);
    });
    return result;
  };

  const computeCorrelationMatrix = (series, labels, column) => {
    const name = 'computeCorrelationMatrix';
    if (!Array.isArray(series)) fail(name, `series must be an array of series, got ${text(series)}`);
    const all = series.map((one, i) => numbers(name, one, column, `series[${i}]`));
    const names = labels ?? all.map((_, i) => String(i));
    if (!Array.isArray(names) || names.length !== all.length) {
      fail(
        name,
        `labels must be one per series, got ${Array.isArray(names) ? names.length : text(names)} for ${all.length}`,
      );
    }
    const length = all[0]?.length ?? 0;
    all.forEach((one, i) => {
      if (one.length !== length)
        fail(name, `series[${i}] must have ${length} values as series[0] has, got ${one.length}`);
    });
    if (all.length > 0 && length < 2) fail(name, `series must have at least 2 values, got ${length}`);
    const of = (x, y) => correlation(x, y, length)[length - 1];
    const matrix = all.map(() => []);
    for (let i = 0; i < all.length; i++) {
      for (let j = 0; j <= i; j++) matrix[i][j] = matrix[j][i] = i === j ? 1 : of(all[i], all[j]);
    }
    return { labels: names, matrix };
  };

  const pctChange = (data, column) => {
    const values = numbers('pctChange', data, column);
    const result = new Float64Array(values.length);
    for (let i = 1; i < values.length; i++) {
      const before = values[i - 1];
      result[i] = before === 0 ? 0 : (values[i] - before) / before;
    }
    return aligned(result, 1);
  };

  const normalize = (data, column) => {
    const values = numbers('normalize', data, column);
    let min = Infinity;
    let max = -Infinity;
    for (let i = 0; i < values.length; i++) {
      if (values[i] < min) min = values[i];
      if (values[i] > max) max = values[i];
    }
    const span = max - min;
    for (let i = 0; i < values.length; i++) values[i] = span === 0 ? 0 : (values[i] - min) / span;
    return aligned(values, 0);
  };

  return {
    computeMA,
    computeEMA,
    computeBOLL,
    computeRSI,
    computeMACD,
    computeRollingCorrelation,
    computeCorrelationMatrix,
    pctChange,
    normalize,
  };
};
