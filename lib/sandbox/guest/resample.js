// Guest code: `utils.resample`. Buckets begin in UTC: weeks on Monday, months on their first day.
() => {
  const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };
  const TIME_KEYS = ['time', 'timestamp', 'date', 't'];
  /** The first Monday after the epoch. */
  const FIRST_MONDAY = 4 * UNITS.d;
  /** Smaller numbers are seconds. In milliseconds they would be in 1973 or earlier. */
  const MIN_MILLISECONDS = 1e11;

  const fail = (text) => {
    throw new TypeError(`utils.resample: ${text}`);
  };

  const frameOf = (timeframe) => {
    const match = typeof timeframe === 'string' ? /^([1-9]\d{0,3})(m|h|H|d|D|w|W|M)$/.exec(timeframe) : null;
    if (match === null) fail(`timeframe must be like "1m", "4h", "1d", "1w" or "1M", got ${JSON.stringify(timeframe)}`);
    const count = Number(match[1]);
    return match[2] === 'M' ? monthly(count) : fixed(count * UNITS[match[2].toLowerCase()], match[2].toLowerCase());
  };

  const fixed = (span, unit) => {
    const origin = unit === 'w' ? FIRST_MONDAY : 0;
    return { floor: (ms) => Math.floor((ms - origin) / span) * span + origin, next: (ms) => ms + span };
  };

  const monthly = (count) => {
    const start = (month) => Date.UTC(Math.floor(month / 12), ((month % 12) + 12) % 12, 1);
    const monthOf = (ms) => new Date(ms).getUTCFullYear() * 12 + new Date(ms).getUTCMonth();
    return {
      floor: (ms) => start(Math.floor(monthOf(ms) / count) * count),
      next: (ms) => start(monthOf(ms) + count),
    };
  };

  // How `first` represents its time: the property, and functions that read and write it.
  const clockOf = (first) => {
    const key = TIME_KEYS.find((name) => first[name] !== undefined);
    if (key === undefined) fail(`data[0] must have a time: one of ${TIME_KEYS.join(', ')}`);
    const sample = first[key];
    if (typeof sample === 'number') {
      const unit = Math.abs(sample) < MIN_MILLISECONDS ? 1_000 : 1;
      return { key, read: (value) => (typeof value === 'number' ? value * unit : NaN), write: (ms) => ms / unit };
    }
    const isDate = sample instanceof Date;
    return {
      key,
      read: (value) => (isDate || typeof value === 'string' ? new Date(value).getTime() : NaN),
      write: (ms) => (isDate ? new Date(ms) : new Date(ms).toISOString()),
    };
  };

  const value = (candle, key, i) => {
    const number = candle[key];
    if (typeof number !== 'number' || number - number !== 0) {
      fail(`data[${i}].${key} must be a finite number, got ${String(number)}`);
    }
    return number;
  };

  return (data, timeframe, { gaps = 'skip' } = {}) => {
    if (!Array.isArray(data)) fail('data must be an array of candles');
    if (!['skip', 'null', 'fill'].includes(gaps)) fail(`gaps must be "skip", "null" or "fill", got ${String(gaps)}`);
    const { floor, next } = frameOf(timeframe);
    const result = [];
    if (data.length === 0) return result;
    if (typeof data[0] !== 'object' || data[0] === null) fail('data[0] must be a candle');
    const { key, read, write } = clockOf(data[0]);
    const hasVolume = data[0].volume !== undefined;
    let bucket;
    let current;
    let last = -Infinity;
    const emptyCandle = (at, price) => ({
      [key]: write(at),
      open: price,
      high: price,
      low: price,
      close: price,
      ...(hasVolume && { volume: price === null ? null : 0 }),
    });
    for (let i = 0; i < data.length; i++) {
      const candle = data[i];
      const ms = read(candle?.[key]);
      if (ms - ms !== 0) fail(`data[${i}].${key} must be a time, got ${String(candle?.[key])}`);
      if (ms < last) fail(`data must be in chronological order, but data[${i}] is before data[${i - 1}]`);
      last = ms;
      const open = value(candle, 'open', i);
      const high = value(candle, 'high', i);
      const low = value(candle, 'low', i);
      const close = value(candle, 'close', i);
      const volume = hasVolume ? value(candle, 'volume', i) : 0;
      const start = floor(ms);
      if (start === bucket) {
        if (high > current.high) current.high = high;
        if (low < current.low) current.low = low;
        current.close = close;
        if (hasVolume) current.volume += volume;
        continue;
      }
      if (gaps !== 'skip' && bucket !== undefined) {
        for (let at = next(bucket); at < start; at = next(at)) {
          result.push(emptyCandle(at, gaps === 'fill' ? current.close : null));
        }
      }
      bucket = start;
      current = { [key]: write(start), open, high, low, close, ...(hasVolume && { volume }) };
      result.push(current);
    }
    return result;
  };
};
