// The package that matches patterns of JSON schemas. `scripts/pack.mjs` bundles it into this file of the published
// package.

import { RE2JS } from 're2js';

export { RE2JS };
