// The contract of runs, their logs and failures.

import { describeBrowser } from './contract.mjs';

describeBrowser(['lifecycle', 'queue', 'errors', 'logs', 'stats', 'tracing']);
