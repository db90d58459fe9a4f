// @ts-check
'use strict';

const { clearTimeout, setTimeout } = require('./clock');
const { onAbort } = require('./signals');

/**
 * What a promise gives, waited for up to a deadline, if there is one, and as long as somebody wants it.
 *
 * @template T
 * @param {Promise<T>} promise
 * @param {object} until
 * @param {number} [until.timeoutMs]
 * @param {AbortSignal} [until.signal]
 * @param {() => unknown} [until.late] what it rejects with at the deadline
 * @param {(reason: any) => unknown} [until.aborted] what it rejects with when the signal is aborted, for its reason
 * @param {boolean} [until.holds] whether the process lives on for it; default true
 * @returns {Promise<T>}
 */
async function withTimeLimit(promise, { timeoutMs, signal, late, aborted = (reason) => reason, holds = true }) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {(() => void) | undefined} */
  let stopListening;
  const end = new Promise((_, reject) => {
    if (timeoutMs !== undefined) timer = setTimeout(() => reject(late?.()), timeoutMs);
    if (!holds) timer?.unref();
    const abort = () => reject(aborted(signal?.reason));
    stopListening = signal && onAbort(signal, abort);
    if (signal?.aborted) abort();
  });
  try {
    return await /** @type {Promise<T>} */ (Promise.race([promise, end]));
  } finally {
    clearTimeout(timer);
    stopListening?.();
  }
}

module.exports = { withTimeLimit };
