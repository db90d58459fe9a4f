// @ts-check
'use strict';

// In a bundle for browsers, in place of `node:async_hooks`: nothing is known to be called within something else.

class AsyncLocalStorage {
  getStore() {}

  /**
   * @param {unknown} _store
   * @param {(...args: any[]) => any} fn
   * @param {any[]} args
   */
  run(_store, fn, ...args) {
    return fn(...args);
  }
}

module.exports = { AsyncLocalStorage };
