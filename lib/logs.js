// @ts-check
'use strict';

/**
 * Log entries as callers see them.
 *
 * @param {{ level: string, message: string, ts: number }[]} entries with `ts` in milliseconds since the Unix epoch
 * @returns {import('../index').LogEntry[]}
 */
function publicEntries(entries) {
  return entries.map(publicEntry);
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

module.exports = { publicEntries, safeListener };
