// @ts-check
'use strict';

// In a bundle for browsers, in place of `node:diagnostics_channel`: nobody listens.

const silent = {
  hasSubscribers: false,
  publish() {},
  runStores: (/** @type {unknown} */ _message, /** @type {() => any} */ call) => call(),
};

const tracingChannel = () => ({ start: silent, end: silent, asyncStart: silent, asyncEnd: silent, error: silent });

module.exports = { tracingChannel };
