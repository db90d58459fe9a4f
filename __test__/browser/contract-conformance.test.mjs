// The contract's definition of done, what failures say, starting anew, and large values.

import { describeBrowser } from './contract.mjs';

describeBrowser(['hints', 'recovery', 'conformance', 'large values']);
