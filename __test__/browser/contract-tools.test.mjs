// The contract of tools.

import { describeBrowser } from './contract.mjs';

describeBrowser([
  'tools',
  'definition of tools',
  'failures of tools',
  'details of failures',
  're-entrance',
  'values of the host',
  'blocking tools',
  'approval',
]);
