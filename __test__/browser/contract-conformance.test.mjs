// The contract's definition of done, what failures say, starting anew, and large values, also those that isolates get
// late.

import { describeBrowser } from './contract.mjs';

describeBrowser(['hints', 'recovery', 'conformance', 'large values', 'pending values']);
