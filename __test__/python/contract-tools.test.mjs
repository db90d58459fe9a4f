// Tools of Python, as the contract has them: what they give and throw, how they are defined, and what may call back.

import { describePythonContract } from './contract.mjs';

describePythonContract('Python on a thread', [
  'values of the host',
  'definition of tools',
  'failures of tools',
  'details of failures',
  're-entrance',
]);
