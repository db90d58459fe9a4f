// @ts-check
'use strict';

// By their numbers in the protocol.
const { LEVELS } = require('./option-table');

/**
 * Where the entries are in the text of a log, a value per entry.
 *
 * @typedef {object} LogIndex
 * @property {Uint8Array} levels
 * @property {Float64Array} times milliseconds since the Unix epoch
 * @property {Uint32Array} lengths UTF-16 units
 */

/** Logs of more entries make them when somebody asks: a run may leave a quarter of a million. */
const MAX_EAGER_ENTRIES = 1_000;

/**
 * Gives the outcome of a run its property `logEntries`.
 *
 * @template {object} T
 * @param {T} outcome
 * @param {string} logs the messages, joined by line breaks
 * @param {LogIndex} index
 * @param {{ enumerable: boolean }} kind
 * @returns {T}
 */
function defineEntries(outcome, logs, index, { enumerable }) {
  if (index.levels.length <= MAX_EAGER_ENTRIES) {
    const value = entriesOf(logs, index);
    return Object.defineProperty(outcome, 'logEntries', { value, writable: true, enumerable, configurable: true });
  }
  /** @type {import('../../index').LogEntry[] | undefined} */
  let entries;
  const get = () => (entries ??= entriesOf(logs, index));
  return Object.defineProperty(outcome, 'logEntries', { get, enumerable, configurable: true });
}

/**
 * @param {string} logs
 * @param {LogIndex} index
 * @returns {import('../../index').LogEntry[]}
 */
function entriesOf(logs, index) {
  return Array.from(eachEntry(logs, index));
}

/**
 * @param {string} logs
 * @param {LogIndex} index
 * @returns {Generator<import('../../index').LogEntry, undefined>}
 */
function* eachEntry(logs, { levels, times, lengths }) {
  let from = 0;
  let time = NaN;
  let ts = '';
  for (let i = 0; i < levels.length; i++) {
    const message = logs.slice(from, from + lengths[i]);
    from += lengths[i] + 1;
    // Most have the time of the one before them, and to print it takes longer than all the rest.
    if (times[i] !== time) {
      time = times[i];
      ts = new Date(time).toISOString();
    }
    yield { level: /** @type {import('../../index').LogLevel} */ (LEVELS[levels[i]]), message, ts };
  }
}

/**
 * A listener that cannot break anything: what it throws, or rejects with, becomes one warning of the process.
 *
 * @template T
 * @param {(told: T) => unknown} listener
 * @param {'onLog' | 'onReport'} [option] that it is
 */
function safeListener(listener, option = 'onLog') {
  let hasWarned = false;
  /** @param {unknown} error */
  const warn = (error) => {
    if (hasWarned) return;
    hasWarned = true;
    process.emitWarning(`options.${option} failed; further failures are not reported: ${text(error)}`, {
      type: 'SESExecutorWarning',
      code: option === 'onLog' ? 'SES_EXECUTOR_ON_LOG' : 'SES_EXECUTOR_ON_REPORT',
    });
  };
  /** @param {T} told */
  return (told) => {
    try {
      const result = listener(told);
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

module.exports = { defineEntries, eachEntry, safeListener };
