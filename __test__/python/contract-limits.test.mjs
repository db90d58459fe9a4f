// Deadlines, logs and counts of Python, as the contract has them.

import { describePythonContract } from './contract.mjs';

describePythonContract('Python on a thread', ['deadlines', 'deadlines of tools', 'logs', 'stats']);
