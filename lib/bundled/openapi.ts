// The packages that read OpenAPI documents. `scripts/pack.mjs` bundles them into this file of the published package.

import yaml = require('yaml');
import type { Foreign } from '../contract/foreign';

// `any`: the declarations of the package are those of an ES module.
const { upgradeFromTwoToThree } = require('@scalar/openapi-upgrader/2.0-to-3.0') as Foreign;
const { parse } = yaml;

export { parse as parseYaml, upgradeFromTwoToThree as upgradeSwagger };
