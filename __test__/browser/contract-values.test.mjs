// The contract of values, and of what is left for later runs.

import { describeBrowser } from './contract.mjs';

describeBrowser(['values', 'persistence']);
