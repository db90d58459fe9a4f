// @ts-check
'use strict';

// In a bundle for browsers, in place of `node:events`: nobody counts listeners.

module.exports = { setMaxListeners() {} };
