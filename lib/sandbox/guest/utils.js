// Guest code: the functions of `utils` except `parallel`. Averages are calculated step by step like TA-Lib's, so that
// values agree despite rounding. Spreads and correlations are calculated differently, because rounding does not affect
// them visibly.
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

  // The numbers of `data`, or of a column of its candles. Skips `lead` elements that are null at the beginning: other
  // functions return null before their first full window.
  const series = (name, data, column = 'close', what = 'data') => {
    if (!Array.isArray(data) && !isView(data))
      fail(name, `${what} must be an array of numbers or candles, got ${text(data)}`);
    const { length } = data;
    let lead = 0;
    while (lead < length && data[lead] === null) lead++;
    const isCandles = lead < length && typeof data[lead] === 'object';
    if (isCandles && typeof column !== 'string') fail(name, `column must be the name of a column, got ${text(column)}`);
    if (isCandles) while (lead < length && data[lead]?.[column] === null) lead++;
    const values = new Float64Array(length - lead);
    for (let i = lead; i < length; i++) {
      const value = isCandles ? data[i]?.[column] : data[i];
      if (typeof value !== 'number' || value - value !== 0) {
        fail(name, `${what}[${i}]${isCandles ? `.${column}` : ''} must be a finite number, got ${text(value)}`);
      }
      values[i - lead] = value;
    }
    return { values, lead };
  };

  // All series without the longest lead.
  const together = (all) => {
    const lead = Math.max(0, ...all.map((one) => one.lead));
    return { lead, values: all.map((one) => one.values.subarray(lead - one.lead)) };
  };

  const integer = (name, value, what, min) => {
    if (!Number.isInteger(value) || value < min) fail(name, `${what} must be an integer >= ${min}, got ${text(value)}`);
    return value;
  };

  // The array that guests get for `values`: null for the lead and before `from`, where there is no full window.
  const aligned = (values, from, lead) => {
    const result = [];
    for (let i = 0; i < lead; i++) result.push(null);
    for (let i = 0; i < values.length; i++) result.push(i < from ? null : values[i]);
    return result;
  };

  const computeMA = (data, period, column) => {
    const { values, lead } = series('computeMA', data, column);
    integer('computeMA', period, 'period', 1);
    return aligned(simple(values, period), period - 1, lead);
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

  // The smallest share of the largest sum since the last recalculation that a sum of squares may have. A smaller sum
  // has lost too many digits.
  const MIN_LEFT = 1e-3;

  // For each full window of two series, at its last position: the sums of the squared differences of each series from
  // its mean, and the sum of the products of the differences. The sums move with the window and are relative to a
  // nearby mean, because differences of large sums would consist of rounding errors. They are recalculated when the
  // window has moved by its length, or when most of a sum has left the window. All sums are zero for a window in which
  // one series has only equal values.
  const windowSums = (x, y, period) => {
    const squaresX = new Float64Array(x.length);
    const squaresY = new Float64Array(x.length);
    const products = new Float64Array(x.length);
    // No closures below: V8 would store the numbers that they share on the heap.
    let meanX = 0;
    let meanY = 0;
    let sumX = 0;
    let sumY = 0;
    let sumXX = 0;
    let sumYY = 0;
    let sumXY = 0;
    let mostXX = 0;
    let mostYY = 0;
    let movesLeft = 0;
    let equalX = 0;
    let equalY = 0;
    for (let i = 0; i < x.length; i++) {
      equalX = i > 0 && x[i] === x[i - 1] ? equalX + 1 : 1;
      equalY = i > 0 && y[i] === y[i - 1] ? equalY + 1 : 1;
      if (i < period - 1) continue;
      if (equalX >= period || equalY >= period) {
        movesLeft = 0;
        continue;
      }
      if (movesLeft > 0) {
        movesLeft--;
        const dx = x[i] - meanX;
        const dy = y[i] - meanY;
        const oldX = x[i - period] - meanX;
        const oldY = y[i - period] - meanY;
        sumX += dx - oldX;
        sumY += dy - oldY;
        sumXX += dx * dx - oldX * oldX;
        sumYY += dy * dy - oldY * oldY;
        sumXY += dx * dy - oldX * oldY;
        if (sumXX > mostXX) mostXX = sumXX;
        if (sumYY > mostYY) mostYY = sumYY;
        squaresX[i] = sumXX - (sumX * sumX) / period;
        squaresY[i] = sumYY - (sumY * sumY) / period;
        products[i] = sumXY - (sumX * sumY) / period;
        if (squaresX[i] > MIN_LEFT * mostXX && squaresY[i] > MIN_LEFT * mostYY) continue;
      }
      movesLeft = period - 1;
      const from = i - period + 1;
      meanX = meanY = 0;
      for (let j = from; j <= i; j++) {
        meanX += x[j] / period;
        meanY += y[j] / period;
      }
      sumX = sumY = sumXX = sumYY = sumXY = 0;
      for (let j = from; j <= i; j++) {
        const dx = x[j] - meanX;
        const dy = y[j] - meanY;
        sumX += dx;
        sumY += dy;
        sumXX += dx * dx;
        sumYY += dy * dy;
        sumXY += dx * dy;
      }
      mostXX = sumXX;
      mostYY = sumYY;
      squaresX[i] = Math.max(sumXX - (sumX * sumX) / period, 0);
      squaresY[i] = Math.max(sumYY - (sumY * sumY) / period, 0);
      products[i] = sumXY - (sumX * sumY) / period;
    }
    return { squaresX, squaresY, products };
  };

  // The averages from `first` on. The first one is the mean of the `period` values that end there.
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
    const { values, lead } = series('computeEMA', data, column);
    integer('computeEMA', period, 'period', 1);
    return aligned(exponential(values, period, period - 1), period - 1, lead);
  };

  const computeBOLL = (data, period = 20, stdDev = 2, column) => {
    const { values, lead } = series('computeBOLL', data, column);
    integer('computeBOLL', period, 'period', 2);
    if (typeof stdDev !== 'number' || !(stdDev > 0) || stdDev === Infinity) {
      fail('computeBOLL', `stdDev must be a number > 0, got ${text(stdDev)}`);
    }
    const middle = simple(values, period);
    const upper = new Float64Array(values.length);
    const lower = new Float64Array(values.length);
    const { squaresX } = windowSums(values, values, period);
    for (let i = 0; i < values.length; i++) {
      const width = Math.sqrt(squaresX[i] / period) * stdDev;
      upper[i] = middle[i] + width;
      lower[i] = middle[i] - width;
    }
    const of = (band) => aligned(band, period - 1, lead);
    return { upper: of(upper), middle: of(middle), lower: of(lower) };
  };

  const computeRSI = (data, period = 14, column) => {
    const { values, lead } = series('computeRSI', data, column);
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
      result[i] = both > 0 ? 100 * (gain / both) : 0;
    }
    return aligned(result, period, lead);
  };

  const computeMACD = (data, fast = 12, slow = 26, signal = 9, column) => {
    const { values, lead } = series('computeMACD', data, column);
    integer('computeMACD', fast, 'fast', 2);
    integer('computeMACD', slow, 'slow', 2);
    integer('computeMACD', signal, 'signal', 1);
    if (fast >= slow) fail('computeMACD', `fast must be less than slow, got ${fast} and ${slow}`);
    const from = slow - 1 + signal - 1;
    // Both averages begin at the first full window of the slow one.
    const line = exponential(values, fast, slow - 1);
    const slower = exponential(values, slow, slow - 1);
    for (let i = 0; i < line.length; i++) line[i] -= slower[i];
    const signals = exponential(line, signal, from);
    const histogram = new Float64Array(line.length);
    for (let i = 0; i < line.length; i++) histogram[i] = line[i] - signals[i];
    const of = (part) => aligned(part, from, lead);
    return { macd: of(line), signal: of(signals), histogram: of(histogram) };
  };

  const correlation = (x, y, period) => {
    const result = new Float64Array(x.length);
    const { squaresX, squaresY, products } = windowSums(x, y, period);
    for (let i = 0; i < x.length; i++) {
      const spread = squaresX[i] * squaresY[i];
      result[i] = spread > 0 ? Math.max(-1, Math.min(products[i] / Math.sqrt(spread), 1)) : 0;
    }
    return result;
  };

  const computeRollingCorrelation = (seriesA, seriesB, windows, column) => {
    const name = 'computeRollingCorrelation';
    const both = [series(name, seriesA, column, 'seriesA'), series(name, seriesB, column, 'seriesB')];
    if (seriesA.length !== seriesB.length) {
      fail(name, `the series must have the same length, got ${seriesA.length} and ${seriesB.length} values`);
    }
    const { values, lead } = together(both);
    const [a, b] = values;
    const of = (window, what) => aligned(correlation(a, b, integer(name, window, what, 2)), window - 1, lead);
    if (!Array.isArray(windows)) return of(windows, 'windows');
    const result = {};
    windows.forEach((window, i) => {
      result[window] = of(window, `windows[${i}]`);
    });
    return result;
  };

  const computeCorrelationMatrix = (given, labels, column) => {
    const name = 'computeCorrelationMatrix';
    if (!Array.isArray(given)) fail(name, `series must be an array of series, got ${text(given)}`);
    const read = given.map((one, i) => series(name, one, column, `series[${i}]`));
    const names = labels ?? given.map((_, i) => String(i));
    if (!Array.isArray(names) || names.length !== given.length) {
      fail(
        name,
        `labels must be one per series, got ${Array.isArray(names) ? names.length : text(names)} for ${given.length}`,
      );
    }
    given.forEach((one, i) => {
      if (one.length !== given[0].length)
        fail(name, `series[${i}] must have ${given[0].length} values as series[0] has, got ${one.length}`);
    });
    const { values: all } = together(read);
    const length = all[0]?.length ?? 0;
    if (all.length > 0 && length < 2) fail(name, `series must have at least 2 values, got ${length}`);
    const of = (x, y) => correlation(x, y, length)[length - 1];
    const matrix = all.map(() => []);
    for (let i = 0; i < all.length; i++) {
      for (let j = 0; j <= i; j++) matrix[i][j] = matrix[j][i] = i === j ? 1 : of(all[i], all[j]);
    }
    return { labels: names, matrix };
  };

  const pctChange = (data, column) => {
    const { values, lead } = series('pctChange', data, column);
    const result = new Float64Array(values.length);
    for (let i = 1; i < values.length; i++) {
      const before = values[i - 1];
      result[i] = before === 0 ? 0 : (values[i] - before) / before;
    }
    return aligned(result, 1, lead);
  };

  const normalize = (data, column) => {
    const { values, lead } = series('normalize', data, column);
    let min = Infinity;
    let max = -Infinity;
    for (let i = 0; i < values.length; i++) {
      if (values[i] < min) min = values[i];
      if (values[i] > max) max = values[i];
    }
    const span = max - min;
    for (let i = 0; i < values.length; i++) values[i] = span === 0 ? 0 : (values[i] - min) / span;
    return aligned(values, 0, lead);
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
