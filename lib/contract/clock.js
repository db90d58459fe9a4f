// @ts-check
'use strict';

// Timers and the clock as they were when this package was loaded: what a test of the host puts in their place stops no deadline,
// and has nothing wait that others need later.

const { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = require('node:timers');

const performance = { now: globalThis.performance.now.bind(globalThis.performance) };

module.exports = { clearInterval, clearTimeout, performance, setImmediate, setInterval, setTimeout };
