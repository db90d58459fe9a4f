// @ts-check
'use strict';

const { errorOf: failureOf } = require('./native-connection');
const { SlowValueError } = require('./slices');
const { valueOf } = require('./transfer');
const { mayReadNow, readInSlices } = require('./read-scheduler');
const { ExecutorError, errorOf, reasonText, transferLimitExceeded } = require('../contract/errors');
const { REFUSALS, invalidState } = require('../contract/lifecycle');
const { withTimeLimit } = require('../contract/time-limit');

/** What to do about an output that was not read in time. */
const LATE_HINT = 'The code ended in time, but its output takes long to be read: give back less.';

/**
 * The output of a run, or a promise of it if reading takes more than a moment.
 *
 * A run that went well does not fail for what it gives: what cannot be read becomes a text, as other values that cannot
 * cross do.
 *
 * @param {import('./native-connection').Outcome} outcome
 * @param {Limits} limits
 */
function readOutput(outcome, limits) {
  const { payload } = outcome;
  if (typeof payload !== 'object' || payload === null) return payload;
  if (!mayReadNow(payload)) return readLarge(outcome, limits);
  try {
    return valueOf(payload);
  } catch (error) {
    return unreadable(error);
  }
}

/**
 * What bounds the reading of an output.
 *
 * @typedef {object} Limits
 * @property {number} maxTransferBytes
 * @property {number} timeoutMs of the run
 * @property {AbortSignal | undefined} signal of the run
 * @property {import('../contract/run-scope').RunScope} life ended by `cleanup()`
 */

/**
 * @param {import('./native-connection').Outcome} outcome
 * @param {Limits} limits
 */
async function readLarge(outcome, { maxTransferBytes, timeoutMs, signal, life }) {
  const scope = life.part();
  /** @type {() => void} */
  let forget = () => {};
  const cleanedUp = new Promise((_, reject) => {
    const refuse = () => reject(failed(outcome, invalidState('DEAD', 'run', REFUSALS.CLEANED_UP)));
    forget = scope.atEnd(refuse);
  });
  /** @param {Record<string, unknown>} why */
  const ended = (why) =>
    failed(outcome, errorOf('ERR_EXEC_TIMEOUT', { timeoutMs }, { timeoutMs, ...why, stateLost: false }));
  try {
    return await withTimeLimit(Promise.race([readInSlices(outcome.payload, scope), cleanedUp]), {
      timeoutMs: timeLeft(outcome, timeoutMs),
      signal,
      late: () => ended({ reason: 'deadline', hint: LATE_HINT }),
      aborted: (reason) => ended({ aborted: true, reason: reasonText(reason) }),
    });
  } catch (error) {
    if (error instanceof ExecutorError) throw error;
    if (!(error instanceof SlowValueError)) return unreadable(error);
    throw failed(outcome, transferLimitExceeded(maxTransferBytes, 'output'));
  } finally {
    forget();
    scope.end();
  }
}

/**
 * What a run has left of its time. One that was given more, for its tools, has as much once more.
 *
 * @param {import('./native-connection').Outcome} outcome
 * @param {number} timeoutMs
 */
function timeLeft({ stats }, timeoutMs) {
  const left = timeoutMs - (stats?.durationMs ?? 0);
  return left > 0 ? left : timeoutMs;
}

/**
 * The failure of a run that had ended well.
 *
 * @param {import('./native-connection').Outcome} outcome
 * @param {ExecutorError} error
 */
function failed(outcome, { message, code, severity, retryable, details }) {
  return failureOf({ ...outcome, payload: { message, code, severity, retryable, details: JSON.stringify(details) } });
}

/** @param {unknown} error */
function unreadable(error) {
  if (error instanceof RangeError) return '[the output is nested too deeply to be read]';
  return '[the output cannot be read by this version of Node.js]';
}

module.exports = { readOutput };
