// The contract of tools.

import { describeBrowser } from './contract.mjs';

describeBrowser(['tools', 'blocking tools', 'approval']);
