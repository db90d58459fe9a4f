// What patterns of JSON schemas are matched with. See `scripts/pack.mjs`: the published package has this package in this file.

import { RE2JS } from 're2js';

export { RE2JS };
