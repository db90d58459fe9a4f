// @ts-check
'use strict';

/** The command line was used wrongly: exit status 2. */
class UsageError extends Error {}

/**
 * Does work that refuses only what it was given: wrong arguments are wrong use.
 *
 * @template T
 * @param {() => Promise<T> | T} work
 * @returns {Promise<T>}
 */
async function asUsage(work) {
  try {
    return await work();
  } catch (error) {
    const isRefusal = [TypeError, RangeError, SyntaxError].some((kind) => error instanceof kind);
    throw isRefusal ? new UsageError(/** @type {Error} */ (error).message) : error;
  }
}

module.exports = { UsageError, asUsage };
