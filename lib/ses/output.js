// @ts-check
'use strict';

const { errorOf } = require('./core');
const { SlowValueError } = require('./slices');
const { valueOf } = require('./transfer');
const { mayReadNow, readInTurns } = require('./turns');
const { transferLimitExceeded } = require('../contract/errors');

/**
 * The output of a run, or a promise of it if reading takes more than a moment.
 *
 * A run that went well does not fail for what it gives: what cannot be read becomes a text, as other values that cannot
 * cross do.
 *
 * @param {import('./core').Outcome} outcome
 * @param {number} maxTransferBytes
 */
function readOutput(outcome, maxTransferBytes) {
  const { payload } = outcome;
  if (typeof payload !== 'object' || payload === null) return payload;
  if (!mayReadNow(payload)) return readLarge(outcome, maxTransferBytes);
  try {
    return valueOf(payload);
  } catch (error) {
    return unreadable(error);
  }
}

/**
 * @param {import('./core').Outcome} outcome
 * @param {number} maxTransferBytes
 */
async function readLarge(outcome, maxTransferBytes) {
  try {
    return await readInTurns(outcome.payload);
  } catch (error) {
    if (!(error instanceof SlowValueError)) return unreadable(error);
    const { message, code, severity, retryable, details } = transferLimitExceeded(maxTransferBytes, 'output');
    throw errorOf({ ...outcome, payload: { message, code, severity, retryable, details: JSON.stringify(details) } });
  }
}

/** @param {unknown} error */
function unreadable(error) {
  if (error instanceof RangeError) return '[the output is nested too deeply to be read]';
  return '[the output cannot be read by this version of Node.js]';
}

module.exports = { readOutput };
