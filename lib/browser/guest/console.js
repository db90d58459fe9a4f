// @ts-check
'use strict';

/**
 * The page's console. Sends the arguments of calls to the host, which prints them as Node.js does.
 *
 * @param {import('./language').Language} language
 * @param {import('./page').Page} page
 */
function makeConsole(language, page) {
  const { Error, attempt, captureStackTrace, empty, hide, put, text } = language;

  let chars = 0;
  /** The levels that are collected. */
  let levels = empty();

  const print = (/** @type {string} */ method, /** @type {any[]} */ args) => send('L', method, args);
  const send = (/** @type {string} */ kind, /** @type {string} */ head, /** @type {any[]} */ args) => {
    const { maxLogBytes } = page.limits();
    // From here on the host cuts the log, however it prints the entries.
    if (page.run() === 0 || chars > maxLogBytes + 1) return;
    let body;
    try {
      const textChars = maxLogBytes + 1;
      body = page.encode(args, { maxChars: 8 * textChars + (1 << 20), isShown: true, textChars });
    } catch {
      body = '["[inspection failed]"]';
    }
    chars += 1 + leastChars(args);
    page.say(kind, head, body);
  };
  const leastChars = (/** @type {any[]} */ args) => {
    let count = 0;
    for (let at = 0; at < args.length; at++) {
      const arg = args[at];
      count += typeof arg === 'string' ? arg.length : 1;
    }
    return count;
  };

  const LEVELS = /** @type {any} */ ({ __proto__: null, log: true, info: true, warn: true, error: true, debug: true });
  const METHODS =
    'log info warn error debug trace table dir dirxml assert count countReset time timeEnd timeLog group groupCollapsed groupEnd';
  for (const method of METHODS.split(' ')) {
    const { [method]: call } = {
      [method](/** @type {any[]} */ ...args) {
        if (LEVELS[method] === true && levels[method] !== true) return;
        if (method === 'assert' && args[0]) return;
        if (method === 'trace') {
          const at = new Error();
          captureStackTrace(at, call);
          put(args, args.length, text(attempt((/** @type {any} */ e) => e.stack, at)));
        }
        print(method, args);
      },
    };
    hide(globalThis.console, method, call);
  }

  return {
    print,
    /**
     * Reports an error that nobody has handled.
     *
     * @param {string} what
     * @param {number} call number of its tool call; 0: none
     * @param {any} error
     */
    tellOf(what, call, error) {
      if (levels.warn === true) send('W', `${what};${call}`, [error]);
    },
    /** @param {string[]} collected levels */
    begin(collected) {
      chars = 0;
      levels = empty();
      for (let at = 0; at < collected.length; at++) levels[collected[at]] = true;
    },
  };
}

module.exports = { makeConsole };
