// @ts-check
'use strict';

// What patterns of JSON schemas are matched with. See `scripts/pack.mjs`: the published package has this package in this file.

const { RE2JS } = require('re2js');

module.exports = { RE2JS };
