// The contract of deadlines.

import { describeBrowser } from './contract.mjs';

describeBrowser(['deadlines', 'deadlines of tools']);
