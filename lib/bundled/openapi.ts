// What reads OpenAPI documents. See `scripts/pack.mjs`: the published package has these packages in this file.

import yaml = require('yaml');

// `any`: the declarations of the package are those of an ES module.
const { validate } = require('@readme/openapi-parser') as any;
const { parse } = yaml;

export { parse as parseYaml, validate as validateOpenApi };
