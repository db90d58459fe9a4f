// @ts-check
'use strict';

const { startResponsiveTimer } = require('./responsive-timer');
const { loadPreparation } = require('./page-program');

/** How long a page may take to say what there is: handlers of the guest's proxies run. */
const MAX_MS = 100;
const NO_NETWORK = 'There is no network here: only `data:` and `blob:` URLs can be fetched.';
/** Longer lines nobody has written. */
const MAX_LINE = 2 << 10;

/**
 * What the writer of code that has failed may have meant.
 *
 * @param {any} details of the failure
 * @param {string} code as it was given
 * @param {import('./endowments').Endowments} given
 * @param {import('./tab').Tab} tab whose page has run it
 * @param {string[]} origins that it may have requests to
 * @returns {Promise<{ hint?: string, isAnswered: boolean }>} `isAnswered`: false if the page goes on with what it was asked
 */
async function hintOf({ name, message, line, column }, code, given, tab, origins) {
  if (origins.length === 0 && name === 'TypeError' && message.startsWith('Failed to fetch')) {
    return { hint: NO_NETWORK, isAnswered: true };
  }
  const { pageHint } = loadPreparation();
  const text = line === undefined ? '' : (code.split(/\r\n|[\n\r\u2028\u2029]/, line)[line - 1] ?? '');
  const asyncTools = text.length > MAX_LINE ? [] : given.asynchronousIn(text);
  const error = { name, message, source: code, line, column, asyncTools };
  try {
    const { hint, path, member } = await pageHint(error);
    if (typeof hint === 'string') return { hint, isAnswered: true };
    if (typeof member !== 'string') return { isAnswered: true };
    const found = await inTime(tab.lookUp({ path, member }));
    if (found === null) return { isAnswered: false };
    if (found === undefined) return { isAnswered: true };
    return { hint: (await pageHint({ ...error, found })).hint ?? undefined, isAnswered: true };
  } catch {
    // The page is gone, or what it said is no answer.
    return { isAnswered: true };
  }
}

/**
 * Null for what takes too long.
 *
 * @template T
 * @param {Promise<T>} promise
 * @returns {Promise<T | null>}
 */
async function inTime(promise) {
  /** @type {(() => void) | undefined} */
  let stopWaiting;
  const late = new Promise((resolve) => (stopWaiting = startResponsiveTimer(MAX_MS, () => resolve(null))));
  try {
    return await Promise.race([promise, late]);
  } finally {
    stopWaiting?.();
  }
}

module.exports = { hintOf };
