// @ts-check
'use strict';

// What checks values by JSON schemas. See `scripts/pack.mjs`: the published package has these packages in this file.

const { default: Ajv, Name, _ } = require('ajv');
const { default: Ajv2020 } = require('ajv/dist/2020');
const { resolveRef } = /** @type {any} */ (require('ajv/dist/compile'));
const { callRef, default: refKeyword } = /** @type {any} */ (require('ajv/dist/vocabularies/core/ref'));
const { RE2JS } = require('re2js');

module.exports = { Ajv, Ajv2020, Name, RE2JS, _, callRef, refKeyword, resolveRef };
