// @ts-check
'use strict';

// In a bundle for browsers, in place of `node:timers`.

const { clearInterval, clearTimeout, setInterval, setTimeout } = globalThis;

module.exports = { clearInterval, clearTimeout, setInterval, setTimeout };
