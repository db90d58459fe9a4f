// @ts-check
'use strict';

const { abortController, onAbort } = require('../../contract/signals');

/**
 * Runs code whose tools can end it, with what the framework has to be told: whatever the code catches.
 *
 * @template T
 * @param {AbortSignal | undefined} signal of the caller
 * @param {(signal: AbortSignal, stop: (thrown: unknown) => void) => Promise<T>} run
 * @returns {Promise<T>} rejects with the first that stopped it
 */
async function stoppable(signal, run) {
  const ended = abortController();
  const abort = () => ended.abort(signal?.reason);
  if (signal?.aborted) abort();
  const stopListening = signal && onAbort(signal, abort);
  /** @type {{ thrown: unknown } | undefined} */
  let stopped;
  const stop = (/** @type {unknown} */ thrown) => {
    stopped ??= { thrown };
    ended.abort(thrown);
  };
  try {
    const result = await run(ended.signal, stop);
    if (stopped !== undefined) throw stopped.thrown;
    return result;
  } finally {
    stopListening?.();
  }
}

module.exports = { stoppable };
