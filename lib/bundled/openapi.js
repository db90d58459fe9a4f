// @ts-check
'use strict';

// What reads OpenAPI documents. See `scripts/pack.mjs`: the published package has these packages in this file.

const { validate } = /** @type {any} */ (require('@readme/openapi-parser'));
const yaml = require('yaml');

module.exports = { parseYaml: yaml.parse, validateOpenApi: validate };
