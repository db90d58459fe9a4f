// @ts-check
'use strict';

/** Levels by the numbers of `src/executor/logs.rs`. */
const LEVELS = /** @type {const} */ (['log', 'info', 'warn', 'error', 'debug']);

/**
 * Where the entries are in the text of a log, a value per entry.
 *
 * @typedef {object} LogIndex
 * @property {string} [logs] the messages, joined by line breaks
 * @property {Uint8Array} [logLevels]
 * @property {Float64Array} [logTimes] milliseconds since the Unix epoch
 * @property {Uint32Array} [logLengths] UTF-16 units
 */

/** Logs of more entries make them when somebody asks: a run may leave a quarter of a million. */
const MAX_EAGER_ENTRIES = 1_000;

/**
 * The property `logEntries` of a run's outcome.
 *
 * @param {LogIndex} index
 * @returns {PropertyDescriptor}
 */
function entriesProperty(index) {
  if (index.logLevels === undefined || index.logLevels.length <= MAX_EAGER_ENTRIES) {
    return { value: entriesOf(index), writable: true, enumerable: true, configurable: true };
  }
  /** @type {import('../index').LogEntry[] | undefined} */
  let entries;
  return { get: () => (entries ??= entriesOf(index)), enumerable: true, configurable: true };
}

/**
 * @param {LogIndex} index
 * @returns {import('../index').LogEntry[] | undefined} undefined if the outcome is not that of a run
 */
function entriesOf({ logs, logLevels, logTimes, logLengths }) {
  if (logs === undefined || !logLevels || !logTimes || !logLengths) return undefined;
  let from = 0;
  return Array.from(logLevels, (level, i) => {
    const message = logs.slice(from, from + logLengths[i]);
    from += logLengths[i] + 1;
    return publicEntry({ level: LEVELS[level], message, ts: logTimes[i] });
  });
}

/**
 * @param {{ level: string, message: string, ts: number }} entry
 * @returns {import('../index').LogEntry}
 */
function publicEntry({ level, message, ts }) {
  return { level: /** @type {import('../index').LogLevel} */ (level), message, ts: new Date(ts).toISOString() };
}

/**
 * A listener that cannot break anything: what it throws, or rejects with, becomes one warning of the process.
 *
 * @param {(entry: import('../index').LogEntry) => unknown} onLog
 */
function safeListener(onLog) {
  let hasWarned = false;
  /** @param {unknown} error */
  const warn = (error) => {
    if (hasWarned) return;
    hasWarned = true;
    process.emitWarning(`options.onLog failed; further failures are not reported: ${text(error)}`, {
      type: 'SESExecutorWarning',
      code: 'SES_EXECUTOR_ON_LOG',
    });
  };
  /** @param {{ level: string, message: string, ts: number }} entry */
  return (entry) => {
    try {
      const result = onLog(publicEntry(entry));
      if (typeof result === 'object' && result !== null) {
        new Promise((resolve) => resolve(result)).catch(warn);
      }
    } catch (error) {
      warn(error);
    }
  };
}

/** @param {unknown} error */
function text(error) {
  try {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  } catch {
    return 'an error that cannot be printed';
  }
}

module.exports = { entriesProperty, safeListener };
