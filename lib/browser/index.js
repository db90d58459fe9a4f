// @ts-check
'use strict';

const { BrowserExecutor } = require('./executor');

module.exports = { BrowserExecutor };
